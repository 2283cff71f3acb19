"""Calls whose shapes differ each time: one table takes the sizes of each call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from growing_decoder import WIDTH, Reference, compiled, decoder, feed

import snippets_mlir
from snippets_mlir.runtime.program import Program

pytestmark = pytest.mark.usefixtures("foreign_products")


@pytest.fixture
def in_python(monkeypatch: pytest.MonkeyPatch) -> list[Program]:
    """The programs that have run in Python."""
    ran: list[Program] = []
    run = Program.run_in_python

    def noted(self: Program, *arguments: Any) -> Any:
        ran.append(self)
        return run(self, *arguments)

    monkeypatch.setattr(Program, "run_in_python", noted)
    return ran


GROWING = [(1, 1, past) for past in (15, 16, 17, 18, 1, 40, 17, 200, 3)]
SHAPES = [*GROWING, (2, 3, 5), (1, 1, 16), (2, 3, 5), (1, 1, 16), (2, 3, 5), (3, 1, 1), (1, 9, 33)]


@pytest.mark.parametrize("threads", [1, 2])
def test_the_first_call_of_a_shape_walks_the_table(threads: int, in_python: list[Program]) -> None:
    """Shapes that grow, shrink, and go back and forth; two outputs of one value's sizes."""
    model = decoder()
    reference, program = Reference(model), compiled(model, threads)
    kinds = None
    for number, shape in enumerate(SHAPES):
        given = feed(*shape, seed=number)
        reference.check(program.run(given), given)
        kinds = [step["kind"] for step in program.manifest["steps"]]
        shapes = [given[v["name"]].shape for v in program.manifest["inputs"]]
        assert [tuple(v["shape"]) for v in program.manifest["inputs"]] == shapes
    assert kinds is not None
    assert {"kernel", "execute"} <= {*kinds}
    assert len(in_python) == 1  # the first call of all
    assert program.compiled_times == 1


def test_a_cache_that_grows_from_call_to_call(in_python: list[Program]) -> None:
    model = decoder()
    reference, program = Reference(model), compiled(model)
    given = feed(1, 1, 1)
    for number in range(70):
        found = program.run(given)
        reference.check(found, given)
        given = {**feed(1, 1, 1, seed=number), "cache": found["cache_new"]}
    assert given["cache"].shape == (1, 71, WIDTH)
    assert len(in_python) == 1


def test_empty_dims_and_sizes_of_1(in_python: list[Program]) -> None:
    """What the symbols do not take is one session, between calls that they take."""
    model = decoder()
    reference, program = Reference(model), compiled(model)
    for shape in ((1, 1, 4), (1, 1, 0), (1, 1, 5), (0, 1, 5), (1, 0, 5), (2, 1, 1), (1, 1, 0)):
        given = feed(*shape, seed=1)
        reference.check(program.run(given), given)


def test_sizes_that_only_a_step_knows() -> None:
    """These programs run in Python, for each shape with its own sizes."""
    model = decoder(counts=True)
    reference, program = Reference(model), compiled(model)
    for shape in ((1, 1, 4), (1, 1, 5), (2, 2, 9), (1, 1, 4), (1, 1, 6)):
        given = feed(*shape, seed=2)
        given["x"][:] = 1  # NaN is not 0, and the order of sums is not that of onnxruntime
        reference.check(program.run(given), given)
    assert None in [size for v in program.manifest["values"] for size in v["shape"] or ()]


def test_memory_of_other_calls_is_never_read() -> None:
    """What is in the arena of a network when it takes other sizes makes no difference."""
    model = decoder()
    reference, program = Reference(model), compiled(model)
    for number, shape in enumerate(SHAPES):
        given = feed(*shape, seed=number)
        reference.check(program.run(given), given)
        for network in program.built().program._shared.idle:  # pyright: ignore
            network.block[1][:] = 255


def test_a_failing_step_leaves_the_table_usable() -> None:
    model = decoder()
    reference, program = Reference(model), compiled(model)
    for past in (4, 5, 6, 7):
        given = feed(1, 2, past)
        wrong = {**given, "ids": np.array([[0, 70]])}
        with pytest.raises(ValueError, match="out of data bounds"):
            program.run(wrong)
        with pytest.raises(ValueError, match=r"input 'cache': expected shape .*found"):
            program.run({**given, "cache": given["cache"][:, :, 1:]})
        reference.check(program.run(given), given)
        with pytest.raises(ValueError, match="out of data bounds"):
            program.run(wrong)


def test_strided_and_unaligned_inputs_and_outputs_of_the_caller(in_python: list[Program]) -> None:
    model = decoder()
    reference, program = Reference(model), compiled(model)
    for past in (4, 5, 6):
        given = feed(2, 1, past, seed=past)
        odd = dict(given)
        odd["cache"] = np.repeat(given["cache"], 2, axis=1)[:, ::2]
        raw = np.zeros(given["x"].nbytes + 1, np.uint8)
        odd["x"] = raw[1:].view(np.float32).reshape(given["x"].shape)
        odd["x"][...] = given["x"]
        out = [np.zeros((2, past + 1), np.float32), np.zeros((2, 2 * past + 2, WIDTH), np.float32)]
        out[1] = out[1][:, ::2]
        found = program(*(odd[spec.name] for spec in program.inputs), out=out)
        assert all(a is b for a, b in zip(found, out, strict=True))
        reference.check(dict(zip(("y", "cache_new"), out, strict=True)), given)
        with pytest.raises(ValueError, match=r"output 'y': expected shape"):
            program(*(given[spec.name] for spec in program.inputs), out=[out[0][:, 1:], out[1]])
    assert len(in_python) == 1


@pytest.mark.parametrize("rows", [[5, 6, 5, 7, 5, 0, 1, 6, 8]])
def test_templates_of_programs_in_mlir(rows: Sequence[int], in_python: list[Program]) -> None:
    """Kernels and views alone; a mask (a size of 0 or 1) has a table of its own."""
    text = """func.func @main(%x: tensor<?x5xf32>, %y: tensor<5xf32>)
        -> (tensor<?x5xf32>, tensor<?x5xf32>) {
      %0 = snippets.add %x, %y : (tensor<?x5xf32>, tensor<5xf32>) -> tensor<?x5xf32>
      %1 = snippets.reduce_max %0 {axes = array<i64: 0>} : (tensor<?x5xf32>) -> tensor<5xf32>
      %2 = snippets.subtract %0, %1 : (tensor<?x5xf32>, tensor<5xf32>) -> tensor<?x5xf32>
      func.return %0, %2 : tensor<?x5xf32>, tensor<?x5xf32>
    }"""
    program: Any = snippets_mlir.compile(text, fallback="error")
    y = np.arange(5, dtype=np.float32)
    for count in rows:
        x = np.linspace(-1, 1, count * 5, dtype=np.float32).reshape(count, 5)
        first, second = program(x, y)
        np.testing.assert_array_equal(first, x + y)
        np.testing.assert_array_equal(second, (x + y) - (x + y).max(axis=0, initial=-np.inf))
    assert len(in_python) <= 3
