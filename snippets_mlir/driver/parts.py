"""What a lowered module is made of: its manifest, its constants, what needs an executor.

The host function is cut into units here; a `program.graph` says all of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import cast

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation, SSAValue

from snippets_mlir.dialects.program.graph import GraphOp
from snippets_mlir.dialects.program.host import Entry
from snippets_mlir.emit.host import function_of, is_constant, is_opaque, units_of
from snippets_mlir.emit.manifest import build_manifest
from snippets_mlir.emit.opaque_regions import build_regions, own_constants
from snippets_mlir.emit.program_manifest import (
    build_program_manifest,
    constant_of_data,
    constants_of,
    executed_nodes,
    function_of_node,
)
from snippets_mlir.runtime.manifest import Manifest


@dataclass(frozen=True)
class Executed:
    """What an `execute` step computes.

    Attributes:
        function: the function, given what is known of types beyond the text.
        writes: its results, as values of the program.
    """

    function: Callable[[Mapping[SSAValue, Attribute]], FuncOp]
    writes: Sequence[SSAValue]


@dataclass(frozen=True)
class Parts:
    """What a lowered module is made of.

    Attributes:
        manifest: without text and data.
        constants: constant ops, in the order of the manifest.
        executed: what its `execute` steps compute, in their order.
    """

    manifest: Manifest
    constants: tuple[Operation, ...]
    executed: tuple[Executed, ...]


def parts_of(module: ModuleOp, entry: Entry) -> Parts:
    """The parts of a lowered module; constants that engines share are copied in a function."""
    if isinstance(entry, GraphOp):
        return Parts(
            cast("Manifest", build_program_manifest(module, entry, with_text=False)),
            tuple(constant_of_data(op) for op in constants_of(entry)),
            tuple(
                Executed(partial(function_of_node, "region", node), node.outputs)
                for node in executed_nodes(entry)
            ),
        )
    own_constants(entry)
    units = units_of(entry, build_regions(entry))
    name = entry.sym_name.data
    return Parts(
        cast("Manifest", build_manifest(module, entry=name, units=units, with_text=False)),
        tuple(unit.ops[0] for unit in units if all(is_constant(op) for op in unit.ops)),
        tuple(
            Executed(partial(function_of, "region", unit), unit.writes)
            for unit in units
            if any(is_opaque(op) for op in unit.ops)
        ),
    )
