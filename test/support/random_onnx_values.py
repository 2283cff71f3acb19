"""The values of a random ONNX model while it grows, and what its nodes may read of them."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import helper

Array = NDArray[Any]
DTYPES = [np.float32] * 8 + [
    np.float64,
    np.float16,
    np.int32,
    np.int64,
    np.uint8,
    np.int8,
    np.bool_,
]


class Values:
    """The values of a graph that grows, known by their arrays.

    Attributes:
        arrays: of all values that nodes may read.
        opset: of the operators.
        random: what decides.
    """

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.seed = seed
        self.opset = self.random.choice(
            [7, 9, 10, 11, 12, 13, 13, 14, 15, 16, 17, 17, 18, 19, 20, 21, 22, 23]
        )
        self.numbers: Any = np.random.default_rng(seed)
        self.arrays: dict[str, Array] = {}
        self.weights: dict[str, Array] = {}
        self.nodes: list[onnx.NodeProto] = []
        self.inputs: dict[str, list[int | str]] = {}
        self.rounded: set[str] = set()
        self.scale: dict[str, float] = {}
        self._new_weights: dict[str, Array] = {}
        self._hidden: set[str] = set()
        self._count = 0
        self.sizes = {
            "n": self.random.choice([1, 2, 3, 5, 8]),
            "m": self.random.choice([1, 4, 17, 33]),
        }
        dynamic = self.random.random() < 0.7
        shapes: list[list[int | str]] = [
            ["n", "m"],
            ["n", 4, "m"],
            ["m"],
            [2, "m"],
            ["n", 2, 3, "m"],
            [],
            [1, "m"],
            ["n", 1],
            [3, 16],
        ]
        main = self.random.choice(shapes)
        for i in range(self.random.randint(1, 3)):
            dims = main if self.random.random() < 0.6 else self.random.choice(shapes)
            if not dynamic:
                dims = [self.sizes.get(str(d), d) for d in dims]
            dtype = np.dtype(self.random.choice(DTYPES))
            self._input(f"x{i}", dims, dtype)
        if self.random.random() < 0.05:
            self.inputs["text"] = ["n"]
            self.arrays["text"] = np.array([f"a{i}" for i in range(self.sizes["n"])], object)

    def _input(self, name: str, dims: list[int | str], dtype: np.dtype[Any]) -> None:
        self.inputs[name] = dims
        shape = [self.sizes[d] if isinstance(d, str) else d for d in dims]
        self.arrays[name] = self.random_array(shape, dtype)

    def random_array(self, shape: Any, dtype: Any) -> Array:
        """Quarters, small integers or truth values, with a few zeros of both signs."""
        if np.dtype(dtype).kind == "b":
            return self.numbers.random(shape) < 0.5
        low = 0 if np.dtype(dtype).kind == "u" else -8
        found: Array = self.numbers.integers(low, 9, shape)
        if np.dtype(dtype).kind == "f":
            found = np.where(
                found == 0, np.copysign(0.0, self.numbers.random(shape) - 0.5), found / 4
            )
        return np.asarray(found, dtype)

    def feeds(self, sizes: dict[str, int], *, special: bool = False) -> dict[str, Array]:
        """Arrays for the inputs, of other sizes."""
        found: dict[str, Array] = {}
        for name, dims in self.inputs.items():
            shape = [sizes[d] if isinstance(d, str) else d for d in dims]
            if self.arrays[name].dtype.kind == "O":
                found[name] = np.array([f"b{i}" for i in range(shape[0])], object)
                continue
            found[name] = np.asarray(self.random_array(shape, self.arrays[name].dtype))
            if special and found[name].dtype.kind == "f" and found[name].size:
                flat = found[name].reshape(-1)
                for value in (np.nan, np.inf, -np.inf):
                    flat[self.numbers.integers(flat.size)] = value
        return found

    def fresh(self) -> str:
        self._count += 1
        return f"v{self._count}"

    def node(
        self,
        kind: str,
        inputs: list[str],
        outputs: int = 1,
        *,
        hidden: bool = False,
        **attributes: Any,
    ) -> onnx.NodeProto:
        names = [self.fresh() for _ in range(outputs)]
        if hidden:
            self._hidden.update(names)
        return helper.make_node(kind, inputs, names, name=f"n{self._count}", **attributes)

    def weight(self, array: Array) -> str:
        """An initializer, or the same one as before."""
        array = np.asarray(array)
        for name, known in self.weights.items():
            if (
                known.dtype == array.dtype
                and known.shape == array.shape
                and self.random.random() < 0.3
            ):
                if np.array_equal(known, array):
                    return name
        name = f"w{len(self.weights) + len(self._new_weights)}"
        self._new_weights[name] = array
        return name

    def some(self, given: dict[str, Any]) -> dict[str, Any]:
        """These attributes, or their defaults."""
        return given if self.random.random() < 0.6 else {}

    def pick(self, *, floats: bool = False) -> str:
        names = [n for n, a in self.arrays.items() if a.dtype.kind not in "OUS"]
        if floats:
            names = [n for n in names if self.arrays[n].dtype.kind == "f"] or names
        return self.random.choice(names[-6:] if self.random.random() < 0.8 else names)

    def like(self, x: str) -> str:
        """A value of the same type and shape."""
        a = self.arrays[x]
        names = [n for n, b in self.arrays.items() if b.dtype == a.dtype and b.shape == a.shape]
        return self.random.choice(names)

    def partner(self, x: str) -> str:
        """A value or a constant of the same type, which broadcasts to `x` or is its like."""
        a = self.arrays[x]
        if self.random.random() < 0.4:
            names = [n for n, b in self.arrays.items() if b.dtype == a.dtype]
            return self.random.choice(names)
        if self.random.random() < 0.4:
            return self.like(x)
        shapes = [
            (),
            (1,),
            a.shape[-1:],
            a.shape,
            [1] * a.ndim,
            [2, *[1] * a.ndim],
            [d if self.random.random() < 0.5 else 1 for d in a.shape],
        ]
        return self.weight(self.random_array(self.random.choice(shapes), a.dtype))

    def axis(self, x: str) -> int:
        rank = max(1, self.arrays[x].ndim)
        return self.random.randrange(-rank, rank)

    def axes(self, x: str) -> list[int]:
        rank = self.arrays[x].ndim
        some = self.random.sample(range(rank), self.random.randint(0, rank))
        return [a - self.random.choice([0, rank]) for a in some]

    def with_axes(self, kind: str, x: str, axes: list[int] | None) -> onnx.NodeProto:
        if axes is None:
            return self.node(kind, [x])
        if self.opset < 13:
            return self.node(kind, [x], axes=axes)
        return self.node(kind, [x, self.weight(np.array(axes, np.int64))])
