"""Few rows of products whose right operand is copied for many rows (`lir-brgemm-few-rows`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx
import pytest
from levels import is_level
from numpy.typing import NDArray
from product_kernels import check, product
from runnable import RUNNABLE
from sampled import ALL

import snippets_mlir
from snippets_mlir.checkers.linear_ir import verify_linear_ir
from snippets_mlir.dialects.lir.instances import instance_of
from snippets_mlir.interpreter import Interpreter
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.passmanager.pipeline import parse_pipeline, run_passes
from snippets_mlir.support.parsing import parse_module

Array = NDArray[Any]
Dims = tuple[int | str, ...]
OWN = "lir-brgemm-few-rows"
ROWS = (0, 1, 2, 3, 4, 5, 17, 40)


@dataclass(frozen=True)
class Case:
    """A product of any number of rows.

    Attributes:
        left: the dims of the left operand before its rows.
        right: the dims of the right operand before its terms.
        terms: of the sums.
        columns: of the result.
        turned: whether the right operand is transposed.
        double: whether elements are f64.
        after: what follows: a bias, and an activation.
        unknown: whether only the call knows the number of `terms` or `columns`.
        fires: whether the product has a second nest for few rows.
        wide: whether it has one on AVX-512, too. There the tiles of an operand that no nest copies
            may be as wide as those of the second nest.
    """

    left: tuple[int, ...] = ()
    right: tuple[int, ...] = ()
    terms: int = 24
    columns: int = 1024
    turned: bool = False
    double: bool = False
    after: tuple[str, ...] = ()
    unknown: str = ""
    fires: bool = True
    wide: bool = True


CASES = {
    "pages apart": Case(),
    "one term": Case(terms=1, fires=False),
    "long sum": Case(terms=200),
    "no whole blocks": Case(columns=3072, terms=9),
    "bias": Case(after=("Add",)),
    "bias, relu": Case(after=("Add", "Relu")),
    "bias, tanh": Case(after=("Add", "Tanh")),
    "tanh, long sum": Case(terms=200, columns=3072, after=("Add", "Tanh")),
    "transposed, tanh": Case(columns=70, turned=True, after=("Add", "Tanh")),
    "f64": Case(columns=512, double=True),
    "transposed": Case(columns=70, turned=True, after=("Add",)),
    "transposed f64": Case(columns=70, turned=True, double=True),
    "transposed, columns unknown": Case(columns=70, turned=True, unknown="columns"),
    "transposed, below a vector": Case(columns=3, turned=True, fires=False),
    "batch": Case(left=(3,), right=(3,)),
    "batch of rights": Case(left=(1,), right=(2,), terms=5),
    "one right": Case(left=(3,), terms=5),
    "no terms": Case(terms=0, fires=False),
    "terms unknown": Case(unknown="terms"),
    "few columns, terms unknown": Case(terms=70, columns=65, unknown="terms", fires=False),
    "long sum, terms unknown": Case(terms=2100, columns=200, unknown="terms", wide=False),
    "transposed, terms unknown": Case(columns=70, turned=True, unknown="terms", fires=False),
    "transposed f64, terms unknown": Case(
        terms=300, columns=20, turned=True, double=True, unknown="terms", fires=False
    ),
    "columns unknown": Case(unknown="columns"),
    "columns unknown, tanh": Case(columns=300, after=("Add", "Tanh"), unknown="columns"),
    "columns below a vector": Case(columns=3, fires=False),
    "no pages apart": Case(columns=1000, wide=False),
    "one panel": Case(columns=16, fires=False),
}


def model(case: Case, rows: int | str = "rows") -> bytes:
    kind = onnx.TensorProto.DOUBLE if case.double else onnx.TensorProto.FLOAT

    def value(name: str, *shape: int | str) -> onnx.ValueInfoProto:
        return onnx.helper.make_tensor_value_info(name, kind, shape)

    terms: int | str = "terms" if case.unknown == "terms" else case.terms
    columns: int | str = "columns" if case.unknown == "columns" else case.columns
    batch = np.broadcast_shapes(case.left, case.right)
    right = (columns, terms) if case.turned else (terms, columns)
    inputs = [value("x", *case.left, rows, terms), value("w", *case.right, *right)]
    nodes, names = list[onnx.NodeProto](), ["x", "w"]
    if case.turned:
        order = [*range(len(case.right)), len(case.right) + 1, len(case.right)]
        nodes.append(onnx.helper.make_node("Transpose", ["w"], ["t"], perm=order))
        names[1] = "t"
    for index, kind_of in enumerate(("MatMul", *case.after)):
        nodes.append(onnx.helper.make_node(kind_of, names, [f"y{index}"]))
        names = [f"y{index}"] + (["b"] if case.after[index : index + 1] == ("Add",) else [])
    inputs += [value("b", columns)] if "Add" in case.after else []
    outputs = [value(names[0], *batch, rows, columns)]
    graph = onnx.helper.make_graph(nodes, "product", inputs, outputs)
    opset = onnx.helper.make_opsetid("", 18)
    return onnx.helper.make_model(graph, opset_imports=[opset], ir_version=9).SerializeToString()


def arrays_of(case: Case, rows: int) -> list[Array]:
    rng = np.random.default_rng(case.terms)
    terms, columns = case.terms, case.columns
    right = (columns, terms) if case.turned else (terms, columns)
    shapes = [(*case.left, rows, terms), (*case.right, *right), (columns,)]
    made = [rng.standard_normal(shape) for shape in shapes[: 2 + ("Add" in case.after)]]
    return [x if case.double else x.astype(np.float32) for x in made]


def assert_right(case: Case, found: Array, x: Array, w: Array, b: Array | None = None) -> None:
    flags = "transpose_b" if case.turned else ""
    if b is None:
        check(found, x, w, flags)
        return
    wanted = product(x, w, flags)[0] + b
    wanted = np.maximum(wanted, 0) if "Relu" in case.after else wanted
    wanted = np.tanh(wanted) if "Tanh" in case.after else wanted
    np.testing.assert_allclose(found, wanted, 2e-5, 1e-5)


@pytest.mark.usefixtures("untuned")
@pytest.mark.parametrize("target", RUNNABLE[-1:] if not ALL else RUNNABLE)
@pytest.mark.parametrize("name", CASES)
def test_products(target: str, name: str):
    """Rows alone have the bits that they have beside others, for any number of threads."""
    case, source = CASES[name], model(CASES[name])
    one, some = (
        snippets_mlir.compile(source, mark_skipped="none", num_threads=n, target=target)
        for n in (1, 3)
    )
    whole = one(*arrays_of(case, max(ROWS)))
    for rows in ROWS:
        x, *others = arrays_of(case, max(ROWS))
        x = np.ascontiguousarray(x[..., :rows, :])
        found = one(x, *others)
        assert_right(case, found, x, *others)
        np.testing.assert_array_equal(found, whole[..., :rows, :])
        np.testing.assert_array_equal(found, some(x, *others))
    below = [kernel for kernel in one.kernels if " below " in kernel.ir(OWN)]
    fires = case.fires and (case.wide or target != "x86-64-avx512")
    assert bool(below) == fires or "avx" not in target


@pytest.mark.parametrize(("rows", "terms"), [(13, 9), (16, 40), (31, 9)])
def test_known_rows(rows: int, terms: int):
    """An operand whose rows are pages apart is copied for three passes over it."""
    case = Case(terms=terms)
    x, w = arrays_of(case, rows)
    source = model(case, rows)
    one, two = (
        snippets_mlir.compile(source, mark_skipped="none", num_threads=n, target=RUNNABLE[-1])
        for n in (1, 2)
    )
    found = one(x, w)
    check(found, x, w, "")
    np.testing.assert_array_equal(found, two(x, w))
    copies = "lir.brgemm_copy_b" in one.kernels[0].ir("lir-brgemm-copy-b")
    assert copies or RUNNABLE[-1] != "x86-64-avx2"


TEXT = """
module attributes {{snippets.may_be_one}} {{
func.func @main(%x: {x}, %w: {w}, %b: {b}) -> {y} {{
  %0 = "snippets.matmul"(%x, %w){flags} : ({x}, {w}) -> {y}
  %1 = "snippets.add"(%0, %b) : ({y}, {b}) -> {y}
  %2 = "snippets.{after}"(%1) : ({y}) -> {y}
  func.return %2 : {y}
}}
}}
"""


def text(terms: int, columns: int, after: str, *, turned: bool) -> str:
    """The product, a bias and an activation of any number of rows."""
    right = (columns, terms) if turned else (terms, columns)
    return TEXT.format(
        x=f"tensor<?x{terms}xf32, #lir.sizes<?0>>",
        w="tensor<{}x{}xf32>".format(*right),
        b=f"tensor<{columns}xf32>",
        y=f"tensor<?x{columns}xf32, #lir.sizes<?0>>",
        flags=" {transpose_b}" if turned else "",
        after=after,
    )


@pytest.mark.parametrize(
    ("target", "rows", "terms", "columns", "after"),
    [
        ("x86-64-avx2", 1, 4, 1024, "negative"),
        ("x86-64-avx2", 3, 2, 3072, "tanh"),
        ("x86-64-avx512", 2, 3, 1024, "abs"),
        ("x86-64-avx512", 1, 9, 2048, "tanh"),
        ("x86-64-avx2", 7, 4, 1024, "tanh"),
        ("x86-64-avx2", 1, 8, 70, "abs"),
    ],
)
def test_every_level(target: str, rows: int, terms: int, columns: int, after: str):
    """The interpreter, which also runs the domain in pieces, finds the same bits after a pass."""
    ctx = make_context()
    turned = columns == 70
    module = parse_module(text(terms, columns, after, turned=turned), ctx)
    passes = parse_pipeline(f"snippets-set-target{{target={target}}},snippets-to-llvm", ctx)
    right = (columns, terms) if turned else (terms, columns)
    rng = np.random.default_rng(rows)
    arrays = [rng.standard_normal(s).astype(np.float32) for s in ((rows, terms), right, (columns,))]
    wanted = product(arrays[0], arrays[1], "transpose_b" if turned else "")[0] + arrays[2]
    wanted = {"tanh": np.tanh, "abs": np.abs, "negative": np.negative}[after](wanted)
    names, done, found = [p.name for p in passes], 0, dict[str, Array]()
    for place, name in enumerate(names):
        if is_level(name) or name == OWN:
            run_passes(module, ctx, passes[done : place + 1], verify_each=True)
            done = place + 1
            assert name != OWN or ", parallel, for ?0 below " in str(module)
            if name == OWN:
                verify_linear_ir(module)
            made = instance_of(module, [rows])
            found[name] = np.asarray(Interpreter(made).run("main", arrays)[0])
    for result in found.values():
        np.testing.assert_allclose(result, wanted, 2e-5, 1e-5)
    np.testing.assert_array_equal(found[OWN], found["lir-clean-repeated-data-pointer-shifts"])
