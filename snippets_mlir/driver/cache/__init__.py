"""Finished programs on disk."""
