"""The passes, one a file, in packages in pipeline order."""
