"""Texts of functions on memrefs."""

from __future__ import annotations


def function(body: str) -> str:
    """A function of `%a` and `%n` with some constants."""
    return f"""func.func @f(%a: memref<?xf32>, %n: index) {{
  %one = arith.constant 1.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  {body}
  func.return
}}"""
