"""Find the layouts of a subgraph's inputs by the rules of the guide's Canonicalization."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.ir import Block, Operation

from snippets_mlir.dialects.builtin.dims import Shape
from snippets_mlir.dialects.builtin.shaped import shape_of
from snippets_mlir.dialects.snippets.conversion import ReshapeOp
from snippets_mlir.dialects.snippets.shapes import format_shape
from snippets_mlir.dialects.snippets.subgraph import SubgraphOp
from snippets_mlir.dialects.snippets.whole_tensor import WholeTensorOp
from snippets_mlir.passes.graph.canonicalize.boundary import KEEP, check_length
from snippets_mlir.passes.graph.canonicalize.layouts import Layout, parse_layout
from snippets_mlir.support.diagnostics import position_of
from snippets_mlir.support.errors import CompileError


@dataclass(frozen=True)
class Plan:
    """The base (None: layouts stay), and the layout of each input (None: planar, unnamed)."""

    base: Layout | None = None
    layouts: tuple[Layout | None, ...] = ()


def _parsed(subgraph: SubgraphOp, name: str, rank: int) -> Layout | None:
    if name == KEEP:
        return None
    layout = parse_layout(name)
    if layout is None:
        raise CompileError(
            f"expected a layout such as NCHW or NCHW16c, or {KEEP}, found '{name}'",
            **position_of(subgraph),
        )
    if len(layout.letters) != rank:
        raise CompileError(
            f"layout {name} has {len(layout.letters)} axes, its input has rank {rank}",
            **position_of(subgraph),
        )
    return layout


def _counts_dims(block: Block) -> Operation | None:
    """The first op that depends on the places of dims."""
    return next((op for op in block.ops if isinstance(op, WholeTensorOp | ReshapeOp)), None)


def plan_of(subgraph: SubgraphOp, names: tuple[str, ...]) -> Plan:
    """The layouts of the inputs; CompileError if they do not fit."""
    if not names:
        return Plan()
    where = position_of(subgraph)
    check_length(subgraph, "layouts", len(names), len(subgraph.inputs))
    shapes = [shape_of(value) for value in subgraph.inputs]
    layouts = tuple(
        _parsed(subgraph, name, len(shape)) for name, shape in zip(names, shapes, strict=True)
    )
    known = [layout for layout in layouts if layout is not None]
    if not known:
        return Plan()
    base = max(known, key=lambda layout: (layout.rank, layout.blocked))
    for layout in known:
        if layout.blocked and layout != base:
            raise CompileError(
                f"blocked inputs need the layout of the highest rank, {base.name}; "
                f"found {layout.name}",
                **where,
            )
        if layout.rank == base.rank and layout != base:
            raise CompileError(
                f"layout {layout.name} has the rank of {base.name} but differs from it", **where
            )
    for layout, shape in zip(layouts, shapes, strict=True):
        _check_shape(subgraph, layout, base, shape)
    if (counting := _counts_dims(subgraph.block)) is None:
        return Plan(base, layouts)
    if not base.blocked:
        return Plan()
    raise CompileError(
        f"{counting.name} counts the dims of its operand, which {base.name} changes; "
        "give this subgraph planar layouts",
        **position_of(counting),
    )


def _check_shape(subgraph: SubgraphOp, layout: Layout | None, base: Layout, shape: Shape) -> None:
    """CompileError if the shape of an input does not fit the base."""
    where = position_of(subgraph)
    if len(shape) > len(base.letters):
        raise CompileError(
            f"an input of rank {len(shape)} has more axes than {base.name}; give it a layout",
            **where,
        )
    if base.axis is None:
        return
    size, letter = base.axis_size(shape), base.letters[base.axis]
    if layout == base and size == 1:
        raise CompileError(
            f"axis {letter} of an input with layout {base.name} has size 1, which a block would "
            f"pad; use the planar layout {base.letters}",
            **where,
        )
    if layout != base and size != 1:
        raise CompileError(
            f"axis {letter} of a planar input has size {format_shape((size,))}, expected 1 beside "
            f"{base.name}; give it the layout {base.name}",
            **where,
        )
