"""Functions of NumPy arrays as modules, made by running them on traced values."""
