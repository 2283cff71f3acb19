"""Parallel loops as functions that threads call."""
