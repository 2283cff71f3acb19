"""Show kernels: text on standard error, graphs for Netron, pictures for a browser."""
