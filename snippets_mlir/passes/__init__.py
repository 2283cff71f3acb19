"""The passes, one a file, in a folder per stage in road order."""
