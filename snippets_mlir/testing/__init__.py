"""Random graphs, and what they compute by NumPy."""
