"""Compiled programs on tensors, by kind: static, dynamic, and what makes them."""
