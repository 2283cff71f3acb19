"""The independent checkers of the linear IR: a right kernel, and one that breaks each claim."""

from __future__ import annotations

import random

import pytest
from buffer_kernel import (
    BUFFER_C,
    KERNEL,
    LATE_READER,
    LOAD_B,
    STORE_C,
    TABLE_2,
    T,
    parse,
)
from random_row_kernels import RowKernel
from sampled import sampled

from snippets_mlir.checkers.linear_footprints import (
    difference,
    intersect,
    normal,
    repeated,
    union,
)
from snippets_mlir.checkers.linear_ir import verify_linear_ir
from snippets_mlir.passes.pipelines import PIPELINES
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.passmanager.pipeline import parse_pipeline, run_passes
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.parsing import parse_module

# What is replaced by what, the claim that breaks, and a piece of the message.
BROKEN: dict[str, tuple[list[tuple[str, str]], str]] = {
    "N1 end of another loop": ([("lir.loop_end 1", "lir.loop_end 0")], "N1: expected the end"),
    "N1 no end": ([("  lir.loop_end 0\n", "")], "N1: expected an end of loop 0"),
    "N1 twice": ([("lir.loop_begin 3", "lir.loop_begin 1")], "N1: expected loop 1"),
    "N2 other loops": (
        [(LOAD_B, LOAD_B.replace("lir.loops = array<i64: 0, 2>", "lir.loops = array<i64: 0>"))],
        "N2: expected lir.load to name",
    ),
    "N3 part alone": (
        [(TABLE_2, TABLE_2.replace("21", "16").replace("dim 0", "dim 0, main of 1"))],
        "N3: expected the parts of loop 1 to have its work amount 21 together, found 16",
    ),
    "N4 block of nothing": (
        [(TABLE_2, "#lir.loop<2, work 21, inc 8, dim 0, inner of 1>")],
        "N4: expected loop 2, of work amount 21, inside of loop 1",
    ),
    "N5 carried to the end only": (
        [("  lir.loop_end 3\n", f"  %z = lir.loop_end 3 (%7) : {T}\n")],
        "N5: expected the markers of loop 3 to carry the same values",
    ),
    "P1 disagreement": (
        [(STORE_C, STORE_C.replace("ptr 1 fin -21", "ptr 2 fin -42"))],
        "P1: expected the accesses of one pointer",
    ),
    "P2 not taken back": (
        [("3: dim 0 ptr 1 fin -21", "3: dim 0 ptr 1 fin -20")],
        "P2: expected loop 3 to take each pointer back",
    ),
    "P3 wrong stride": (
        [("0: dim 1 ptr 21 fin -84, 1:", "0: dim 1 ptr 20 fin -80, 1:")],
        "P3: expected loop 0 to move the pointer of lir.load by 84 bytes per unit",
    ),
    "P3 moves in its own loop": (
        [("0: dim 1 fixed, 3:", "0: dim 1 ptr 21 fin -84, 3:")],
        "P3: expected loop 0 to move the pointer of lir.store by 0 bytes",
    ),
    "A1 beyond the array": (
        [
            ("#lir.loop<3, work 21,", "#lir.loop<3, work 24,"),
            ("3: dim 0 ptr 1 fin -21", "3: dim 0 ptr 1 fin -24"),
        ],
        "A1: expected lir.load inside of its array of 84 bytes, found bytes 0 to 96",
    ),
    "A2 every second row": (
        [("#lir.loop<0, work 4, inc 1,", "#lir.loop<0, work 4, inc 2,")],
        "A2: expected stores of all of output 0, found none of bytes 84 to 168",
    ),
    "R1 not written": (
        [
            ("#lir.loop<1, work 21,", "#lir.loop<1, work 16,"),
            ("1: dim 0 ptr 1 fin -21", "1: dim 0 ptr 1 fin -16"),
        ],
        "found 64..84 not written",
    ),
    "R1 overwritten": (
        [("  lir.loop_end 3\n", LATE_READER + "  lir.loop_end 3\n")],
        "R1: expected a buffer to hold the bytes 0..84",
    ),
    "R1 outside of its loops": (
        [
            (BUFFER_C, ""),
            (
                STORE_C,
                STORE_C.replace("2: dim 0 ptr 1 fin -21", "2: dim 0 fixed")
                + BUFFER_C.replace("array<i64: 0>", "array<i64: 0, 2>").replace(
                    "reg_group = 0", "reg_group = 1"
                ),
            ),
        ],
        "R1: expected lir.load in the loops [0, 2] of its buffer",
    ),
    "R2 shifted by a little": (
        [(BUFFER_C, BUFFER_C.replace("offset = 0", "offset = 4"))],
        "R2: expected the store in loop 2 to leave a buffer that is still read as it is",
    ),
    "R2 outside of the scratchpad": (
        [("lir.scratch = 128", "lir.scratch = 64")],
        "R2: expected bytes 0 to 84 of a buffer inside of the scratchpad of 64 bytes",
    ),
}


