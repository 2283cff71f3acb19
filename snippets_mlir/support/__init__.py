"""Errors, diagnostics, parsing and printing of IR, for every other package."""
