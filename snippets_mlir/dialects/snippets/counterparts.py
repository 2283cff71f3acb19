"""The counterparts of an op in other systems, as data of its record (`record.py`).

`Onnx` and `Aten` name the front end's operator that is exactly the op, and how its attributes
become properties. `Engine` says how onnxruntime's CPU engine runs the op outside of kernels, for
export back to ONNX and for the cost model.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

NEVER = 1e15
"""Nanoseconds per element for an operator that has to be in a kernel."""


@dataclass(frozen=True, eq=False, repr=False)
class NodeAttribute:
    """An attribute of a front end's node as a property of the op.

    Attributes:
        property: the op's property, which its constructor takes by this name.
        default: its value if the node does not give it; a number is a float32 as in ONNX.
        words: for strings, maps the node's word to the property's word; other words are refused.
    """

    property: str
    default: float | str
    words: Mapping[str, str] | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Onnx:
    """The ONNX operator that is exactly this op.

    Attributes:
        operator: its name.
        since: the supported versions of its schema; for other domains all versions.
        domain: empty for ONNX's own.
        attributes: the node's attributes: name -> the op's property. A node with another attribute
            is not imported.
        own_importer: whether an importer makes the op under conditions; otherwise each node becomes
            it.
        variadic: whether a node of n inputs is a chain of ops from left to right.
        keeps_shape: if not empty, the first input has to have the result's shape; the reason why
            other nodes are not imported.
        rate: nanoseconds of one onnxruntime thread per result element at 64x512 of float32
            (`benchmarks/engine_rates.py` measures it); 0 for the rate of an addition, or for an
            operator of another domain that onnxruntime does not have.
        avx2_rate: the rate without AVX-512 in onnxruntime; 0 for `NARROW` times `rate`
            (`targets/engine.py`), which is the usual case.
        bound: what the quick bound on cuts knows about a node: `single`, it is always this one op;
            `once`, it is one op with at least one vector instruction for any type; `steps`, it may
            be several ops; empty, nothing.
    """

    operator: str
    since: tuple[int, ...] = ()
    domain: str = ""
    attributes: Mapping[str, NodeAttribute] = field(default_factory=dict[str, NodeAttribute])
    own_importer: bool = False
    variadic: bool = False
    keeps_shape: str = ""
    rate: float = 0.0
    avx2_rate: float = 0.0
    bound: str = ""

    @property
    def key(self) -> str:
        """The cost model's name for the operator: with its domain if that is not ONNX's own."""
        return f"{self.domain}.{self.operator}" if self.domain else self.operator

    @property
    def engine_rate(self) -> float:
        """`rate`; prohibitive for an operator of another domain, which the engine does not have."""
        return NEVER if self.domain and not self.rate else self.rate


@dataclass(frozen=True, eq=False, repr=False)
class Aten:
    """An operator of PyTorch's ATen library that is this op, for operands of the op's kinds.

    Attributes:
        operator: its name without an overload: `add` for `aten.add.Tensor`.
        attributes: arguments of its schema: name -> the op's property.
        given: arguments of its schema that must have this value.
        scaled: the argument that the last operand is multiplied by; empty for none.
        kinds: the kinds of element for which it is the op; empty for all kinds of the op.
    """

    operator: str
    attributes: Mapping[str, NodeAttribute] = field(default_factory=dict[str, NodeAttribute])
    given: Mapping[str, float | None] = field(default_factory=dict[str, "float | None"])
    scaled: str = ""
    kinds: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False, repr=False)
class Engine:
    """How onnxruntime's CPU engine runs the op beside convolutions and matrix products.

    Attributes:
        constants: attributes of the node with fixed values.
        properties: the op's properties that are attributes of the node, or inputs of Clip.
        lists: lists of integers: attribute of the node -> property of the op.
        joins: the chains that it may end at no cost: `conv`, `sum` or `gemm`.
        passes: how often the engine could read and write an image in its time; 0 if not
            elementwise.
        quantized: whether there is a form on quantized tensors.
        blocked: whether there is a form on images of one shape in the blocked layout.
    """

    constants: Mapping[str, float] = field(default_factory=dict[str, float])
    properties: tuple[str, ...] = ()
    lists: Mapping[str, str] = field(default_factory=dict[str, str])
    joins: tuple[str, ...] = ()
    passes: int = 0
    quantized: bool = False
    blocked: bool = False
