"""Compiled programs on tensors, by kind: static, dynamic, and their makers."""
