"""Decompose ops on whole tensors into ops that kernels support."""
