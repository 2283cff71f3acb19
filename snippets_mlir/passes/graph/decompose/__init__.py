"""Ops on whole tensors as ops that kernels have."""
