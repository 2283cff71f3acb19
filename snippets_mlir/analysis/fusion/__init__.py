"""Operator fusion as in TVM: the graph of kinds, post-dominators, groups."""
