"""A program of two inputs with names, and what it computes."""

import numpy as np

ADD = """func.func @main(%x: tensor<2x3xf32> {snippets.name = "x"},
                %y: tensor<3xf32> {snippets.name = "y"})
    -> (tensor<2x3xf32> {snippets.name = "z"}) {
  %0 = snippets.add %x, %y : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %1 = snippets.relu %0 : tensor<2x3xf32>
  func.return %1 : tensor<2x3xf32>
}
"""
X = np.arange(-3, 3, dtype=np.float32).reshape(2, 3)
Y = np.ones(3, np.float32)
Z = np.maximum(X + Y, 0)
