"""Vector code of the ops that are no expansion of others, written against an abstract builder."""
