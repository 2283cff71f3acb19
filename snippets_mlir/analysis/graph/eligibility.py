"""The ops that can go into a kernel, and the reasons why other ops cannot.

* E1: the op is a computing op of the `snippets` dialect other than a reshape, squeeze or unsqueeze,
  which is a view beside the kernels;
* E2: it has no attribute `snippets.skipped`;
* E3: kernels compute its element types (`SUPPORTED_ELEMENTS`). Ops that only move or convert
  elements may also have 16-bit floats and narrow integers (`STORED_ELEMENTS`).
  `snippets-extend-to-supported-types` converts other ops to supported types;
* E4: its rank is at most `MAX_RANK`;
* E5: its dynamic dims depend on a call: an input of the function has one. If all inputs are static,
  dynamic dims depend on data (such as the dims of the result of `onnx.node` "NonZero").
* E6: a matrix product has a form that the linear IR holds (`products.py`);
* E7: an op of a plug-in has code for its element type, or an expansion. A plug-in's reductions,
  normalizations and layout ops have neither: no pass decomposes them;
* E8: its class does not say why it has no kernel (`WholeTensorOp.WITHOUT_KERNEL`); a pass that
  could not decompose such an op gives its own reason;
* E9: the dims of a slice's operand are static;
* E10: the places of a gather are i32 or i64;
* E11: a cumulative op is inclusive and runs forward.

Otherwise dynamic dims are allowed: a program is specialised to the shapes of a call before it is
compiled. Ranks, the axes of reductions and the permutations of transposes are always known.
"""

from __future__ import annotations

