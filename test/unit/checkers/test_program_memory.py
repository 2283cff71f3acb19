"""Plans of memory, right ones and edited ones, and what the checkers say of them."""

from __future__ import annotations

import pytest
from worked_memory import CONTEXT, after, planned

from snippets_mlir.checkers import program_memory
from snippets_mlir.checkers.program_graphs import verify_program_graphs
from snippets_mlir.dialects.program.graph import graphs_of
from snippets_mlir.passmanager.verification import check_module
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.parsing import parse_module
from snippets_mlir.support.printing import print_module

KIB = 1024
IN_ORDER = {"AB", "BC", "BD", "CD", "CE", "DE", "DF", "EF"}


@pytest.mark.parametrize(
    ("queue", "pool", "arena"),
    [
        ("in-order", "offsets", 128),
        ("in-order", "records", 160),
        ("in-order", "none", 224),
        ("out-of-order", "offsets", 160),
        ("out-of-order", "records", 192),
        ("out-of-order", "none", 224),
    ],
)
def test_worked_example(queue: str, pool: str, arena: int):
    module = after(planned(queue, pool))
    (graph,) = graphs_of(module)
    assert graph.number("arena") == arena * KIB
    pairs = {
        "".join(sorted((node.id.data, other)))
        for node in graph.nodes
        for ids in node.conflict_ids
        for other in ids
    }
    assert pairs == (IN_ORDER if queue == "in-order" else IN_ORDER | {"BE"})
    check_module(parse_module(print_module(module), CONTEXT))


EDITS = {
    # On an in-order queue.
    "in-order": [
        (
            "A to B's bytes",
            'mem<arena, 0, 65536> conflicts ["B"]',
            'mem<arena, 65536, 65536> conflicts ["B"]',
            '"A" [65536, 131072) overlaps "B" [65536, 131072) of the arena: they conflict',
        ),
        (
            "B over A",
            "mem<arena, 65536, 65536>",
            "mem<arena, 32768, 65536>",
            '"A" [0, 65536) overlaps "B" [32768, 98304) of the arena: they conflict',
        ),
        (
            "C over B",
            'mem<arena, 0, 32768> conflicts ["B"',
            'mem<arena, 65536, 32768> conflicts ["B"',
            '"B" [65536, 131072) overlaps "C" [65536, 98304)',
        ),
        (
            "D over C",
            "mem<arena, 32768, 32768>",
            "mem<arena, 0, 32768>",
            '"C" [0, 32768) overlaps "D" [0, 32768)',
        ),
        (
            "D half over C",
            "mem<arena, 32768, 32768>",
            "mem<arena, 16384, 32768>",
            '"C" [0, 32768) overlaps "D" [16384, 49152)',
        ),
        (
            "E over D",
            "mem<arena, 65536, 32768>",
            "mem<arena, 32768, 32768>",
            '"D" [32768, 65536) overlaps "E" [32768, 65536)',
        ),
        (
            "E over C",
            "mem<arena, 65536, 32768>",
            "mem<arena, 0, 32768>",
            '"C" [0, 32768) overlaps "E" [0, 32768)',
        ),
        (
            "E after the arena",
            "mem<arena, 65536, 32768>",
            "mem<arena, 131072, 32768>",
            '"E" [131072, 163840) ends after the arena of 131072 bytes',
        ),
        (
            "E between lines",
            "mem<arena, 65536, 32768>",
            "mem<arena, 65540, 32768>",
            '"E" is at 65540, no multiple of 64',
        ),
        (
            "D too small",
            "mem<arena, 32768, 32768>",
            "mem<arena, 32768, 32704>",
            '"D": expected 32768 bytes, found 32704',
        ),
        (
            "A without a size",
            "mem<arena, 0, 65536>",
            "mem<arena, 0>",
            '"A": expected 65536 bytes, found 0',
        ),
        (
            "smaller arena",
            "arena = 131072",
            "arena = 131008",
            '"B" [65536, 131072) ends after the arena of 131008 bytes',
        ),
        (
            "E in the output",
            "mem<arena, 65536, 32768>",
            "mem<output, 0>",
            'M3: "E" is in the memory of output "y", which is "F"',
        ),
        (
            "no such output",
            "mem<output, 0>",
            "mem<output, 1>",
            '"F" is in output 1, which does not exist',
        ),
        (
            "one side of a conflict",
            'conflicts ["C", "D", "F"]',
            'conflicts ["D", "F"]',
            '"C" conflicts with "E", but not the other way',
        ),
        (
            "a conflict with an input",
            'conflicts ["C", "D", "F"]',
            'conflicts ["C", "D", "F", "x"]',
            '"E" conflicts with "x", which is no result',
        ),
        (
            "no memory",
            'mem<arena, 65536, 32768> conflicts ["C", "D", "F"]',
            'conflicts ["C", "D", "F"]',
            '"E" has no memory',
        ),
        (
            "another queue",
            'queue = "in-order"',
            'queue = "out-of-order"',
            'of the arena: "D" may still read "B"',
        ),
    ],
    "out-of-order": [
        (
            "E on B's bytes",
            "mem<arena, 131072, 32768>",
            "mem<arena, 65536, 32768>",
            '"B" [65536, 131072) overlaps "E" [65536, 98304) of the arena: they conflict',
        ),
    ],
}


@pytest.mark.parametrize(
    ("queue", "old", "new", "message"),
    [
        pytest.param(queue, *edit[1:], id=edit[0].replace(" ", "-"))
        for queue, edits in EDITS.items()
        for edit in edits
    ],
)
def test_an_edited_plan_is_refused(queue: str, old: str, new: str, message: str):
    text = print_module(after(planned(queue)))
    assert text.count(old) == 1
    with pytest.raises(CompileError) as error:
        check_module(parse_module(text.replace(old, new), CONTEXT))
    assert message in error.value.message
    assert error.value.line is not None


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


@pytest.mark.parametrize(
    ("queue", "pair", "why"),
    [
        ("in-order", "BC", '"D" reads "B" after it (order 3 > 2)'),
        ("in-order", "BD", '"D" reads "B" meanwhile'),
        ("out-of-order", "BE", '"D" may still read "B"'),
    ],
)
def test_a_missing_conflict_is_found(queue: str, pair: str, why: str):
    text = without_conflicts(print_module(after(planned(queue))), *pair)
    with pytest.raises(CompileError) as error:
        check_module(parse_module(text, CONTEXT))
    assert error.value.message == f'M2: expected "{pair[1]}" in the conflicts of "{pair[0]}": {why}'


def test_overlapping_bytes_are_found_without_conflicts_in_the_text(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(program_memory, "MOST", 0)
    text = without_conflicts(print_module(after(planned("out-of-order"))), *"BE")
    check_module(parse_module(text, CONTEXT))
    text = text.replace("mem<arena, 131072, 32768>", "mem<arena, 65536, 32768>")
    with pytest.raises(CompileError) as error:
        verify_program_graphs(parse_module(text, CONTEXT))
    assert error.value.message == (
        'M1: "E" [65536, 98304) overlaps "B" [65536, 131072) of the arena: "D" may still read "B"'
    )
