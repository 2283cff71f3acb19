"""Independent checkers of the output of passes; they import only the dialects."""
