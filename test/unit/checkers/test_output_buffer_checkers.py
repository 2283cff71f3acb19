"""The independent checkers of the linear IR, on buffers that live in an output."""

from __future__ import annotations

import pytest
from buffer_kernel import KERNEL, LATE_READER, moving, parse

from snippets_mlir.checkers.linear_ir import verify_linear_ir
from snippets_mlir.support.errors import CompileError


def placed() -> str:
    """The kernel of the other checkers, with both buffers in its output."""
    text = KERNEL.replace("reg_group = 0 : i64, cluster = 0 : i64, offset = 0", "output = 0")
    for loop in (1, 2, 3):
        text = text.replace(moving(loop, 0), moving(loop))
    return text


LAST = "  lir.loop_end 3\n"
LOOP_0, LOOP_3 = (
    f"#lir.loop<{text}>"
    for text in ("0, work 4, inc 1, dim 1, parallel", "3, work 21, inc 8, dim 0")
)


def still(loop: int) -> tuple[str, str]:
    """Loop 0 no longer moves the pointer of the accesses in `loop`."""
    return moving(loop), moving(loop).replace("ptr 21 fin -84", "fixed")


def one_row(loop: int) -> tuple[str, str]:
    """The accesses in `loop` see one row."""
    return moving(loop), still(loop)[1].replace("[4, 21]", "[1, 21]")


# What is replaced by what, and the claim that breaks with a piece of the message.
BROKEN: dict[str, tuple[list[tuple[str, str]], str]] = {
    "the pointer stands still": (
        [still(1), still(2), still(3)],
        "P3: expected loop 0 to move the pointer of lir.load by 84 bytes per unit",
    ),
    "read after the output's store": (
        [(LAST, LATE_READER.replace(moving(3, 0), moving(3)) + LAST)],
        "R1: expected a buffer to hold the bytes 0..84",
    ),
    "the output's store runs ahead": (
        [("lir.store %7 {count = 8", "lir.store %7 {offset = -1 : i64, count = 8")],
        "expected lir.store inside of its array",
    ),
    "an element is left": (
        [
            (LOOP_3, LOOP_3.replace("21", "16")),
            ("3: dim 0 ptr 1 fin -21", "3: dim 0 ptr 1 fin -16"),
        ],
        "R3: expected the stores of output 0 to write all that a buffer leaves in it, "
        "found bytes 64..84",
    ),
    "all iterations in one row": (
        [one_row(1), one_row(2), one_row(3)],
        "R4: expected each iteration of loop 0 to have elements of the output of its own",
    ),
}


def test_accepts() -> None:
    verify_linear_ir(parse(placed()))


@pytest.mark.parametrize("changes", BROKEN.values(), ids=list(BROKEN))
def test_rejects(changes: tuple[list[tuple[str, str]], str]) -> None:
    replacements, message = changes
    text = placed()
    for old, new in replacements:
        assert old in text
        text = text.replace(old, new)
    with pytest.raises(CompileError) as caught:
        verify_linear_ir(parse(text))
    assert message in caught.value.message
