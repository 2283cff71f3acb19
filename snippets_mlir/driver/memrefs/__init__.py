"""Compilation and calls of functions on memrefs."""
