"""Checks of axes and of constant indices.

Gather<axis = 1>(x: [n, 3], i: [0, 3])     an index of 'i' is beyond the 3 places of axis 1
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

from snippets_mlir.frontends.onnx.shapes.dims import Size
from snippets_mlir.frontends.onnx.shapes.types import Shape
from snippets_mlir.frontends.onnx.shapes.view import NodeView

Misfits: TypeAlias = Iterator[str]
Check: TypeAlias = Callable[[NodeView], Misfits]


def differ(a: Size | None, b: Size | None) -> bool:
    """Whether two known sizes differ."""
    return isinstance(a, int) and isinstance(b, int) and a != b


def input_shape(node: NodeView, index: int) -> Shape | None:
    """The shape of an input, None if it is left out or unknown."""
    return node.type(index).shape if node.has(index) else None


def spelt(shape: Shape) -> str:
    """A shape for messages."""
    return "x".join(str(s) if isinstance(s, int) else "?" for s in shape) or "a scalar"


def indices(node: NodeView) -> Misfits:
    """Constant indices into the dim `axis`."""
    x, axis, places = input_shape(node, 0), node.integer("axis"), node.integers_of(1)
    if x is None or not places or not -len(x) <= axis < len(x):
        return
    if isinstance(size := x[axis], int) and not all(-size <= place < size for place in places):
        yield f"an index of '{node.inputs[1]}' is beyond the {size} places of axis {axis}"


def by_elements(node: NodeView) -> Misfits:
    """Indices for elements: as many dims as the data, and no more places in the others."""
    x, places, axis = input_shape(node, 0), input_shape(node, 1), node.integer("axis")
    yield from axis_fits(node, axis)
    yield from indices(node)
    if x is None or places is None or len(x) != len(places):
        return
    for dim, (size, count) in enumerate(zip(x, places, strict=True)):
        if dim != axis % len(x) and isinstance(size, int) and isinstance(count, int):
            if count > size:
                name = node.inputs[1]
                yield f"'{name}': expected at most {size} places of dim {dim}, found {count}"


def by_rows(node: NodeView) -> Misfits:
    """Indices of GatherND and ScatterND: their last dim is a place in the first dims."""
    x, places, rows = input_shape(node, 0), input_shape(node, 1), node.integers_of(1)
    batch = node.integer("batch_dims")
    if x is None or not places or not isinstance(width := places[-1], int) or width < 1:
        return
    if batch < 0:
        return
    if batch + width > len(x):
        yield f"'{node.inputs[1]}' has places in {width} dims, '{node.inputs[0]}' has {len(x)}"
        return
    for at in range(width):
        size = x[batch + at]
        if rows and isinstance(size, int) and not all(-size <= r < size for r in rows[at::width]):
            yield f"an index of '{node.inputs[1]}' is beyond the {size} places of dim {batch + at}"
    updates = input_shape(node, 2)
    wanted = (*places[:-1], *x[width:])
    if node.op_type == "ScatterND" and updates is not None:
        if len(updates) != len(wanted) or any(map(differ, updates, wanted)):
            yield f"'{node.inputs[2]}': expected {spelt(wanted)}, found {spelt(updates)}"


def axis_attribute(default: int) -> Check:
    """The attribute `axis` is a dim of the first input."""
    return lambda node: axis_fits(node, node.integer("axis", default))


def axis_fits(node: NodeView, axis: int) -> Misfits:
    """`axis` is a dim of the first input."""
    x = input_shape(node, 0)
    if x is not None and not -max(len(x), 1) <= axis < max(len(x), 1):
        yield f"axis {axis} is no dim of '{node.inputs[0]}', whose rank is {len(x)}"


def axis_input(node: NodeView) -> Misfits:
    """The axis in the second input is a dim of the first one."""
    for axis in (node.integers_of(1) or [])[:1]:
        yield from axis_fits(node, axis)
