"""Independent checkers of what passes produced; they import the dialects and nothing else."""
