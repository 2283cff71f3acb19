"""RotaryEmbedding of ONNX and of onnxruntime against it and ONNX's backend tests."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray
from onnx import helper
from onnx_checks import execute, ops_of, reasons_of
from onnx_models import model, run_reference, samples, value
from sampled import alternating, sampled

import snippets_mlir
from snippets_mlir.frontends.onnx.engine_operators import MICROSOFT

Array = NDArray[Any]
Dims = Sequence[int | str]
ROWS_OF_CACHES = 10


def numbers(*shape: int, dtype: Any = np.float32) -> Array:
    return samples(dtype, int(np.prod(shape)), sum(shape)).reshape(shape)


class Case(NamedTuple):
    """A node: its inputs, the dims that they have in a model of dynamic sizes, attributes."""

    inputs: Sequence[Array]
    dims: Sequence[Dims]
    domain: str = ""
    num_heads: int = 0
    rotary_embedding_dim: int = 0
    interleaved: int = 0
    others: dict[str, Any] = {}  # noqa: RUF012


def made(case: Case, *, dynamic: bool = False, constants: Sequence[int] = ()) -> onnx.ModelProto:
    names = [f"x{i}" for i in range(len(case.inputs))]
    numbers = {n: getattr(case, n) for n in ("num_heads", "rotary_embedding_dim", "interleaved")}
    given = {n: v for n, v in numbers.items() if v} | case.others
    node = helper.make_node(
        "RotaryEmbedding", names, ["y"], name="turned", domain=case.domain, **given
    )
    shapes = case.dims if dynamic else [a.shape for a in case.inputs]
    pairs = zip(names, shapes, case.inputs, strict=True)
    inputs = [value(n, s, a.dtype) for i, (n, s, a) in enumerate(pairs) if i not in constants]
    return model(
        [node],
        inputs,
        [value("y", shapes[0], case.inputs[0].dtype)],
        {names[i]: case.inputs[i] for i in constants},
        opset=23,
        domains=[case.domain] if case.domain else [],
    )


X, X4 = numbers(2, 3, 16), numbers(2, 2, 3, 8)
IDS = np.array([[9, 0, 4], [1, 2, 3]])
HALF, QUARTER = ([numbers(ROWS_OF_CACHES, n), -numbers(ROWS_OF_CACHES, n)] for n in (4, 2))
OF_ROWS = [numbers(2, 3, 4), -numbers(2, 3, 4)]
B_S, CACHE = ("b", "s"), ("m", 4)

FORMS = {
    "ids": Case([X, *HALF, IDS], [(*B_S, 16), CACHE, CACHE, B_S], num_heads=2),
    "rows": Case([X, *OF_ROWS], [(*B_S, 16), (*B_S, 4), (*B_S, 4)], num_heads=2),
    "part": Case(
        [X, *QUARTER, IDS],
        [(*B_S, 16), ("m", 2), ("m", 2), B_S],
        num_heads=2,
        rotary_embedding_dim=4,
    ),
    "4d": Case([X4, *HALF, IDS], [("b", 2, "s", 8), CACHE, CACHE, B_S]),
    "4d-rows": Case([X4, *OF_ROWS], [("b", "h", "s", 8), (*B_S, 4), (*B_S, 4)]),
    "4d-part": Case(
        [X4, *QUARTER, IDS], [("b", "h", "s", 8), (10, 2), (10, 2), B_S], rotary_embedding_dim=4
    ),
    "microsoft": Case([X, IDS, *HALF], [(*B_S, 16), B_S, CACHE, CACHE], MICROSOFT),
    "microsoft-heads": Case([X, IDS, *HALF], [(*B_S, 16), B_S, CACHE, CACHE], MICROSOFT, 2),
    "microsoft-place": Case(
        [X, np.array([7]), *HALF], [("b", 3, 16), (1,), CACHE, CACHE], MICROSOFT
    ),
    "microsoft-scalar": Case(
        [X[:, :1], np.array(9), *HALF], [("b", 1, 16), (), CACHE, CACHE], MICROSOFT
    ),
    "microsoft-4d": Case([X4, IDS, *HALF], [("b", "h", "s", 8), B_S, CACHE, CACHE], MICROSOFT),
    "microsoft-4d-part": Case(
        [X4, IDS, *QUARTER], [("b", 2, "s", 8), B_S, (10, 2), (10, 2)], MICROSOFT, 2, 4
    ),
    "microsoft-scale": Case(
        [X, IDS, *HALF], [(*B_S, 16), B_S, CACHE, CACHE], MICROSOFT, others={"scale": 2.0}
    ),
}


def close(found: Array, wanted: Array) -> None:
    assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape)
    np.testing.assert_allclose(found, wanted, 1e-5, 1e-5)


@pytest.mark.parametrize(("form", "interleaved"), alternating(sampled(FORMS, 2), (0, 1)))
def test_by_the_interpreter_and_compiled(form: str, interleaved: int):
    case = FORMS[form]._replace(interleaved=interleaved)
    wanted = run_reference(made(case), case.inputs)[0]
    close(execute(made(case), case.inputs)[0], wanted)
    for dynamic in (False, True):
        compiled = snippets_mlir.compile(made(case, dynamic=dynamic), fallback="error")
        for _ in range(2):
            close(np.asarray(compiled(*case.inputs)), wanted)


@pytest.mark.parametrize("form", ["ids", "microsoft", "microsoft-place"])
def test_ids_that_are_constants(form: str):
    case = FORMS[form]
    place = 3 if form == "ids" else 1
    single = made(case, constants=[place])
    assert "snippets.check_indices" not in ops_of(single)
    given = [a for i, a in enumerate(case.inputs) if i != place]
    compiled = snippets_mlir.compile(single, fallback="error")
    close(np.asarray(compiled(*given)), run_reference(single, given)[0])


def test_other_sizes_and_no_rows():
    case = FORMS["ids"]
    compiled = snippets_mlir.compile(made(case, dynamic=True), mark_skipped="none")
    for batch, rows in ((1, 1), (2, 2), (1, 3), (0, 2), (2, 0)):
        given = [X[:batch, :rows], *HALF, IDS[:batch, :rows]]
        close(np.asarray(compiled(*given)), run_reference(made(case, dynamic=True), given)[0])


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("form", ["ids", "4d", "microsoft", "microsoft-place"])
def test_an_id_that_is_outside_is_an_error(form: str, dynamic: bool):
    """As in onnxruntime; later calls of the same program are right."""
    case = FORMS[form]
    place = 3 if form in ("ids", "4d") else 1
    compiled = snippets_mlir.compile(made(case, dynamic=dynamic), fallback="error")
    for wrong in (ROWS_OF_CACHES, -1, 1 << 40, -(1 << 40)):
        given = [a.copy() for a in case.inputs]
        given[place].flat[-1] = wrong
        with pytest.raises(Exception, match="range"):
            run_reference(made(case), given)
        with pytest.raises(IndexError):
            compiled(*given)
        close(np.asarray(compiled(*case.inputs)), run_reference(made(case), case.inputs)[0])


def test_they_become_a_kernel_and_two_gathers():
    """Rows of the caches are gathered once: the kernels of all layers read them."""
    case = FORMS["ids"]
    nodes = [
        helper.make_node("RotaryEmbedding", [x, "c", "s", "i"], [f"{x}y"], num_heads=2)
        for x in ("a", "b")
    ]
    inputs = [value("a", X.shape), value("b", X.shape), value("i", IDS.shape, np.int64)]
    both = model(nodes, inputs, ["ay", "by"], dict(zip("cs", HALF, strict=True)), opset=23)
    program = snippets_mlir.compile(both, fallback="error")
    assert [len(k.ops) for k in program.kernels] == [1, 1, 9, 9]
    for found in program.run({"a": X, "b": X, "i": IDS}).values():
        close(found, run_reference(made(case), case.inputs)[0])
    assert len(snippets_mlir.compile(made(FORMS["rows"]), fallback="error").kernels) == 1


REFUSED = [
    (FORMS["part"]._replace(rotary_embedding_dim=0), "8 of 8 columns with caches 10x2"),
    (FORMS["part"]._replace(rotary_embedding_dim=3), "3 of 8 columns with caches 10x2"),
    (FORMS["part"]._replace(rotary_embedding_dim=10), "10 of 8 columns with caches 10x2"),
    (FORMS["ids"]._replace(num_heads=3), "no known number of equal heads"),
    (FORMS["ids"]._replace(num_heads=0), "no known number of equal heads"),
    (FORMS["ids"]._replace(interleaved=2), "whose interleaved is 2"),
    (FORMS["ids"]._replace(inputs=[X, *HALF, IDS[[0, 0, 1]]]), "2x3x16 with ids 3x3"),
    (FORMS["ids"]._replace(inputs=[X, *HALF, IDS[:, :1]]), "2x3x16 with ids 2x1"),
    (FORMS["ids"]._replace(inputs=[X, HALF[0], HALF[1][:5], IDS]), "with sines 5x4 and cosines"),
    (FORMS["ids"]._replace(inputs=[X, *(a[:2] for a in HALF), IDS]), "more rows than its caches"),
    (FORMS["rows"]._replace(inputs=[X, *(a[:, :1] for a in OF_ROWS)]), "with cosines 2x1x4"),
    (FORMS["ids"]._replace(inputs=[X.astype(np.float16), *HALF, IDS]), "caches of other elements"),
    (FORMS["microsoft"]._replace(num_heads=4), "4 of 4 columns with caches 10x4"),
    (FORMS["microsoft"]._replace(others={"is_packed_batching": 1}), "packed batches"),
    (FORMS["microsoft-4d-part"]._replace(num_heads=0), "without a number of heads"),
]


@pytest.mark.parametrize(("case", "reason"), REFUSED, ids=[r for _, r in REFUSED])
def test_what_stays_opaque(case: Case, reason: str):
    (found,) = reasons_of(made(case))
    assert reason in found


@pytest.mark.parametrize("wrong", [ROWS_OF_CACHES, -1])
def test_constant_ids_that_are_outside_stay_opaque(wrong: int):
    ids = np.where(IDS == IDS[1, 2], wrong, IDS)
    single = made(FORMS["ids"]._replace(inputs=[X, *HALF, ids]), constants=[3])
    assert "beyond a cache of 10 rows" in reasons_of(single)[0]


@pytest.mark.parametrize("dims", [[("b", "s", 16), CACHE, CACHE, ("n", "s")], [("b", "t", 16)]])
def test_sizes_that_may_differ_stay_opaque(dims: Sequence[Dims]):
    """A batch that only the call knows to be 1 is an error of onnxruntime's, and no broadcast."""
    case = FORMS["ids"]
    single = made(case._replace(dims=[*dims, *case.dims[len(dims) :]]), dynamic=True)
    compiled = snippets_mlir.compile(single, mark_skipped="none")
    assert not compiled.kernels
    close(np.asarray(compiled(*case.inputs)), run_reference(made(case), case.inputs)[0])
    with pytest.raises(ValueError, match="position_ids"):
        compiled(X, *HALF, IDS[:1])