from xdsl.dialects.builtin import (
    AnyFloat,
    IntegerType,
    ModuleOp,
    Signedness,
    StringAttr,
    TensorType,
    UnregisteredOp,
    bf16,
    f16,
    f32,
    f64,
    i1,
    i32,
    i64,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation
from xdsl.traits import ConstantLike, IsTerminator

from snippets_mlir.analysis.graph.lowerable import why_no_places, why_no_scan
from snippets_mlir.analysis.graph.products import why_no_kernel
from snippets_mlir.dialects.builtin.shaped import is_tensor, shape_of, tensor_of
from snippets_mlir.dialects.program.graph import GraphOp
from snippets_mlir.dialects.snippets.base import ComputeOp
from snippets_mlir.dialects.snippets.cumulative import CumulativeOp
from snippets_mlir.dialects.snippets.gathering import PlacesOp
from snippets_mlir.dialects.snippets.layout import is_view
from snippets_mlir.dialects.snippets.product import MatMulOp
from snippets_mlir.dialects.snippets.registry import record_of
from snippets_mlir.dialects.snippets.shapes import DYNAMIC, is_static
from snippets_mlir.dialects.snippets.slicing import SliceOp
from snippets_mlir.dialects.snippets.subgraph import SubgraphOp
from snippets_mlir.dialects.snippets.whole_tensor import WholeTensorOp
from snippets_mlir.support.attribute_names import REASON, SKIPPED

SUPPORTED_ELEMENTS: tuple[Attribute, ...] = (f32, f64, i1, i32, i64)
"""Elements that kernels compute."""
STORED_ELEMENTS: tuple[Attribute, ...] = (
    bf16,
    f16,
    *(IntegerType(width) for width in (8, 16)),
    *(IntegerType(width, Signedness.SIGNED) for width in (8, 16, 32, 64)),
    *(IntegerType(width, Signedness.UNSIGNED) for width in (8, 16, 32)),
)
"""Elements that kernels only load, move, convert and store."""
MAX_RANK = 8


def follows_from_data(op: Operation) -> bool:
    """Whether a shape of `op` is dynamic though the inputs of its function are static (E5)."""
    types: list[Attribute] = [v.type for v in (*op.operands, *op.results)]
    if all(is_static(shape_of(t)) for t in types if is_tensor(t)):
        return False
    function = op.parent_op()
    while function is not None and not isinstance(function, FuncOp | GraphOp):
        function = function.parent_op()
    return function is not None and all(
        is_tensor(t) and is_static(shape_of(t)) for t in function.body.blocks[0].arg_types
    )


def why_not(op: Operation) -> str | None:
    """Why `op` stays outside of kernels, or None when it can go into one.

    An op of another dialect may have its own reason, like ops of the ONNX front end.
    """
    own = op.attributes.get(REASON)
    if not isinstance(op, ComputeOp):
        if isinstance(own, StringAttr):
            return own.data
        name = op.op_name.data if isinstance(op, UnregisteredOp) else op.name
        if name == "onnx.node":
            return "no op of the snippets dialect stands for it"
        return f"{name} is not an op of the snippets dialect"
    if is_view(op):
        name = op.name.removeprefix("snippets.")
        article = "an" if name[0] in "aeiou" else "a"
        return f"{article} {name} moves no data: it is a view beside the kernels"
    if (skipped := op.attributes.get(SKIPPED)) is not None:
        return skipped.data if isinstance(skipped, StringAttr) else "it is marked snippets.skipped"
    record = record_of(op.name)
    stored = STORED_ELEMENTS if record is not None and record.moves else ()
    for value in (*op.operands, *op.results):
        type_ = tensor_of(value)
        if type_.element_type not in SUPPORTED_ELEMENTS and type_.element_type not in stored:
            known = ", ".join(str(e) for e in SUPPORTED_ELEMENTS)
            return f"there are no kernels for {type_.element_type} elements, only for {known}"
        if type_.get_num_dims() > MAX_RANK:
            return f"rank {type_.get_num_dims()} is above {MAX_RANK}"
    if isinstance(op, WholeTensorOp) and op.WITHOUT_KERNEL:
        return own.data if isinstance(own, StringAttr) else op.WITHOUT_KERNEL
    if isinstance(op, MatMulOp) and (reason := why_no_kernel(op)) is not None:
        return reason
    if isinstance(op, PlacesOp) and (reason := why_no_places(op)) is not None:
        return reason
    if isinstance(op, CumulativeOp) and (reason := why_no_scan(op)) is not None:
        return own.data if isinstance(own, StringAttr) else reason
    if isinstance(op, SliceOp) and DYNAMIC in shape_of(op.operand):
        return "it is a slice of dims of unknown size"
    if not op.name.startswith("snippets.") and (reason := _why_no_code(op)) is not None:
        return reason
    return "its shape follows from data" if follows_from_data(op) else None


def _why_no_code(op: ComputeOp) -> str | None:
    """Why kernels have no code for an op of a plug-in, None if they have (E7)."""
    record = record_of(op.name)
    if isinstance(op, WholeTensorOp) or record is None:
        return "its plug-in has no pass that decomposes it before snippets-tokenize"
    element = tensor_of(op.operands[0]).element_type
    expansion = record.floats if isinstance(element, AnyFloat) else record.integers
    if record.code is None and expansion is None:
        return f"its record has no code for {element} elements: neither `code` nor an expansion"
    return None


def is_kernel(op: Operation) -> bool:
    """Whether `op` of a host function is a kernel: a subgraph, or the call of one."""
    return isinstance(op, SubgraphOp) or op.name == "lir.call"


def explanations(module: ModuleOp) -> list[tuple[Operation, str]]:
    """The ops left outside of subgraphs with their reasons, in the order of the text.

    Subgraphs and calls of kernels are listed if they have a reason why they contain no more ops.
    Structure is not listed: functions, terminators, constants, and ops in a subgraph.
    """
    found: list[tuple[Operation, str]] = []
    for function in module.ops:
        for block in (block for region in function.regions for block in region.blocks):
            for op in block.ops:
                reason = op.attributes.get(REASON)
                if (is_kernel(op) and reason is None) or _is_structure(op):
                    continue
                text = reason.data if isinstance(reason, StringAttr) else why_not(op)
                found.append((op, text or "the tokenizer has not run"))
    return [(op, text) for op, text in found if _computes(op)]


def _is_structure(op: Operation) -> bool:
    return any(
        op.has_trait(trait, value_if_unregistered=False) for trait in (ConstantLike, IsTerminator)
    )


def _computes(op: Operation) -> bool:
    return any(isinstance(v.type, TensorType) for v in op.results) or not op.results
