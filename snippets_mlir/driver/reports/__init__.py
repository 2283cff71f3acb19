"""Facts and messages about the kernels of a program, and about the ops in none."""
