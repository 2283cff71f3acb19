"""A build: from a module at the graph level to kernels, manifest and executors."""
