"""Data-flow passes: rewrites of the bodies of subgraphs."""
