"""Vectors of any shape as loops and as vectors of the target."""
