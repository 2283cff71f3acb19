"""Errors, diagnostics, text to IR and back: what every other package uses."""
