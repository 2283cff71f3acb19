"""Vector code of ops without an expansion into other ops, written for an abstract builder."""