def test_accepts() -> None:
    """The kernel as it is: `%c` lies over `%b`, which nothing reads later."""
    verify_linear_ir(parse(KERNEL))


@pytest.mark.parametrize("changes", BROKEN.values(), ids=list(BROKEN))
def test_rejects(changes: tuple[list[tuple[str, str]], str]) -> None:
    replacements, message = changes
    text = KERNEL
    for old, new in replacements:
        assert old in text
        text = text.replace(old, new)
    with pytest.raises(CompileError) as caught:
        verify_linear_ir(parse(text))
    assert message in caught.value.message
    assert caught.value.line is not None


def test_rejects_blocks_of_other_lengths() -> None:
    """A loop that runs blocks of 8 inside of one that steps by 16."""
    text = KERNEL.replace(
        "#lir.loop<1, work 21, inc 8, dim 0>",
        "#lir.loop<1, work 21, inc 16, dim 0>, #lir.loop<4, work 8, inc 8, dim 0, inner of 1>",
    )
    text = text.replace("lir.loop_begin 1\n", "lir.loop_begin 1\n  lir.loop_begin 4\n")
    text = text.replace("lir.loop_end 1\n", "lir.loop_end 4\n  lir.loop_end 1\n")
    text = text.replace("array<i64: 0, 1>", "array<i64: 0, 1, 4>")
    with pytest.raises(CompileError, match="N4: expected loop 4, of work amount 8, inside of"):
        verify_linear_ir(parse(text))


def test_intervals_are_sets_of_bytes() -> None:
    """The operations on intervals against sets, on random ones."""
    rng = random.Random(3)
    for _ in range(300):
        a, b = (
            normal([(low, low + rng.randint(0, 6)) for low in rng.sample(range(40), 4)])
            for _ in range(2)
        )
        x, y = ({byte for low, high in c for byte in range(low, high)} for c in (a, b))
        assert {i for low, high in union(a, b) for i in range(low, high)} == x | y
        assert {i for low, high in difference(a, b) for i in range(low, high)} == x - y
        assert intersect(a, b) == bool(x & y)
        count, step = rng.randint(0, 5), rng.randint(0, 9)
        moved = {byte + i * step for i in range(count) for byte in x}
        assert {i for low, high in repeated(a, count, step) for i in range(low, high)} == moved


ALLOCATED = (
    ("lir-allocate-buffers", ""),
    ("lir-allocate-buffers", "{optimized=false}"),
    ("lir-place-buffers-in-outputs", "{least=0}"),
    ("lir-rematerialize", "{arrays=3 least=0}"),
)


@pytest.mark.parametrize("place", range(len(ALLOCATED)))
def test_passes_keep_the_claims(place: int) -> None:
    """Kernels from the pipeline pass the checkers after each pass, however they are allocated."""
    pipeline = f"{PIPELINES['snippets-to-lir']},{PIPELINES['lir-to-vector']}"
    name, options = ALLOCATED[place]
    for seed in sampled(range(5 * place, 5 * place + 5), 2):
        ctx = make_context()
        module = parse_module(RowKernel(seed).text, ctx, "t")
        text = pipeline.replace(name, f"{name}{options}")
        run_passes(module, ctx, parse_pipeline(text, ctx), verify_each=True)
