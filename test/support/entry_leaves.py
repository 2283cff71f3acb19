"""Every leaf of an entry of the cache replaced by wrong values.

    PYTHONPATH=test/support python test/support/entry_leaves.py [--every 1] [--first 0]

`sealed` changes keep the entry's own sum, as a change of the file does: the program has to be
compiled anew. `resealed` ones have a sum that fits, as if the compiler had written them: whatever
has another type than the form says has to be refused, and nothing may raise when it is looked up.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Any

import numpy as np

import snippets_mlir
from snippets_mlir.codegen.cache import read_entry, write_entry
from snippets_mlir.driver.cache.program_cache import program_of
from snippets_mlir.driver.cache.sealed import sealed, unsealed
from snippets_mlir.driver.cache.session_entry import read_session
from snippets_mlir.driver.cache.storing import finish

Array = np.ndarray[Any, np.dtype[Any]]

WRONG: tuple[Any, ...] = (
    *(None, True, False, -1, 0, 1, 3, 1 << 31, 1 << 63, -(1 << 63), 1 << 200, 0.0, 1.5),
    *(float("nan"), float("inf"), "", "4", "float32", "nobody", "\0", [], {}, [[]], {"a": 0}),
)
"""What stands in the place of a leaf."""

STATIC = """
func.func @main(%x: tensor<4x5xf32>, %y: tensor<5xf32>) -> (tensor<4x5xf32>, tensor<20xf32>) {
  %c = snippets.constant dense<[1.0, -0.0, 2.5, 8.0, 4.0]> : tensor<5xf32>
  %0 = snippets.add %x, %y : (tensor<4x5xf32>, tensor<5xf32>) -> tensor<4x5xf32>
  %1 = snippets.maximum %0, %c : (tensor<4x5xf32>, tensor<5xf32>) -> tensor<4x5xf32>
  %2 = snippets.reshape %1 : (tensor<4x5xf32>) -> tensor<20xf32>
  func.return %0, %2 : tensor<4x5xf32>, tensor<20xf32>
}
"""

DYNAMIC = """
func.func @main(%x: tensor<?x5xf32>, %y: tensor<?x5xf32>) -> (tensor<?x5xf32>, tensor<?xf32>) {
  %0 = snippets.add %x, %y : tensor<?x5xf32>
  %1 = snippets.reduce_sum %0 {axes = array<i64: 1>} : (tensor<?x5xf32>) -> tensor<?xf32>
  func.return %0, %1 : tensor<?x5xf32>, tensor<?xf32>
}
"""

CLASSES = """
func.func @main(%x: tensor<?x5xf32>, %w: tensor<5x140xf32>) -> tensor<?x140xf32> {
  %0 = snippets.matmul %x, %w : (tensor<?x5xf32>, tensor<5x140xf32>) -> tensor<?x140xf32>
  func.return %0 : tensor<?x140xf32>
}
"""

STEPS = """
func.func @main(%x: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = snippets.negative %x : tensor<4x5xf32>
  %1 = onnx.node "Floor"(%0) {domain = "", version = 13 : i64}
       : (tensor<4x5xf32>) -> tensor<4x5xf32>
  %2 = snippets.cum_sum %1 {axis = 1 : i64} : tensor<4x5xf32>
  func.return %2 : tensor<4x5xf32>
}
"""

C = np.array([1, -0.0, 2.5, 8, 4], np.float32)


def _session_model() -> bytes:
    """A model that is one session."""
    from onnx import TensorProto, helper

    info = helper.make_tensor_value_info
    ends = [info(name, TensorProto.FLOAT, ["n", 5]) for name in ("x", "y")]
    axis = helper.make_tensor("axis", TensorProto.INT64, [], [1])
    node = helper.make_node("Trilu", ["x", "axis"], ["y"])
    graph = helper.make_graph([node], "g", ends[:1], ends[1:], [axis])
    opsets = [helper.make_opsetid("", 17)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8).SerializeToString()


@dataclass(frozen=True)
class Kind:
    """A kind of entry.

    Attributes:
        source: of a program that has one.
        inputs: arrays of a call.
        expected: what the program computes.
        magic: how the entry begins.
    """

    source: str | bytes
    inputs: tuple[Array, ...]
    expected: Callable[..., list[Array]]
    magic: bytes = b"SNP4"


X = (np.arange(20, dtype=np.float32) % 7).reshape(4, 5)
W = (np.arange(700, dtype=np.float32) % 11).reshape(5, 140)


def _static(x: Array, y: Array) -> list[Array]:
    return [x + y, np.maximum(x + y, C).reshape(-1)]


def _dynamic(x: Array, y: Array) -> list[Array]:
    return [x + y, np.sum(x + y, axis=1)]


def _product(x: Array, w: Array) -> list[Array]:
    return [x @ w]


def _session(x: Array) -> list[Array]:
    return [np.triu(x, 1)]


def _steps(x: Array) -> list[Array]:
    return [np.cumsum(np.floor(-x), axis=1, dtype=np.float32)]


KINDS: dict[str, Callable[[], Kind]] = {
    "program": lambda: Kind(STATIC, (X, X[1]), _static),
    "template": lambda: Kind(DYNAMIC, (X, X), _dynamic),
    "classes": lambda: Kind(CLASSES, (X, W), _product),
    "steps": lambda: Kind(STEPS, (X,), _steps),
    "session": lambda: Kind(_session_model(), (X,), _session, b"SNPE"),
}


def call(kind: Kind) -> None:
    """Compile and call the program, with new memory full of other bits; AssertionError."""
    program = snippets_mlir.compile(kind.source)
    found = program(*kind.inputs)
    finish()
    results: list[Array] = [*found] if isinstance(found, tuple) else [found]
    for one, other in zip(results, kind.expected(*kind.inputs), strict=True):
        np.testing.assert_array_equal(one, other, strict=True)


def leaves(data: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The places of all that has no parts, and of lists and dicts, too."""
    if path:
        yield path
    keys = range(len(data)) if hasattr(data, "append") else data if hasattr(data, "keys") else ()
    for key in keys:
        yield from leaves(data[key], (*path, key))


