"""What the innermost loop of a kernel is made of, read off its assembly."""

from __future__ import annotations

import re

import pytest
from runnable import RUNNABLE
from sampled import sampled

import snippets_mlir

SWIGLU = """
func.func @main(%x: tensor<16777216xf32>, %y: tensor<16777216xf32>) -> tensor<16777216xf32> {
  %0 = snippets.swish %x : tensor<16777216xf32>
  %1 = snippets.multiply %0, %y : tensor<16777216xf32>
  func.return %1 : tensor<16777216xf32>
}
"""

UNARY = """
func.func @main(%x: tensor<4096xELEMENT>) -> tensor<4096xELEMENT> {
  %0 = snippets.OP %x : tensor<4096xELEMENT>
  func.return %0 : tensor<4096xELEMENT>
}
"""

SCALAR_FLOAT = re.compile(
    r"^v?(add|sub|mul|div|min|max|sqrt|f(n?m(add|sub))(132|213|231)|rcp|rsqrt|round)s[sd]\b"
)


def innermost_loops(assembly: str) -> list[list[str]]:
    """The instructions of each loop that holds no other: from a label to the jump back to it.

    A loop may hold branches that skip a part of it, or come back from one that is after the loop.
    """
    loops: list[list[str]] = []
    labels: dict[str, int] = {}
    instructions: list[str] = []
    last = -1
    for line in assembly.splitlines():
        if (found := re.match(r"(\.L\w+):", line)) is not None:
            labels[found.group(1)] = len(instructions)
            continue
        instruction = line.strip()
        if not instruction or instruction.startswith((".", "#")):
            continue
        instructions.append(instruction)
        target = instruction.split()[-1]
        if instruction.startswith("j") and labels.get(target, -1) > last:
            loops.append(instructions[labels[target] :])
            last = labels[target]
    return loops


def test_the_loops_are_found() -> None:
    """The reader of the test sees a loop, and not what is around it."""
    text = (
        "f:\n\tretq\n.LBB0_1:\n\tvaddss %xmm0, %xmm1, %xmm2\n\tcallq expf\n\tjne .LBB0_1\n\tretq\n"
    )
    assert innermost_loops(text) == [["vaddss %xmm0, %xmm1, %xmm2", "callq expf", "jne .LBB0_1"]]
    skips = (
        ".LBB0_1:\n\tjne .LBB0_3\n.LBB0_2:\n\tincq %rax\n\tjb .LBB0_1\n\tretq\n"
        ".LBB0_3:\n\tvmulps %ymm0, %ymm1, %ymm2\n\tjmp .LBB0_2\n"
    )
    assert innermost_loops(skips)[0] == ["jne .LBB0_3", "incq %rax", "jb .LBB0_1"]
    assert SCALAR_FLOAT.match("vaddss %xmm0, %xmm1, %xmm2")
    assert SCALAR_FLOAT.match("vfmadd213sd %xmm0, %xmm1, %xmm2")
    assert not SCALAR_FLOAT.match("vaddps %ymm0, %ymm1, %ymm2")


@pytest.mark.parametrize("target", [name for name in RUNNABLE if "avx" in name])
def test_swiglu_is_vector_code_only(target: str) -> None:
    """No scalar floating-point arithmetic, no call and no stack access."""
    kernel = snippets_mlir.compile(SWIGLU, target=target).kernels[0]
    assembly = kernel.ir("asm")
    assert not re.search(r"movq\s+%rsp, %rbp", assembly)  # %rbp is no frame
    loops = innermost_loops(assembly)
    assert loops
    for instruction in (line for loop in loops for line in loop):
        assert not SCALAR_FLOAT.match(instruction), instruction
        assert not instruction.startswith("call"), instruction
        assert "%rsp" not in instruction, instruction


@pytest.mark.parametrize(
    ("op", "element"),
    sampled(
        [(o, e) for o in ("exp", "log", "erf", "tanh", "sin", "cos") for e in ("f32", "f64")], 2
    ),
)
def test_math_calls_nothing(op: str, element: str) -> None:
    """No call of libm: the kernel calls its own body, and nothing else."""
    text = UNARY.replace("OP", op).replace("ELEMENT", element)
    assembly = snippets_mlir.compile(text, target="x86-64-avx2").kernels[0].ir("asm")
    loops = innermost_loops(assembly)
    assert loops
    called = re.findall(r"^\s+callq?\s+(\S+)", assembly, re.MULTILINE)
    assert set(called) <= {"subgraph_0.body"}
    for instruction in (line for loop in loops for line in loop):
        assert not SCALAR_FLOAT.match(instruction), instruction