def test_one_place_for_rows_of_an_unknown_number_stays_opaque():
    case = FORMS["microsoft-place"]
    dims = [("b", "s", 16), (1,), (10, 4), (10, 4)]
    (found,) = reasons_of(made(case._replace(dims=dims), dynamic=True))
    assert "one place for rows of a number that is not known" in found


def test_backend_tests():
    """Of ONNX: each node becomes kernels that give the expected results."""
    source: Any = import_module("onnx.backend.test.case.node.rotaryembedding")
    found: list[tuple[str, onnx.NodeProto, Sequence[Array], Sequence[Array]]] = []

    def keep(node: Any, inputs: Any, outputs: Any, name: str) -> None:
        found.append((name, node, inputs, outputs))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(source, "expect", keep)
        for name in dir(source.RotaryEmbedding):
            if name.startswith("export"):
                getattr(source.RotaryEmbedding, name)()
    assert len(found) >= 8
    for name, node, given, wanted in found:
        pairs = zip(filter(None, node.input), given, strict=True)
        inputs = [value(n, a.shape, a.dtype) for n, a in pairs]
        single = model([node], inputs, [*node.output], opset=23)
        program = snippets_mlir.compile(single, fallback="error")
        assert program.kernels, name
        np.testing.assert_allclose(program(*given), wanted[0], 1e-5, 1e-5, err_msg=name)
