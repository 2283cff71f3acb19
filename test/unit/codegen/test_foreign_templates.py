"""Templates of the cache with foreign content, and headers with values of other kinds anywhere."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from copy import copy
from pathlib import Path
from typing import Any

import entry_leaves
import numpy as np
import pytest
from foreign_entries import DYNAMIC, TEXT, changed, entry_of, joined, only, parts

import snippets_mlir
from snippets_mlir.codegen import cache
from snippets_mlir.driver.cache.program_cache import program_of, read_program
from snippets_mlir.driver.cache.sealed import sealed, unsealed


@pytest.fixture(autouse=True)
def _silence(capfd: pytest.CaptureFixture[str]) -> Iterator[None]:
    yield
    assert capfd.readouterr() == ("", "")


TEMPLATES: dict[str, Callable[[bytes], bytes]] = {
    "no template": changed(lambda h: h.pop("template")),
    "no dims": changed(lambda h: h["template"].update(dims=[])),
    "a dim elsewhere": changed(lambda h: h["template"].update(dims=[[[5, 5]]])),
    "a dim of the end": changed(lambda h: h["template"].update(dims=[[[-1, -2]]])),
    "pairs of three": changed(lambda h: h["template"].update(dims=[[[0, 0, 0]]])),
    "other shapes": changed(lambda h: h["template"].update(shapes=[[3, 5], [3, 5]])),
    "fixed": changed(lambda h: h["template"].update(fixed=[[[0, 0], 3]])),
    "an unknown symbol": changed(lambda h: h["manifest"]["steps"][0].update(domain=None)),
}


@pytest.mark.parametrize("case", TEMPLATES)
def test_foreign_templates(cache_directory: Path, case: str) -> None:
    x = np.ones((3, 5), np.float32)
    snippets_mlir.compile(DYNAMIC)(x, x)
    path = only(cache_directory, "programs")
    cache.write_entry(path, TEMPLATES[case](entry_of(path)))
    for times in (1, 0):
        program = snippets_mlir.compile(DYNAMIC)
        np.testing.assert_array_equal(program(x, x), x + x)
        assert program.compiled_times == times


VALUES: tuple[Any, ...] = (None, True, -1, 0, 1 << 70, 1.5, "", "float32", [], {}, [[]], {"a": 0})


def mutated(data: Any, rng: random.Random) -> Any:
    """JSON data with another value somewhere; `data` stays as it is."""
    if not data or type(data) not in (dict, list) or rng.random() < 0.1:
        return rng.choice(VALUES)
    changed = copy(data)
    place = rng.choice([*data] if hasattr(data, "keys") else range(len(data)))
    if rng.random() < 0.15:
        del changed[place]
    else:
        changed[place] = mutated(changed[place], rng)
    return changed


@pytest.mark.parametrize("text", [TEXT, DYNAMIC])
def test_no_header_raises(cache_directory: Path, text: str) -> None:
    x = np.ones((3, 5), np.float32)
    program = snippets_mlir.compile(text)
    if program.dynamic:
        program(x, x)
    path = only(cache_directory, "programs")
    header, rest = parts(entry_of(path))
    rng = random.Random(7)
    refused = 0
    for _ in range(150):
        cache.write_entry(path, joined(mutated(header, rng), rest))
        refused += read_program(path.name, 1) is None
    assert refused > 75


def test_a_size_of_the_call_is_no_number(cache_directory: Path) -> None:
    """Of a template: a call reads it from an array."""
    kind = entry_leaves.KINDS["template"]()
    entry_leaves.call(kind)
    raw = cache.read_entry(only(cache_directory, "programs"))
    data, body_of = entry_leaves.parts(kind, unsealed(kind.magic, raw or b""))
    for size, is_taken in (("?0", True), (4, False), (1 << 200, False)):
        text = json.dumps(entry_leaves.changed(data, ("template", "shapes", 0, 0), size))
        entry = sealed(kind.magic, body_of(text.encode()))
        assert (program_of(entry, 1) is not None) is is_taken
