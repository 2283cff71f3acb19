"""The cache of finished programs on disk: keys, entries, seals."""
