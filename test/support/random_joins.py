# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownVariableType=false
"""Random programs that join tensors along dims, with what NumPy makes of the same arrays."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import numpy as np
from runnable import HOST

ELEMENTS: dict[str, Any] = {
    "f32": np.float32,
    "f64": np.float64,
    "f16": np.float16,
    "i8": np.int8,
    "i16": np.int16,
    "i32": np.int32,
    "i64": np.int64,
    "ui8": np.uint8,
    "ui16": np.uint16,
    "ui32": np.uint32,
    "i1": np.bool_,
}
COMPUTED = ("f32", "f64", "i32", "i64")
"""Types whose parts may be computed; the others are only moved."""


def tensor(shape: Sequence[Any], element: str) -> str:
    """The text of a tensor type."""
    return f"tensor<{''.join(f'{size}x' for size in shape)}{element}>"


class Program:
    """A random function of concats and pads, with what NumPy gives."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)
        self.numbers = np.random.default_rng(seed)
        self.element = self.draw.choice([*COMPUTED, *ELEMENTS])
        self.rank = self.draw.randint(1, 4)
        self.arguments: list[str] = []
        self.arrays: list[Any] = []
        self.lines: list[str] = []

    def size(self) -> int:
        """A size of a dim."""
        lanes = HOST.lanes
        return self.draw.choice([1, 1, 2, 3, 5, lanes - 1, lanes, lanes + 1, 2 * lanes + 3])

    def name(self) -> str:
        """A name for the next value."""
        return f"%v{len(self.lines)}"

    def array(self, shape: Sequence[int]) -> tuple[str, Any]:
        """An argument of random bits, NaN with payloads included."""
        dtype = np.dtype(ELEMENTS[self.element])
        bits = self.numbers.integers(0, 256, (*shape, dtype.itemsize), np.uint8)
        array = (bits[..., 0] & 1).astype(bool) if dtype == np.bool_ else bits.view(dtype)[..., 0]
        self.arguments.append(f"%x{len(self.arrays)}: {tensor(shape, self.element)}")
        self.arrays.append(np.ascontiguousarray(array).reshape(shape))
        return f"%x{len(self.arrays) - 1}", self.arrays[-1]

    def part(self, shape: Sequence[int], depth: int) -> tuple[str, Any]:
        """A value of this shape: an argument, a view, something computed, or joined."""
        kinds = ["array", "slice", "computed", "repeated", "joined", "transposed"]
        kind = self.draw.choice(kinds)
        type_ = tensor(shape, self.element)
        if kind == "slice" and 0 not in shape:
            whole = [2 * size + 1 for size in shape]
            source, x = self.array(whole)
            steps = [self.draw.choice([1, 2, -1]) for _ in shape]
            starts = [
                size - 1 if step < 0 else 1 if step == 2 else 0
                for size, step in zip(shape, steps, strict=True)
            ]
            name = self.name()
            self.lines.append(
                f"{name} = snippets.slice {source} {{starts = array<i64: "
                f"{', '.join(map(str, starts))}>, steps = array<i64: "
                f"{', '.join(map(str, steps))}>}} : ({tensor(whole, self.element)}) -> {type_}"
            )
            rows = zip(starts, steps, shape, strict=True)
            return name, x[np.ix_(*(start + step * np.arange(n) for start, step, n in rows))]
        if kind == "computed" and self.element in COMPUTED:
            source, x = self.array(shape)
            name = self.name()
            self.lines.append(f"{name} = snippets.negative {source} : {type_}")
            with np.errstate(all="ignore"):
                return name, -x
        if kind == "repeated":
            small = [self.draw.choice([1, size]) if size else size for size in shape]
            source, x = self.array(small)
            name = self.name()
            self.lines.append(
                f"{name} = snippets.broadcast {source} : ({tensor(small, self.element)}) -> {type_}"
            )
            return name, np.broadcast_to(x, shape)
        if kind == "transposed":
            return self.transposed(shape)
        if kind == "joined" and depth and max(shape) > 1:
            axis = self.draw.choice([d for d, size in enumerate(shape) if size > 1])
            cut = self.draw.randint(1, shape[axis] - 1)
            sizes = [(*shape[:axis], n, *shape[axis + 1 :]) for n in (cut, shape[axis] - cut)]
            return self.concat([self.part(size, depth - 1) for size in sizes], axis)
        return self.array(shape)

    def transposed(self, shape: Sequence[int]) -> tuple[str, Any]:
        """A value of this shape, whose operand has its dims in another order."""
        order = [*range(len(shape))]
        kept = order[-1:] if self.draw.random() < 0.7 else []
        order = order[: len(order) - len(kept)]
        self.draw.shuffle(order)
        order += kept
        source, x = self.part([shape[order.index(d)] for d in range(len(shape))], 0)
        name = self.name()
        self.lines.append(
            f"{name} = snippets.transpose {source} {{permutation = array<i64: "
            f"{', '.join(map(str, order))}>}} : ({tensor(x.shape, self.element)}) -> "
            f"{tensor(shape, self.element)}"
        )
        return name, x.transpose(order)

    def concat(self, parts: Sequence[tuple[str, Any]], axis: int) -> tuple[str, Any]:
        """The parts, one after the other."""
        result = np.concatenate([array for _, array in parts], axis)
        name = self.name()
        types = ", ".join(tensor(array.shape, self.element) for _, array in parts)
        self.lines.append(
            f"{name} = snippets.concat {', '.join(part for part, _ in parts)} "
            f"{{axis = {axis} : i64}} : ({types}) -> {tensor(result.shape, self.element)}"
        )
        return name, result

    def padded(self, part: tuple[str, Any]) -> tuple[str, Any]:
        """The part with a scalar argument around it."""
        value, v = self.array(())
        source, x = part
        amounts = [(self.draw.choice([0, 1, 3]), self.draw.choice([0, 2])) for _ in x.shape]
        result = np.full([low + n + high for n, (low, high) in zip(x.shape, amounts)], v, x.dtype)
        result[tuple(slice(low, low + n) for n, (low, _) in zip(x.shape, amounts))] = x
        lows, highs = (", ".join(map(str, side)) for side in zip(*amounts))
        name = self.name()
        self.lines.append(
            f"{name} = snippets.pad {source}, {value} {{low = array<i64: {lows}>, high = "
            f"array<i64: {highs}>}} : ({tensor(x.shape, self.element)}, "
            f"{tensor((), self.element)}) -> {tensor(result.shape, self.element)}"
        )
        return name, result

    def whole(self) -> tuple[str, Any]:
        """The text of the function, and its result."""
        axis = self.draw.randrange(self.rank)
        shape = [self.size() if d >= self.rank - 2 else self.draw.randint(1, 3) for d in range(4)]
        shape = shape[: self.rank]
        parts: list[tuple[str, Any]] = []
        for _ in range(self.draw.randint(2, 4)):
            shape[axis] = self.draw.choice([0, self.size(), self.size(), self.size()])
            parts.append(self.part(tuple(shape), 2))
        value, result = self.concat(parts, axis)
        if self.draw.random() < 0.4:
            value, result = self.padded((value, result))
        type_ = tensor(result.shape, self.element)
        body = "\n  ".join(self.lines)
        arguments = ", ".join(self.arguments)
        body += f"\n  func.return {value} : {type_}"
        return f"func.func @f({arguments}) -> {type_} {{\n  {body}\n}}", result


def same_bits(found: Any, wanted: Any) -> None:
    """Both arrays have equal bits."""
    wanted = np.ascontiguousarray(wanted)
    assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape)
    np.testing.assert_array_equal(
        np.frombuffer(found.tobytes(), np.uint8), np.frombuffer(wanted.tobytes(), np.uint8)
    )
