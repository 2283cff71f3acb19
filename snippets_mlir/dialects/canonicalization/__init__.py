"""Canonicalization patterns, one file per dialect, imported by the ops when they are asked."""
