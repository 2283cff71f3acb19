"""Rewrites of the bodies of subgraphs into the forms of kernels."""
