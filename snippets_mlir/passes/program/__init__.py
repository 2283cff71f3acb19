"""From subgraphs to kernels and the program that calls them."""
