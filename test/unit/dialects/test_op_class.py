"""Ops that are `Op`s: `isinstance` and the constructor are those of xDSL's ops."""

from abc import ABCMeta
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from xdsl.builder import ImplicitBuilder
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, StringAttr, TensorType, f32
from xdsl.dialects.test import TestOp as AnyOp
from xdsl.ir import Block, Operation
from xdsl.irdl import BeforeVariadicSingleAccessor, IRDLOperation

from snippets_mlir.dialects.builtin.op_class import Op, OpClass
from snippets_mlir.dialects.lir.memory import LoadOp, MemoryAccessOp
from snippets_mlir.dialects.onnx.ops import NodeOp
from snippets_mlir.dialects.snippets.arithmetic import AddOp
from snippets_mlir.dialects.snippets.base import ComputeOp
from snippets_mlir.dialects.snippets.constants import ScalarOp
from snippets_mlir.dialects.snippets.subgraph import SubgraphOp, YieldOp
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


TYPE = TensorType(f32, [2])


def _made(
    init: Callable[..., None], cls: type[Operation], given: Mapping[str, Any]
) -> tuple[Any, ...] | str:
    """What an op holds that `init` makes, or the error."""
    op = cls.__new__(cls)
    try:
        init(op, **given)
    except ValueError as error:
        return str(error)
    uses = [[u.index for u in value.uses if u.operation is op] for value in op.operands]
    results = [(r.type, r.index, r.op is op) for r in op.results]
    rest = (op.properties, op.attributes, op.location, op.regions, list(op.successors))
    return (tuple(op.operands), uses, results, *rest)


@pytest.mark.parametrize(
    ("cls", "operands", "types", "properties"),
    [
        (AddOp, 2, [TYPE], {}),
        (AddOp, 1, [TYPE], {}),  # one is missing
        (AddOp, 2, [None], {}),
        (AddOp, 2, [[TYPE]], {}),
        (AddOp, 2, [], {}),
        (YieldOp, [3], [], {}),
        (YieldOp, [0], [], {}),
        (YieldOp, 1, [], {}),  # a value for a list
        (YieldOp, 2, [], {}),
        (ScalarOp, 0, [TYPE], {"value": IntegerAttr(1, 32)}),
        (ScalarOp, 0, [TYPE], {"value": IntegerAttr(1, 32), "other": None}),
        (NodeOp, [2], [[TYPE, TYPE]], {"op_type": StringAttr("Add"), "random": None}),
        (NodeOp, [0], [TYPE], {}),
        (SubgraphOp, [1], [[TYPE]], {}),  # without its region
    ],
)
def test_the_constructor_makes_what_that_of_xdsl_makes(
    cls: type[Operation],
    operands: int | list[int],
    types: list[Any],
    properties: dict[str, Any],
) -> None:
    """`operands` are so many values, or lists of so many; errors are equal, too."""
    maker = AnyOp(result_types=[TYPE])
    value = maker.results[0]
    values = (
        [value] * operands if isinstance(operands, int) else [[value] * count for count in operands]
    )
    given = {"operands": values, "result_types": types, "properties": properties}
    assert _made(Op.__init__, cls, given) == _made(IRDLOperation.__init__, cls, given)


def test_the_constructor_takes_an_op_for_its_result() -> None:
    """As everywhere in xDSL; attributes go the longer way, too."""
    maker = AnyOp(result_types=[TYPE])
    assert AddOp(maker, maker).lhs is maker.results[0]
    given = {
        "operands": [maker, maker],
        "result_types": [TYPE],
        "attributes": {"a": StringAttr("b")},
    }
    assert _made(Op.__init__, AddOp, given) == _made(IRDLOperation.__init__, AddOp, given)


def test_an_implicit_builder_takes_what_the_constructor_makes() -> None:
    """In the order of the constructors."""
    block = Block(arg_types=[TYPE])
    with ImplicitBuilder(block) as (value,):
        first = AddOp(value, value)
        second = AddOp(first, value)
    assert list(block.ops) == [first, second]


def test_named_operands_and_results_are_those_of_xdsl() -> None:
    """Also after an operand is replaced; neither may be set."""
    first, second = AnyOp(result_types=[TYPE]), AnyOp(result_types=[TYPE])
    op = AddOp(first, second)
    for name in ("lhs", "rhs", "result"):
        accessor: Any = vars(AddOp)[name]
        upstream: Any = BeforeVariadicSingleAccessor(accessor.construct, accessor.idx)
        assert getattr(op, name) is upstream.__get__(op)
        with pytest.raises(NotImplementedError):
            setattr(op, name, first.results[0])
    op.operands[1] = first.results[0]
    assert op.rhs is first.results[0]


def test_ops_are_equal_only_to_themselves() -> None:
    """As xDSL's; equal ops are two keys of a dict."""
    maker = AnyOp(result_types=[TYPE])
    one, other = AddOp(maker, maker), AddOp(maker, maker)
    assert len({one: 1, other: 2}) == 2
    assert one != other
    assert {one: 1}[one] == 1
