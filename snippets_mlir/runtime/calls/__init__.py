"""Ways to call a program: fast paths in machine code, the executor in Python, and XLA's handler."""
