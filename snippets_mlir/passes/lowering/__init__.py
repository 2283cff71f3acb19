"""Passes between levels, down to the `llvm` dialect."""
