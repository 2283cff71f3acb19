"""Turn each subgraph into a `lir.kernel`, and replace it on the host by a `lir.call`.

    %r = snippets.subgraph (%a = %x) : (tensor<4x8xf32>) -> tensor<4x8xf32> {
      %0 = snippets.relu %a : tensor<4x8xf32>
      snippets.yield %0 : tensor<4x8xf32>
    }

becomes

    %r = lir.call @subgraph_0(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32>
    ...
    lir.kernel @subgraph_0 "linear" (%a: tensor<4x8xf32>) -> tensor<4x8xf32> {
      %0 = snippets.relu %a {lir.loops = array<i64>,
          lir.ports = [#lir.port<[4, 8]>, #lir.port<[4, 8]>]} : tensor<4x8xf32>
      lir.result %0 {index = 0 : i64, lir.ports = [#lir.port<[4, 8]>]} : tensor<4x8xf32>
    }

Port shapes are padded in front with 1 to the kernel's rank (at least 1). A `snippets.reshape` or
`snippets.transpose` of an input stays as a view: the port of its reader has the view's shape, and
the order of its dims in memory. For a `snippets.slice` of an input, the port has the strides; so do
the ports of a `snippets.gather`'s or `snippets.dynamic_slice`'s operands, in their own dims. A
transpose of a result beside a product is also a view: the port of `lir.result` has the kernel's
dims, and their order in memory as its layout. Subgraphs of equal structure share one kernel. A
directly yielded input or scalar becomes a `snippets.broadcast` to its own shape: a copy. The
operands of a `snippets.concat` become parts of an output: each is a `lir.part`, and one
`lir.result` takes all. The subgraph's string attribute `sym_name`, if it has one, is the name of
the kernel. A `program.node` around the subgraph gets the kernel's name in its `impl`. A matrix
product becomes a `lir.brgemm`, and the ops beside it get its dims (`product_space.py`).

Refuses ops outside of the forms K1 to K10 of `analysis/graph/lowerable.py`, with an error that
names the op.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import FunctionType, ModuleOp, StringAttr
from xdsl.ir import Block, BlockArgument, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from snippets_mlir.analysis.graph.lowerable import why_not_in_kernel
from snippets_mlir.dialects.builtin.shaped import tensor_of
from snippets_mlir.dialects.lir.access import is_view, set_loop_ids, set_ports
from snippets_mlir.dialects.lir.call import CallOp
from snippets_mlir.dialects.lir.kernel import KernelOp
from snippets_mlir.dialects.lir.memory import ResultOp
from snippets_mlir.dialects.program.node import NodeOp
from snippets_mlir.dialects.snippets.concatenation import ConcatOp
from snippets_mlir.dialects.snippets.constants import ConstantOp
from snippets_mlir.dialects.snippets.gathering import PlacesOp
from snippets_mlir.dialects.snippets.subgraph import SubgraphOp, YieldOp
from snippets_mlir.passes.base import Form, Pass, Stages
from snippets_mlir.passes.effects import REASSOCIATES, Effect
from snippets_mlir.passes.program.kernel_bodies import (
    copy_what_is_not_computed,
    scan_along_axes,
    see_apart,
)
from snippets_mlir.passes.program.kernel_parts import result_of_parts
from snippets_mlir.passes.program.kernel_ports import (
    descriptor,
    output_port,
    planar,
    ports_at_places,
)
from snippets_mlir.passes.program.product_space import to_product_space
from snippets_mlir.support.attribute_names import REASON
from snippets_mlir.support.diagnostics import position_of
from snippets_mlir.support.errors import CompileError
from snippets_mlir.targets.attributes import TARGET, machine_of


def _in_kernel_space(block: Block) -> Iterator[SSAValue]:
    """The values that ops compute with: not the arrays under views."""
    for op in block.ops:
        if isinstance(op, PlacesOp):
            yield op.results[0]  # its operands have dims of their own
        elif not (is_view(op) or isinstance(op, YieldOp)):
            yield from (*op.operands, *op.results)


def _rank(block: Block) -> int:
    ranks = [tensor_of(value).get_num_dims() for value in _in_kernel_space(block)]
    return max(1, *ranks) if ranks else 1


@dataclass
class _Kernels:
    """The kernels made so far, with their names, and by structure."""

    names: set[str]
    by_structure: dict[tuple[object, ...], list[KernelOp]]

    def fresh_name(self, wanted: str | None) -> str:
        """A free symbol name: `wanted`, or `subgraph_N`."""
        if wanted is not None and wanted not in self.names:
            self.names.add(wanted)
            return wanted
        stem = wanted or "subgraph"
        number = 0 if wanted is None else 1
        while f"{stem}_{number}" in self.names:
            number += 1
        self.names.add(name := f"{stem}_{number}")
        return name

    def share(self, kernel: KernelOp) -> KernelOp:
        """An earlier kernel of equal structure, or `kernel` itself."""
        key = (kernel.function_type, *(op.name for op in kernel.block.ops))
        known = self.by_structure.setdefault(key, [])
        for other in known:
            if other.body.is_structurally_equivalent(kernel.body):
                return other
        known.append(kernel)
        return kernel


def _constant_inputs(subgraph: SubgraphOp) -> list[BlockArgument]:
    """The arguments for constants that only this subgraph reads."""
    return [
        argument
        for value, argument in zip(subgraph.inputs, subgraph.block.args, strict=True)
        if isinstance(value.owner, ConstantOp) and value.has_one_use()
    ]


def _first_of_equals(subgraphs: Iterable[SubgraphOp]) -> dict[SubgraphOp, SubgraphOp]:
    """For each subgraph the first one of equal structure, maybe itself; they share a kernel."""
    known = dict[tuple[object, ...], list[SubgraphOp]]()
    firsts = dict[SubgraphOp, SubgraphOp]()
    for subgraph in subgraphs:
        constants = tuple(argument.index for argument in _constant_inputs(subgraph))
        types = tuple(v.type for v in (*subgraph.inputs, *subgraph.outputs))
        alike = known.setdefault((constants, types, *(o.name for o in subgraph.block.ops)), [])
        equals = (o for o in alike if o.body.is_structurally_equivalent(subgraph.body))
        firsts[subgraph] = first = next(equals, subgraph)
        if first is subgraph:
            alike.append(subgraph)
    return firsts


def _make_kernel(subgraph: SubgraphOp, *, unfused: bool) -> KernelOp:
    """A nameless kernel that takes over the subgraph's body.

    `unfused`: the target has no fused multiply-add.
    """
    inputs = [v.type for v in subgraph.inputs]
    outputs = [v.type for v in subgraph.outputs]
    constants = _constant_inputs(subgraph)
    body = subgraph.detach_region(subgraph.body)
    terminator = body.block.last_op
    assert isinstance(terminator, YieldOp)
    to_product_space(body.block, unfused=unfused, constants=constants)
    scan_along_axes(body.block)
    see_apart(body.block)
    copy_what_is_not_computed(terminator)
    rank = _rank(body.block)
    for op in body.block.ops:
        if op is terminator:
            break
        op.attributes.pop("snippets.reason", None)
        values = (*op.operands, *op.results)
        set_loop_ids(op, ())
        if isinstance(op, PlacesOp):
            set_ports(op, ports_at_places(op, rank))
        else:
            set_ports(op, [planar(v) if is_view(op) else descriptor(v, rank) for v in values])
    for index, value in enumerate(terminator.values):
        if isinstance(value.owner, ConcatOp):
            result = result_of_parts(value.owner, index, rank, terminator)
        else:
            result = ResultOp([value], index)
            set_ports(result, [output_port(value, rank)])
        body.block.insert_op_before(result, terminator)
    body.block.erase_op(terminator)
    for op in reversed(list(body.block.ops)):
        if isinstance(op, ConcatOp):
            body.block.erase_op(op)
    return KernelOp("", FunctionType.from_lists(inputs, outputs), "linear", body)


def _call(subgraph: SubgraphOp, kernel: KernelOp) -> None:
    """Call `kernel` in the subgraph's place."""
    symbol = kernel.sym_name.data
    call = CallOp(symbol, list(subgraph.inputs), [v.type for v in subgraph.outputs])
    call.location = subgraph.location
    if (reason := subgraph.attributes.get(REASON)) is not None:
        call.attributes[REASON] = reason
    node = subgraph.parent_op()
    Rewriter.replace_op(subgraph, call)
    if isinstance(node, NodeOp) and node.how is not None:
        node.set_impl(replace(node.how, symbol=symbol))


