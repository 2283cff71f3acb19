"""Passes on tensor graphs: from the model to the subgraphs that become kernels."""
