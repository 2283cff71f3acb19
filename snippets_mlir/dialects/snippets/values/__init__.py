"""One definition of each op's value, on NumPy arrays."""
