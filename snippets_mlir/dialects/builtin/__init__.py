"""Helpers for builtin types, shared by all dialects: element types, shapes, sizes."""
