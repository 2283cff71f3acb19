"""Facts about ops of a graph: what kernels accept, relations between dims, views."""
