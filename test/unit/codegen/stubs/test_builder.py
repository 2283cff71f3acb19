"""The builder of stubs: what its statements compute, executed beside Python."""

from __future__ import annotations

import ctypes

import pytest
from llvm_text_of import load

from snippets_mlir.codegen.stubs.builder import Module
from snippets_mlir.codegen.stubs.expressions import I8, I32, I64, POINTER, llvm_type
from snippets_mlir.codegen.stubs.layout import Layout


def function(module: Module, *parameters: type[ctypes.c_int64 | ctypes.c_void_p]):
    """Function `f` of a module, which returns an `int64_t`; it is loaded at O2."""
    module.op.verify()
    loaded = load(module.llvm_text(), 2)
    made = ctypes.CFUNCTYPE(ctypes.c_int64, *parameters)(loaded.address("f"))
    return made, loaded


def test_a_loop_carries_values() -> None:
    module = Module()
    body = module.function("f", [POINTER, I64], I64)
    array, count = body.arguments
    with body.loop(count, body.integer(0)) as loop:
        (total,) = loop.values
        loop.next = [body.add(total, body.item(array, I64, loop.index))]
    body.end(total)
    total_of, _loaded = function(module, ctypes.c_void_p, ctypes.c_int64)
    words = (ctypes.c_int64 * 5)(3, -1, 4, 1, 5)
    assert [total_of(words, n) for n in range(6)] == [0, 3, 2, 6, 7, 12]


def test_a_loop_without_a_count_is_left() -> None:
    """The steps of Collatz: a loop whose body chooses, and which ends at 1."""
    module = Module()
    body = module.function("f", [I64], I64)
    (number,) = body.arguments
    with body.loop(None, number) as loop:
        (value,) = loop.values
        loop.leave_if(body.compare("eq", value, 1))
        odd = body.compare("eq", body.remainder(value, 2), 1)
        loop.next = body.choose(
            odd,
            lambda: body.add(body.multiply(value, 3), 1),
            lambda: body.divide(value, 2),
        )
    body.end(loop.index)
    steps, _loaded = function(module, ctypes.c_int64)

    def expected(n: int) -> int:
        return 0 if n == 1 else 1 + expected(3 * n + 1 if n % 2 else n // 2)

    assert [steps(n) for n in range(1, 40)] == [expected(n) for n in range(1, 40)]


def test_when_may_return_and_require_goes_on() -> None:
    from xdsl.ir import Block

    module = Module()
    body = module.function("f", [I64], I64)
    (x,) = body.arguments
    wrong = Block()
    with body.when(body.compare("slt", x, 0)):
        body.end(body.integer(-1))
    body.require(body.compare("ult", x, 100), wrong)
    small = body.compare("ult", x, 10)
    body.end(body.select(small, body.shift_right(x, 1), body.subtract(x, 10)))
    body.at(wrong)
    body.end(body.integer(-2))
    made, _loaded = function(module, ctypes.c_int64)
    assert [made(x) for x in (-5, 0, 9, 10, 99, 100, 1 << 62)] == [-1, 0, 4, 0, 89, -2, -2]


INNER = Layout("Inner", a="i8", b="i64")
OUTER = Layout("Outer", x="i32", inner=INNER, list=("i32", 3), p="pointer")


def test_fields_by_name() -> None:
    module = Module()
    body = module.function("f", [POINTER], I64)
    (given,) = body.arguments
    inner = body.field(given, OUTER, "inner")
    total = body.add(body.get(inner, INNER, "b"), body.widen(body.get(inner, INNER, "a")))
    third = body.item(body.field(given, OUTER, "list"), I32, 2)
    body.set(given, OUTER, "x", 77)
    body.set(given, OUTER, "p", body.null())
    body.end(body.add(total, body.widen(third, signed=True)))
    made, _loaded = function(module, ctypes.c_void_p)
    data = OUTER.structure()
    data.inner.a, data.inner.b, data.list[2], data.p = 200, 1000, -1, 5
    assert made(ctypes.byref(data)) == 1199
    assert (data.x, data.p) == (77, None)


def test_what_a_layout_refuses() -> None:
    with pytest.raises(KeyError, match="Inner has no field 'c'"):
        INNER.index("c")
    with pytest.raises(KeyError, match="Inner has no field 'c'"):
        INNER.offset("c")
    with pytest.raises(TypeError, match="Inner: missing or unknown fields b, c"):
        INNER.words(a=1, c=2)
    assert INNER.words(b=2, a=1) == [1, 2]


def test_types_of_layouts() -> None:
    assert str(llvm_type(INNER)) == "!llvm.struct<(i8, i64)>"
    nested = "!llvm.struct<(i32, !llvm.struct<(i8, i64)>, !llvm.array<3 x i32>, !llvm.ptr)>"
    assert str(llvm_type(OUTER)) == nested
    assert llvm_type("i8") == I8
