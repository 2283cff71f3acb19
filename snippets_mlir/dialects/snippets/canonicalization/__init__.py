"""Canonicalization patterns of `snippets`, imported by the ops when they are asked."""
