"""Schedules of programs, right ones and edited ones, and what the checkers say of them."""

from __future__ import annotations

import pytest
from worked_memory import CONTEXT, after, planned

from snippets_mlir.passmanager.verification import check_module
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.parsing import parse_module
from snippets_mlir.support.printing import print_module


def without_conflicts(text: str, *ids: str) -> str:
    """The text without any mention of the conflict between two results."""
    for own, other in (ids, ids[::-1]):
        head, mark, rest = text.partition(f'program.node "{own}"')
        line, *lines = rest.split("\n", 1)
        before, _, names = line.partition("conflicts ")
        names = names.replace(f'"{other}", ', "").replace(f', "{other}"', "")
        text = "\n".join(
            [head + mark + before + "conflicts " + names.replace(f'"{other}"', ""), *lines]
        )
    return text


SCHEDULED = planned("out-of-order") + ",program-schedule{queues=2}"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        pytest.param(
            "program.wait %0 queue 1\n",
            "\n",
            'R1: "D" on queue 1 reads "B", which "B" on queue 0 may not have written: '
            "a wait is missing",
            id="wait",
        ),
        pytest.param(
            "program.wait %1 queue 0\n",
            "\n",
            'R1: "F" on queue 0 reads "D", which "D" on queue 1 may not have written: '
            "a wait is missing",
            id="last wait",
        ),
        pytest.param(
            "program.wait %0 queue 1",
            "program.wait %0 queue 0",
            'R1: "D" on queue 1',
            id="wait on the wrong queue",
        ),
        pytest.param(
            'program.launch "E" queue 0',
            'program.launch "E" queue 1',
            'R1: "E" on queue 1 reads "C", which "C" on queue 0',
            id="another queue",
        ),
        pytest.param('program.launch "C" queue 0\n', "\n", '"C" is not launched', id="no launch"),
        pytest.param(
            'program.launch "C" queue 0',
            'program.launch "C" queue 2',
            "program.launch on queue 2 of 2",
            id="no such queue",
        ),
    ],
)
def test_an_edited_schedule_is_refused(old: str, new: str, message: str):
    text = print_module(after(SCHEDULED))
    assert text.count(old) == 1
    with pytest.raises(CompileError) as error:
        check_module(parse_module(text.replace(old, new), CONTEXT))
    assert message in error.value.message


def test_a_schedule_may_make_more_memory_safe():
    """E on B's bytes is refused while D may run beside it, but not once D is before it."""
    text = print_module(after(planned("out-of-order")))
    text = without_conflicts(text, *"BE").replace("mem<arena, 131072,", "mem<arena, 65536,")
    launches = "".join(f'program.launch "{node}" queue 0\n' for node in "ABCDEF")
    text = text.replace("program.output", f"program.schedule {{\n{launches}}}\nprogram.output")
    text = text.replace('@main "planned"', '@main "scheduled"')
    check_module(parse_module(text, CONTEXT))
    swapped = text.replace('"D" queue 0\nprogram.launch "E"', '"E" queue 0\nprogram.launch "D"')
    assert swapped != text
    with pytest.raises(CompileError) as error:
        check_module(parse_module(swapped, CONTEXT))
    assert error.value.message.endswith('"D" may still read "B"')