@dataclass(frozen=True)
class ConvertSnippetsToLirPass(Pass):
    """Turn each subgraph into a kernel of the linear IR and a call of it."""

    name = "convert-snippets-to-lir"
    FORM: ClassVar[Form] = "conversion"
    STAGES: ClassVar[Stages] = Stages(("subgraphs",), "linear")
    EFFECT: ClassVar[Effect] = REASSOCIATES  # a product adds in the order of its loop from here on

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Convert every `snippets.subgraph` of the module."""
        unfused = TARGET in op.attributes and not machine_of(op).fma
        names = {
            s.data for o in op.ops if isinstance(s := o.properties.get("sym_name"), StringAttr)
        }
        kernels = _Kernels(names, {})
        firsts = _first_of_equals(o for o in op.walk() if isinstance(o, SubgraphOp))
        for first in dict.fromkeys(firsts.values()):
            for inner in first.block.ops:
                if (reason := why_not_in_kernel(inner)) is not None:
                    raise CompileError(reason, **position_of(inner))
        end = InsertPoint.at_end(op.body.block)
        made = dict[SubgraphOp, KernelOp]()
        for subgraph, first in firsts.items():
            if subgraph is first:
                fresh = _make_kernel(subgraph, unfused=unfused)
                made[first] = kernel = kernels.share(fresh)
                if kernel is fresh:
                    wanted = subgraph.attributes.get("sym_name")
                    name = wanted.data if isinstance(wanted, StringAttr) else None
                    kernel.properties["sym_name"] = StringAttr(kernels.fresh_name(name))
                    kernel.location = subgraph.location
                    Rewriter.insert_op(kernel, end)
            _call(subgraph, made[first])
