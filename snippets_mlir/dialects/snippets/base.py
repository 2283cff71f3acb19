"""Base classes of the computing ops of the `snippets` dialect: syntax, typing, verifier.

All computing ops share one syntax. If all operands and results have the same type, the type is
written once, otherwise as a function type:

    %2 = snippets.add %0, %1 : tensor<4x8xf32>
    %3 = snippets.multiply %2, %b : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
    %4 = snippets.clamp %3 {min = 0.0 : f32, max = 6.0 : f32} : tensor<4x8xf32>

Constraints, named in the verifier's messages:

* C1: operands and results are ranked tensors; a result has fewer than 2^63 bytes.
* C2: the operands that compute together have the same element type.
* C3: the op is defined for that element type.
* C4: the operand shapes broadcast together by NumPy's rules.
* C5: the result has the broadcast shape.
* C6: the result has the element type that the op produces.
* C7: the attributes have the values that the op's docstring allows.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Mapping, Sequence
from typing import ClassVar

from typing_extensions import override
from xdsl.dialects.builtin import (
    AnyFloat,
    Float64Type,
    FloatAttr,
    IntegerType,
    TensorType,
    i1,
)
from xdsl.interfaces import HasCanonicalizationPatternsInterface, HasFolderInterface
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import operand_def, result_def, traits_def
from xdsl.pattern_rewriter import RewritePattern
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from snippets_mlir.dialects.builtin.dims import Dim, Shape
from snippets_mlir.dialects.builtin.shaped import is_too_large, shape_of, tensor_of, tensor_type
from snippets_mlir.dialects.snippets.pattern_kinds import Flavor, HasFusePattern, PatternKind
from snippets_mlir.dialects.snippets.shapes import (
    broadcast_shapes,
    compatible,
    format_shape,
)
from snippets_mlir.dialects.snippets.typed_op import TypedOp

FLOAT = "float"
INTEGER = "integer"
BOOL = "bool"


def f64_attr(value: float) -> FloatAttr:
    """A number as an attribute, in full precision."""
    return FloatAttr(value, Float64Type())


def kind_of(element_type: Attribute) -> str | None:
    """`float`, `integer` (wider than one bit), `bool` (i1), or None for any other type."""
    if isinstance(element_type, AnyFloat):
        return FLOAT
    if isinstance(element_type, IntegerType):
        return BOOL if element_type == i1 else INTEGER
    return None


class ComputeOp(
    HasFolderInterface,
    HasCanonicalizationPatternsInterface,
    HasFusePattern,
    TypedOp,
    ABC,
):
    """An op that computes one tensor from tensors; element by element unless it is a
    `WholeTensorOp`.

    `ELEMENT_KINDS` lists the kinds of element the op is defined for; `PREDICATE` ops give i1; the
    first `CONDITIONS` operands are i1.
    """

    ELEMENT_KINDS: ClassVar[tuple[str, ...]] = (FLOAT, INTEGER)
    PREDICATE: ClassVar[bool] = False
    CONDITIONS: ClassVar[int] = 0

    traits = traits_def(Pure())

    @classmethod
    def __subclasshook__(cls, other: type) -> bool:
        """No class is registered as a virtual subclass. Without this method, `ABCMeta` asks all
        subclasses of `cls` when it first meets another class.
        """
        return cls in other.__mro__

    def fold(self) -> Sequence[SSAValue | Attribute] | None:
        """Value of the op when its operands are constants, or None."""
        from snippets_mlir.dialects.snippets.folding import fold

        return fold(self)

    def fuse_pattern(self, flavor: Flavor) -> PatternKind:
        """The kind of the op for operator fusion."""
        from snippets_mlir.dialects.snippets.patterns import kind_of_compute

        return kind_of_compute(self, flavor)

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        """Rewrites that are exact for every value."""
        from snippets_mlir.dialects.snippets.canonicalization.patterns import patterns_for

        return patterns_for(cls.name)

    @property
    def joined_operands(self) -> Sequence[SSAValue]:
        """The operands that share one element type (all, unless an op says otherwise)."""
        return self.operands

    def result_element_type(self) -> Attribute:
        """The element type that the op produces."""
        return i1 if self.PREDICATE else tensor_of(self.joined_operands[0]).element_type

    def infer_shape(self, shapes: Sequence[Shape]) -> Shape | None:
        """The result's shape for operands of these shapes, or None when they do not fit."""
        return broadcast_shapes(*shapes)

    @override
    def verify_(self) -> None:
        self.verify_elements()
        shapes = [shape_of(v) for v in self.operands]
        shape = self.infer_shape(shapes)
        if shape is None:
            found = ", ".join(format_shape(s) for s in shapes)
            raise VerifyException(f"C4: {self.name} operands do not broadcast: {found}")
        self.verify_result(shape)
        self.verify_attributes()

    def verify_elements(self) -> None:
        """C2 and C3: one element type, of a kind that the op supports; else a `VerifyException`."""
        elements = {tensor_of(v).element_type for v in self.joined_operands}
        if len(elements) > 1:
            found = ", ".join(sorted(str(e) for e in elements))
            raise VerifyException(
                f"C2: {self.name} expects operands of one element type, found {found}; "
                "insert a snippets.convert_truncation"
            )
        element = elements.pop()
        if kind_of(element) not in self.ELEMENT_KINDS:
            expected = " or ".join(self.ELEMENT_KINDS)
            raise VerifyException(f"C3: {self.name} expects {expected} elements, found {element}")

    def verify_result(self, shape: Sequence[Dim]) -> None:
        """Check C5 and C6 against the inferred `shape`, and the bytes of C1."""
        result = tensor_of(self.results[0])
        if is_too_large(result):
            raise VerifyException(
                f"C1: {self.name} expects a result of fewer than 2^63 bytes, found {result}"
            )
        if not compatible(shape, shape_of(result)):
            raise VerifyException(
                f"C5: {self.name} expects a result of shape {format_shape(shape)}, "
                f"found {format_shape(shape_of(result))}"
            )
        if result.element_type != self.result_element_type():
            raise VerifyException(
                f"C6: {self.name} expects a result of {self.result_element_type()}, "
                f"found {result.element_type}"
            )

    def verify_attributes(self) -> None:
        """Check C7; ops with attributes override this."""


