"""A builder for passes on existing loops: without tables, with the classes of our dialects."""

from __future__ import annotations

from functools import cache

from xdsl.context import Context
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr
from xdsl.ir import Block

from snippets_mlir.targets.emitters.vector_builder import VectorBuilder


@cache
def _context() -> Context:
    from snippets_mlir.dialects.arith import Arith
    from snippets_mlir.dialects.llvm import LLVM

    ctx = Context()
    for dialect in (Arith, LLVM):
        ctx.load_dialect(dialect)
    return ctx


def _no_tables(_: DenseIntOrFPElementsAttr) -> str:
    raise AssertionError("loops that exist need no tables")


def plain_builder(entry: Block) -> VectorBuilder:
    """Starts in `entry`, where its constants go."""
    return VectorBuilder(_context(), entry, _no_tables)
