"""Damaged entries of ONNX models of kernels and sessions: none is taken for a program."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from inspect import signature
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from shared_models import Array, given, model_of

import snippets_mlir
from snippets_mlir.codegen.cache import read_entry, write_entry
from snippets_mlir.driver import Compiled
from snippets_mlir.driver.cache import stored, storing
from snippets_mlir.driver.cache.program_cache import program_key
from snippets_mlir.driver.cache.sealed import sealed, unsealed
from snippets_mlir.driver.cache.shared_entry import MAGIC

pytestmark = pytest.mark.usefixtures("foreign_products")


class Kept(NamedTuple):
    """An entry, its header, and what its program computes."""

    raw: bytes
    header: Any
    result: Array


def leave_out(*_: object) -> None:
    """No work of a thread."""


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Kept:
    """The entry of `model_of()`, with plain models, which name their weights."""
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("kept")
        patch.setattr("snippets_mlir.analysis.graph.products.HELD", False)
        patch.setenv("SNIPPETS_CACHE_DIR", str(folder))
        patch.setattr("snippets_mlir.driver.cache.shared_entry.optionally", leave_out)
        patch.setattr(stored, "program_key", program_key)
        result = snippets_mlir.compile(model_of())(given())
        (path,) = (folder / "programs").iterdir()
        raw = read_entry(path)
    assert raw is not None
    body = unsealed(MAGIC, raw)
    return Kept(raw, json.loads(body[8 : 8 + int.from_bytes(body[:8], "little")]), result)


def with_header(raw: bytes, header: object) -> bytes:
    body = unsealed(MAGIC, raw)
    text = json.dumps(header).encode()
    rest = body[8 + int.from_bytes(body[:8], "little") :]
    return sealed(MAGIC, len(text).to_bytes(8, "little") + text + rest)


def read_as(programs: Path, data: bytes) -> Compiled:
    """The model, compiled where the cache has this entry for it."""
    made = model_of()
    request = stored.filled_request(None, OPTIONS)
    key = program_key(made, request)
    assert key is not None
    storing.finish()  # it may replace an earlier entry
    write_entry(programs / key, data)
    return snippets_mlir.compile(made)


OPTIONS: dict[str, Any] = {
    name: parameter.default
    for name, parameter in signature(snippets_mlir.compile).parameters.items()
    if name not in ("source", "entry", "plugins")
}


def test_the_entry_as_it_is(programs: Path, kept: Kept):
    m = read_as(programs, with_header(kept.raw, kept.header))
    assert m.from_cache == "shared"
    np.testing.assert_array_equal(m(given()), kept.result)


def test_entries_that_are_cut_off(programs: Path, kept: Kept):
    size = len(kept.raw)
    for end in (4, 11, 40, size // 2, size - 100, size - 1):
        assert read_as(programs, kept.raw[:end]).from_cache is None
    m = read_as(programs, kept.raw[: size - 1])
    np.testing.assert_array_equal(m(given()), kept.result)
    assert snippets_mlir.compile(model_of()).from_cache == "shared"  # the entry is replaced


def test_an_entry_without_a_right_sum(programs: Path, kept: Kept):
    assert read_as(programs, kept.raw).from_cache == "shared"
    storing.finish()
    (path,) = programs.iterdir()
    path.write_bytes(path.read_bytes()[:-1] + b"?")
    assert snippets_mlir.compile(model_of()).from_cache is None


def _weight(header: Any) -> Any:
    return header["shared"]["regions"][0]["weights"][0]


CHANGES: dict[str, Callable[[Any], object]] = {
    "no regions": lambda h: h["shared"].update(regions=[]),
    "an empty region": lambda h: h["shared"]["regions"][0].update(bytes=0),
    "a region before the others": lambda h: h["shared"]["regions"][0].update(bytes=-5),
    "another region": lambda h: h["shared"]["regions"].reverse(),
    "a weight beyond the model": lambda h: _weight(h).update(offset=1 << 40),
    "a weight before the model": lambda h: _weight(h).update(offset=-8),
    "a weight of another file": lambda h: _weight(h).update(file="../other"),
    "a weight of another type": lambda h: _weight(h).update(dtype="float64"),
    "a weight of another shape": lambda h: _weight(h).update(shape=[64, 601]),
    "a weight of no type": lambda h: _weight(h).update(dtype="nothing"),
    "a weight of nobody": lambda h: _weight(h).update(name="nobody"),
    "no shared": lambda h: h.pop("shared"),
    "no template": lambda h: h["shared"].pop("template"),
    "a symbol of no input": lambda h: h["shared"]["template"]["symbols"].update(n=[7, 0]),
    "a symbol of no dim": lambda h: h["shared"]["template"]["symbols"].update(n=[0, 2]),
    "no formula": lambda h: h["shared"]["template"].update(formulas=[["n"]]),
    "no symbol": lambda h: h["shared"]["template"].update(formulas=[[[1, ["k"]]]]),
    "no operation": lambda h: h["shared"]["template"].update(formulas=[[[1, [["no", 1, 2]]]]]),
    "an equality of one": lambda h: h["shared"]["template"].update(equalities=[[1]]),
    "another interface": lambda h: h["shared"].update(inputs=[]),
    "other files": lambda h: h["shared"].update(files=[["m.data", 1, 1, 1, 1]]),
    "no code": lambda h: h.update(code=0),
    "a step of no kind": lambda h: h["manifest"]["steps"][0].update(kind="other"),
    "a step less": lambda h: h["manifest"]["steps"].pop(0),
}


@pytest.mark.parametrize("change", CHANGES)
def test_entries_with_another_header(programs: Path, kept: Kept, change: str):
    header = copy.deepcopy(kept.header)
    CHANGES[change](header)
    assert read_as(programs, with_header(kept.raw, header)).from_cache is None