def changed(data: Any, path: tuple[Any, ...], value: Any) -> Any:
    """A copy of `data` with `value` at a place."""
    result = place = deepcopy(data)
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return result


def parts(kind: Kind, body: bytes) -> tuple[Any, Callable[[bytes], bytes]]:
    """The JSON of an entry, and what puts other JSON in its place."""
    size = int.from_bytes(body[:8], "little")
    rest = body[8 + size :]
    return json.loads(
        body[8 : 8 + size]
    ), lambda text: len(text).to_bytes(8, "little") + text + rest


def faults(
    name: str,
    directory: Path,
    every: int = 1,
    first: int = 0,
    key: str = "",
    seconds: float = inf,
) -> tuple[int, list[str]]:
    """How many changes were tried, and what went wrong.

    Args:
        name: of `KINDS`.
        directory: an empty one, for the cache.
        every: try one change of so many, from number `first` on.
        first: see there.
        key: only leaves under this key; empty for all.
        seconds: no change is tried after so many; one is in any case.
    """
    os.environ["SNIPPETS_CACHE_DIR"] = str(directory)
    kind = KINDS[name]()
    call(kind)
    (path,) = (directory / "programs").iterdir()
    raw = read_entry(path)
    assert raw is not None
    data, body_of = parts(kind, unsealed(kind.magic, raw))
    tries = [(at, value) for at in leaves(data) if not key or key in at for value in WRONG]
    found: list[str] = []
    tried, end = 0, time.monotonic() + seconds
    for at, value in tries[first::every]:
        if tried and time.monotonic() > end:
            break
        tried += 1
        body = body_of(json.dumps(changed(data, at, value)).encode())
        where = f"{name}, {'.'.join(map(str, at))} = {value!r:.40}"
        old = data
        for key in at:
            old = old[key]
        try:
            write_entry(path, kind.magic + raw[len(kind.magic) :][:32] + body)
            call(kind)
            write_entry(path, sealed(kind.magic, body))
            entry = sealed(kind.magic, body)
            taken = read_session(entry) if name == "session" else program_of(entry, 1)
            if taken is not None and not _may_be_taken(old, value):
                found.append(f"{where}: a value of another type was taken")
        except Exception as error:
            found.append(f"{where}: {type(error).__name__}: {error}")
    return tried, found


def _may_be_taken(old: Any, value: Any) -> bool:
    """Whether an entry with another value in place of `old` may be one of another program.

    A size is a number, or the text of a formula.
    """
    if isinstance(old, str) and "?" in old and type(value) is int:
        return True
    return old is None or value is None or type(old) is type(value)


def main() -> int:
    """Run the command line; the exit code."""
    parser = ArgumentParser("entry_leaves", description=str(__doc__).partition("\n")[0])
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--first", type=int, default=0)
    options = parser.parse_args()
    failed = 0
    for name in KINDS:
        with tempfile.TemporaryDirectory() as directory:
            count, found = faults(name, Path(directory), options.every, options.first)
        failed += len(found)
        print("\n".join([*found[:20], f"{name}: {count} changes, {len(found)} failed"]), flush=True)
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
