"""Functions of NumPy arrays as modules, by running them on traced values."""
