"""Give inputs and results of subgraphs the element types of their memory.

With `snippets-align-element-types{inputs=f16,- outputs=f16}`,

    func.func @main(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
      %0 = snippets.subgraph (%a = %x, %b = %y) : ... {
        %1 = snippets.add %a, %b : tensor<8xf32>                                becomes

    func.func @main(%x: tensor<8xf16>, %y: tensor<8xf32>) -> tensor<8xf16> {
      %0 = snippets.subgraph (%a = %x, %b = %y) : ... {
        %1 = snippets.convert_saturation %a : (tensor<8xf16>) -> tensor<8xf32>
        %2 = snippets.add %1, %b : tensor<8xf32>
        %3 = snippets.convert_saturation %2 : (tensor<8xf32>) -> tensor<8xf16>

The kernel then converts each value while it is in a register. There is one type for each input and
each result; `-` keeps the type. The attributes `snippets.input_types` and `snippets.output_types`
of a subgraph (`["f16", "-"]`) override the options. Inside, an input is converted after its views
(reshape, transpose, ...), and a result before them. Outside, the arguments and results of the
function take the type; other values are converted there. A result is not converted back if it was
converted from its memory type without loss.

Refuses lists of another length and names that are no element type. Source: the guide's
AlignElementTypes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from typing_extensions import override
from xdsl.dialects.builtin import (
    BFloat16Type,
    Float16Type,
    Float32Type,
    Float64Type,
    IntegerType,
    Signedness,
    TensorType,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint, Rewriter

from snippets_mlir.dialects.builtin.shaped import shape_of, tensor_of, tensor_type
from snippets_mlir.dialects.snippets.conversion import (
    ConvertSaturationOp,
    ConvertTruncationOp,
    ReshapeOp,
)
from snippets_mlir.dialects.snippets.layout import LayoutOp
from snippets_mlir.dialects.snippets.subgraph import SubgraphOp
from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.effects import RETYPES, Effect
from snippets_mlir.passes.graph.canonicalize.boundary import (
    KEEP,
    called_in,
    check_length,
    listed,
    retype_input,
    retype_result,
)
from snippets_mlir.passes.patterns import Pattern, PatternPass
from snippets_mlir.support.diagnostics import position_of
from snippets_mlir.support.errors import CompileError
from snippets_mlir.targets.precisions import holds

INPUTS = "snippets.input_types"
OUTPUTS = "snippets.output_types"

_TYPES: dict[str, Attribute] = {
    "bf16": BFloat16Type(),
    "f16": Float16Type(),
    "f32": Float32Type(),
    "f64": Float64Type(),
    "i1": IntegerType(1),
    **{f"i{width}": IntegerType(width) for width in (8, 16, 32, 64)},
    **{f"ui{width}": IntegerType(width, Signedness.UNSIGNED) for width in (8, 16, 32, 64)},
}


def _changes(
    subgraph: SubgraphOp, names: tuple[str, ...], values: Sequence[SSAValue], what: str
) -> tuple[tuple[int, Attribute], ...]:
    """(index, element type) of the values whose type changes."""
    if not names:
        return ()
    check_length(subgraph, what, len(names), len(values))
    changes: list[tuple[int, Attribute]] = []
    for index, (name, value) in enumerate(zip(names, values, strict=True)):
        if name == KEEP:
            continue
        if (element := _TYPES.get(name)) is None:
            raise CompileError(
                f"expected an element type for each of the {what} ({', '.join(_TYPES)}) or "
                f"{KEEP}, found '{name}'",
                **position_of(subgraph),
            )
        if element != tensor_of(value).element_type:
            changes.append((index, element))
    return tuple(changes)


def _is_view(op: Operation) -> bool:
    return isinstance(op, ReshapeOp | LayoutOp)


def _with_element(value: SSAValue, element: Attribute) -> TensorType[Attribute]:
    return tensor_type(element, shape_of(value))


def _convert_inside(value: SSAValue, element: Attribute) -> None:
    """Convert the argument `value`, which has its new type, for its readers, after its views."""
    while (user := value.get_user_of_unique_use()) is not None and _is_view(user):
        memory = tensor_of(value).element_type
        value = Rewriter.replace_value_with_new_type(
            user.results[0], _with_element(user.results[0], memory)
        )
    convert = ConvertSaturationOp(value, element)
    value.replace_all_uses_with(convert.result)
    convert.operands[0] = value
    owner = value.owner
    at = InsertPoint.after(owner) if isinstance(owner, Operation) else InsertPoint.at_start(owner)
    Rewriter.insert_op(convert, at)


def _source(value: SSAValue, element: Attribute) -> SSAValue | None:
    """The value that `value` was converted from without loss, if it has the type `element`."""
    op = value.owner
    if not isinstance(op, ConvertSaturationOp | ConvertTruncationOp):
        return None
    same = tensor_of(op.operand).element_type == element
    return op.operand if same and holds(tensor_of(value).element_type, element) else None


def _converted(value: SSAValue, element: Attribute, before: Operation) -> SSAValue:
    """`value` with another element type, converted before its views."""
    op = value.owner
    if isinstance(op, Operation) and _is_view(op) and value.has_one_use():
        op.operands[0] = _converted(op.operands[0], element, op)
        return Rewriter.replace_value_with_new_type(value, _with_element(value, element))
    if (source := _source(value, element)) is not None:
        return source
    convert = ConvertSaturationOp(value, element)
    Rewriter.insert_op(convert, InsertPoint.before(before))
    return convert.result


def _apply_input(
    subgraph: SubgraphOp, index: int, memory: Attribute, called: frozenset[str]
) -> None:
    original = tensor_of(subgraph.inputs[index]).element_type
    type_ = _with_element(subgraph.inputs[index], memory)
    argument = retype_input(
        subgraph, index, type_, lambda v: [ConvertSaturationOp(v, memory)], called
    )
    _convert_inside(argument, original)


def _apply_output(
    subgraph: SubgraphOp, index: int, memory: Attribute, called: frozenset[str]
) -> None:
    original = tensor_of(subgraph.outputs[index]).element_type
    terminator = subgraph.block.last_op
    assert terminator is not None
    value = _converted(terminator.operands[index], memory, terminator)
    terminator.operands[index] = value
    retype_result(subgraph, index, value.type, lambda v: [ConvertSaturationOp(v, original)], called)


@dataclass(frozen=True)
class Alignment:
    """The inputs and results of a subgraph whose element types change, by their places."""

    inputs: tuple[tuple[int, Attribute], ...]
    outputs: tuple[tuple[int, Attribute], ...]


class AlignBoundary(Pattern[SubgraphOp, Alignment]):
    """A subgraph becomes one on another type, with conversions of its inputs and results."""

    name = "align-boundary"
    ops = (SubgraphOp,)

    def __init__(
        self, inputs: tuple[str, ...], outputs: tuple[str, ...], called: frozenset[str]
    ) -> None:
        self.called = called
        self.inputs = inputs
        self.outputs = outputs

    def match(self, op: SubgraphOp) -> Alignment | None:
        """The listed types that values lack, from the attributes, else from the options."""
        inputs = listed(op, INPUTS, self.inputs)
        outputs = listed(op, OUTPUTS, self.outputs)
        changes = Alignment(
            _changes(op, inputs, op.inputs, "input types"),
            _changes(op, outputs, op.outputs, "output types"),
        )
        is_listed = INPUTS in op.attributes or OUTPUTS in op.attributes
        return changes if is_listed or changes != Alignment((), ()) else None

    @override
    def rewrite(self, op: SubgraphOp, match: Alignment, rewriter: PatternRewriter) -> None:
        for index, element in match.inputs:
            _apply_input(op, index, element, self.called)
        for index, element in match.outputs:
            _apply_output(op, index, element, self.called)
        for name in (INPUTS, OUTPUTS):
            op.attributes.pop(name, None)


@dataclass(frozen=True)
class SnippetsAlignElementTypesPass(PatternPass):
    """Give inputs and results of subgraphs their element types in memory."""

    name = "snippets-align-element-types"
    STAGES: ClassVar[Stages] = Stages(("subgraphs",))
    EFFECT: ClassVar[Effect] = RETYPES
    MIXES_CLASSES: ClassVar[bool] = False
    PATTERNS = (AlignBoundary,)

    inputs: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()

    def facts(self, root: Operation) -> tuple[tuple[str, ...], tuple[str, ...], frozenset[str]]:
        """The options, and the functions whose types stay."""
        return self.inputs, self.outputs, called_in(root)
