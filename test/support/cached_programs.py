"""Programs for tests of the program cache, and the entries that they leave."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import snippets_mlir

TEXT = """
func.func @main(%x: tensor<4x5xf32> {snippets.name = "x"}, %y: tensor<5xf32>) -> tensor<4x5xf32> {
  %c = snippets.constant dense<[1.0, -0.0, 2.5, 0x7F800000, 4.0]> : tensor<5xf32>
  %0 = snippets.add %x, %y : (tensor<4x5xf32>, tensor<5xf32>) -> tensor<4x5xf32>
  %1 = snippets.maximum %0, %c : (tensor<4x5xf32>, tensor<5xf32>) -> tensor<4x5xf32>
  func.return %1 : tensor<4x5xf32>
}
"""

ROWS = """
func.func @main(%x: tensor<4x37xf32>) -> tensor<4x37xf32> {
  %0 = snippets.softmax %x {axis = 1 : i64} : tensor<4x37xf32>
  func.return %0 : tensor<4x37xf32>
}
"""


def programs(directory: Path) -> list[Path]:
    return sorted((directory / "programs").glob("*"))


def compiled(source: object = TEXT, **options: Any) -> Any:
    return snippets_mlir.compile(source, **options)
