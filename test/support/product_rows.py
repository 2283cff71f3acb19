"""Programs with ops on whole rows before and after matrix products, and their values by NumPy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
EPSILON = 1e-5


def _normed(x: Array) -> Array:
    d = x - x.mean(axis=-1, keepdims=True)
    return np.asarray(d / np.sqrt((d * d).mean(axis=-1, keepdims=True) + EPSILON))


def _soft(x: Array) -> Array:
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return np.asarray(e / e.sum(axis=-1, keepdims=True))


def _rms(x: Array) -> Array:
    return np.asarray(x / np.sqrt((x * x).mean(axis=-1, keepdims=True) + EPSILON))


def _log_soft(x: Array) -> Array:
    d = x - x.max(axis=-1, keepdims=True)
    return np.asarray(d - np.log(np.exp(d).sum(axis=-1, keepdims=True)))


def tensor(shape: tuple[int, ...], element: str) -> str:
    return f"tensor<{''.join(f'{size}x' for size in shape)}{element}>"


@dataclass(frozen=True)
class Rows:
    """Ops on rows: lines from %{a} to %{b}, and their value."""

    lines: Callable[[str, str, tuple[int, ...], str], list[str]]
    value: Callable[[Array], Array]


def _norm(op: str) -> Callable[[str, str, tuple[int, ...], str], list[str]]:
    def lines(a: str, b: str, shape: tuple[int, ...], element: str) -> list[str]:
        t, last = tensor(shape, element), len(shape) - 1
        if op.endswith("softmax"):
            return [f"%{b} = snippets.{op} %{a} {{axis = {last} : i64}} : {t}"]
        attributes = f"{{axis = {last} : i64, epsilon = {EPSILON:e} : f64}}"
        return [f"%{b} = snippets.{op} %{a} {attributes} : ({t}) -> {t}"]

    return lines


def _unary(op: str) -> Callable[[str, str, tuple[int, ...], str], list[str]]:
    return lambda a, b, shape, element: [f"%{b} = snippets.{op} %{a} : {tensor(shape, element)}"]


def _scaled(a: str, b: str, shape: tuple[int, ...], element: str) -> list[str]:
    """x / max(|x|), a reduction whose result the elements read."""
    t, one = tensor(shape, element), tensor((*shape[:-1], 1), element)
    axes = f"{{axes = array<i64: {len(shape) - 1}>, keep_dims}}"
    return [
        f"%{b}_0 = snippets.abs %{a} : {t}",
        f"%{b}_1 = snippets.reduce_max %{b}_0 {axes} : ({t}) -> {one}",
        f"%{b} = snippets.divide %{a}, %{b}_1 : ({t}, {one}) -> {t}",
    ]


ROWS = {
    "none": Rows(lambda a, b, shape, element: [], lambda x: x),
    "relu": Rows(_unary("relu"), lambda x: np.asarray(np.maximum(x, 0))),
    "exp": Rows(_unary("exp"), lambda x: np.asarray(np.exp(x))),
    "softmax": Rows(_norm("softmax"), _soft),
    "log_softmax": Rows(_norm("log_softmax"), _log_soft),
    "layer_norm": Rows(_norm("layer_norm"), _normed),
    "rms_norm": Rows(_norm("rms_norm"), _rms),
    "scaled": Rows(_scaled, lambda x: np.asarray(x / np.abs(x).max(axis=-1, keepdims=True))),
}


@dataclass(frozen=True)
class Program:
    """f(before(x) w + b) for each of `products` right operands.

    Attributes:
        batch: sizes of the batch of x.
        sizes: rows, terms and columns.
        before: the name of the ops before the products.
        after: the name of the ops after each product and its bias.
        batched: whether the right operands have the batch, too.
        transposed: whether the right operands are.
        constant: whether the right operands are constants.
        kept: whether before(x) is a result, too.
    """

    batch: tuple[int, ...]
    sizes: tuple[int, int, int]
    before: str = "none"
    after: str = "none"
    products: int = 1
    element: str = "f32"
    batched: bool = False
    transposed: bool = False
    constant: bool = False
    kept: bool = False

    @property
    def shapes(self) -> list[tuple[int, ...]]:
        """Those of x, the bias, and the right operands."""
        rows, terms, columns = self.sizes
        matrix = (columns, terms) if self.transposed else (terms, columns)
        right = (*self.batch, *matrix) if self.batched else matrix
        return [(*self.batch, rows, terms), (columns,), *[right] * self.products]

    def arrays(self, seed: int = 0) -> list[Array]:
        rng = np.random.default_rng([seed, *self.sizes, prod(self.batch)])
        dtype = np.float32 if self.element == "f32" else np.float64
        return [rng.standard_normal(shape).astype(dtype) for shape in self.shapes]

    def given(self, arrays: list[Array]) -> list[Array]:
        """The arguments: without constants."""
        return arrays[:2] if self.constant else arrays

    def text(self, *, inside: bool = False) -> str:
        """The program, or with the ops inside of a subgraph."""
        names = ["x", "b", *(f"w{i}" for i in range(self.products))]
        types = [tensor(shape, self.element) for shape in self.shapes]
        rows, _, columns = self.sizes
        result = tensor(shape := (*self.batch, rows, columns), self.element)
        lines = ROWS[self.before].lines("x", "p", self.shapes[0], self.element)
        left = "p" if lines else "x"
        turned = " {transpose_b}" if self.transposed else ""
        results: list[str] = []
        for i, w in enumerate(names[2:]):
            operands = f"({types[0]}, {types[2]})"
            lines.append(f"%m{i} = snippets.matmul %{left}, %{w}{turned} : {operands} -> {result}")
            lines.append(f"%s{i} = snippets.add %m{i}, %b : ({result}, {types[1]}) -> {result}")
            after = ROWS[self.after].lines(f"s{i}", f"y{i}", shape, self.element)
            results.append(f"%y{i}" if after else f"%s{i}")
            lines += after
        results += [f"%{left}"] if self.kept else []
        made = [result] * self.products + types[:1] * self.kept
        outputs = ", ".join(made)
        if inside:
            given = ", ".join(f"%{n} = %{n}_0" for n in names)
            head = f"%r:{len(made)} = snippets.subgraph ({given}) : ({', '.join(types)})"
            head += f" -> ({outputs}) {{"
            lines = [head, *lines, f"snippets.yield {', '.join(results)} : {outputs}", "}"]
            results = [f"%r#{i}" for i in range(len(made))]
            if len(made) == 1:
                lines[0] = lines[0].replace("%r:1", "%r").replace(f"({outputs})", outputs)
                results = ["%r"]
        suffix = "_0" if inside else ""
        fed = 2 if self.constant else len(names)
        fields = zip(names[:fed], types[:fed], strict=True)
        arguments = ", ".join(f"%{n}{suffix}: {t}" for n, t in fields)
        constants = [
            f'%{n}{suffix} = snippets.constant dense<"0x{a.tobytes().hex()}"> : {t}'
            for n, a, t in zip(names[fed:], self.arrays()[fed:], types[fed:], strict=True)
        ]
        end = f"func.return {', '.join(results)} : {outputs}"
        body = "\n  ".join([*constants, *lines, end])
        return f"func.func @main({arguments}) -> ({outputs}) {{\n  {body}\n}}"

    def expected(self, arrays: list[Array]) -> list[Array]:
        x, b, *rights = (array.astype(np.float64) for array in arrays)
        with np.errstate(all="ignore"):
            left = ROWS[self.before].value(x)
            rights = [w.swapaxes(-1, -2) if self.transposed else w for w in rights]
            results = [ROWS[self.after].value(np.asarray(left @ w + b)) for w in rights]
        return [*results, left] if self.kept else results
