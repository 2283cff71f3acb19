"""`isinstance` and `issubclass` of ops that have the metaclass `OpClass`."""

from abc import ABCMeta

import pytest
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, TensorType, f32
from xdsl.dialects.test import TestOp as AnyOp
from xdsl.ir import Operation

from snippets_mlir.dialects.builtin.op_class import OpClass
from snippets_mlir.dialects.lir.memory import LoadOp, MemoryAccessOp
from snippets_mlir.dialects.snippets.base import ComputeOp
from snippets_mlir.dialects.snippets.constants import ScalarOp
from snippets_mlir.dialects.snippets.typed_op import TypedOp
from snippets_mlir.passmanager.context import make_context


def _classes() -> list[type]:
    ctx = make_context()
    for name in ("snippets", "lir", "llvm", "arith", "program", "onnx", "func"):
        ctx.load_registered_dialect(name)
    bases = {base for op in ctx.loaded_ops for base in op.__mro__}
    return sorted(bases, key=lambda cls: (cls.__module__, cls.__qualname__))


def test_answers_are_those_of_abstract_base_classes() -> None:
    """For each pair of a class with the metaclass and any class of a dialect."""
    classes = _classes()
    fast = [cls for cls in classes if isinstance(cls, OpClass)]
    assert len(fast) > 100
    assert {MemoryAccessOp, ComputeOp, ScalarOp} <= set(fast)
    for cls in fast:
        for other in classes:
            assert issubclass(other, cls) is ABCMeta.__subclasscheck__(cls, other)
            assert issubclass(other, cls) is (cls in other.__mro__)


@pytest.mark.parametrize("cls", [TypedOp, LoadOp, ComputeOp])
def test_what_is_no_op_is_no_instance(cls: type) -> None:
    """Attributes, ops of other dialects, and what is nothing of xDSL's."""
    others = (None, 1, f32, TensorType(f32, [2]), IntegerAttr(1, 32), ModuleOp([]), AnyOp(), cls)
    assert not any(isinstance(value, cls) for value in others)


def test_an_op_is_an_instance_of_its_bases() -> None:
    """And of no class beside them."""
    load = LoadOp.__new__(LoadOp)
    assert all(isinstance(load, cls) for cls in (LoadOp, MemoryAccessOp, TypedOp, Operation))
    assert not any(isinstance(load, cls) for cls in (ScalarOp, ComputeOp))
