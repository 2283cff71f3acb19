"""Small functions of every kind of kernel, for tests of the code for each target machine."""

from __future__ import annotations


def _function(shape: str, body: str, result: str | None = None) -> str:
    result = result or shape
    return f"func.func @main(%x: {shape}, %y: {shape}) -> {result} {{\n{body}\n}}"


F, D, I, ROW = "tensor<3x37xf32>", "tensor<3x37xf64>", "tensor<3x37xi32>", "tensor<3x1xf32>"  # noqa: E741

TARGET_KERNELS: dict[str, str] = {
    "elementwise": _function(
        F,
        f"""%0 = snippets.multiply %x, %y : {F}
        %1 = snippets.add %0, %x : {F}
        func.return %1 : {F}""",
    ),
    "exp": _function(
        F,
        f"""%0 = snippets.exp %x : {F}
        %1 = snippets.multiply %0, %y : {F}
        func.return %1 : {F}""",
    ),
    "softmax": _function(
        F,
        f"""%0 = snippets.add %x, %y : {F}
        %1 = snippets.softmax %0 {{axis = 1 : i64}} : {F}
        func.return %1 : {F}""",
    ),
    "reduction": _function(
        F,
        f"""%0 = snippets.multiply %x, %y : {F}
        %1 = snippets.reduce_sum %0 {{axes = array<i64: 1>, keep_dims}} : ({F}) -> {ROW}
        func.return %1 : {ROW}""",
        ROW,
    ),
    "integer": _function(
        I,
        f"""%0 = snippets.multiply %x, %y : {I}
        %1 = snippets.subtract %0, %x : {I}
        func.return %1 : {I}""",
    ),
    "double": _function(
        D,
        f"""%0 = snippets.multiply %x, %y : {D}
        %1 = snippets.sqrt %0 : {D}
        func.return %1 : {D}""",
    ),
    "transpose": _function(
        "tensor<24x16xf32>",
        """%0 = snippets.transpose %x {permutation = array<i64: 1, 0>} :
          (tensor<24x16xf32>) -> tensor<16x24xf32>
        %1 = snippets.exp %0 : tensor<16x24xf32>
        func.return %1 : tensor<16x24xf32>""",
        "tensor<16x24xf32>",
    ),
}
