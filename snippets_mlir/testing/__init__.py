"""Random graphs, and their NumPy results."""