class UnaryOp(ComputeOp, ABC):
    """`result = f(operand)`, shape and element type kept (predicates give i1)."""

    operand = operand_def(TensorType)
    result = result_def(TensorType)

    def __init__(
        self, operand: SSAValue | Operation, properties: Mapping[str, Attribute] | None = None
    ) -> None:
        source = tensor_of(operand)
        element = i1 if self.PREDICATE else source.element_type
        super().__init__(
            operands=[operand],
            result_types=[tensor_type(element, shape_of(source))],
            properties=dict(properties or {}),
        )


class FloatOp(UnaryOp, ABC):
    """`result = f(operand)` of floats."""

    ELEMENT_KINDS: ClassVar[tuple[str, ...]] = (FLOAT,)


class BinaryOp(ComputeOp, ABC):
    """`result = f(lhs, rhs)` with NumPy broadcasting."""

    lhs = operand_def(TensorType)
    rhs = operand_def(TensorType)
    result = result_def(TensorType)

    def __init__(self, lhs: SSAValue | Operation, rhs: SSAValue | Operation) -> None:
        a, b = tensor_of(lhs), tensor_of(rhs)
        shape = broadcast_shapes(shape_of(a), shape_of(b))
        if shape is None:
            raise VerifyException(
                f"C4: {self.name} operands do not broadcast: "
                f"{format_shape(shape_of(a))}, {format_shape(shape_of(b))}"
            )
        element = i1 if self.PREDICATE else a.element_type
        super().__init__(operands=[lhs, rhs], result_types=[tensor_type(element, shape)])
