"""Compiling and loading: assembly of other CPUs, refused code, missing symbols, many libraries."""

from __future__ import annotations

import ctypes
import gc
from concurrent.futures import ThreadPoolExecutor

import pytest

from snippets_mlir.codegen.compile import (
    InternalError,
    _generated,  # pyright: ignore[reportPrivateUsage]
    compile_assembly,
    compile_object,
)
from snippets_mlir.codegen.host import host_cpu
from snippets_mlir.codegen.load import LoadedObject
from snippets_mlir.support.spans import recording
from snippets_mlir.targets.machine import TARGETS

TEXT = """
define i64 @answer(i64 %x) {
  %y = add i64 %x, NUMBER
  ret i64 %y
}
"""
VECTOR = """
define void @k(ptr noalias %x, ptr noalias %y) {
  %a = load <8 x float>, ptr %x, align 4
  %b = fmul <8 x float> %a, %a
  store <8 x float> %b, ptr %y, align 4
  ret void
}
"""

LOOPS = "".join(
    f"""
define i64 @{name}(ptr %x, i64 %n) {{
begin:
  br label %head
head:
  %i = phi i64 [0, %begin], [%next, %body]
  %sum = phi i64 [0, %begin], [%more, %body]
  %goes = icmp ult i64 %i, {end}
  br i1 %goes, label %body, label %end
body:
  %at = getelementptr i64, ptr %x, i64 %i
  %one = load i64, ptr %at, align 8
  %more = add i64 %sum, %one
  %next = add i64 %i, 1
  br label %head
end:
  ret i64 %sum
}}
"""
    for name, end in (("few", "4"), ("any", "%n"))
)
"""A loop that LLVM unrolls, and one that it rotates."""

STRIDED = """
define i64 @sum(ptr %x, i64 %n, i64 %stride) {
begin:
  br label %body
body:
  %i = phi i64 [0, %begin], [%next, %body]
  %sum = phi i64 [0, %begin], [%more, %body]
  %place = mul i64 %i, %stride
  %at = getelementptr i64, ptr %x, i64 %place
  %one = load i64, ptr %at, align 8
  %more = add i64 %sum, %one
  %next = add i64 %i, 1
  %goes = icmp ult i64 %next, %n
  br i1 %goes, label %body, label %end
end:
  ret i64 %sum
}
"""
"""A loop whose product LLVM turns into a sum when it reduces strength."""


def host_object(text: str, opt: int = 2, kernels: bool = False) -> bytes:
    triple, cpu, features = host_cpu()
    return compile_object(text, triple=triple, cpu=cpu, features=features, opt=opt, kernels=kernels)


def answer(loaded: LoadedObject, x: int) -> int:
    return ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(loaded.address("answer"))(x)


@pytest.mark.parametrize("kernels", [False, True])
@pytest.mark.parametrize("opt", [0, 1, 2, 3])
def test_an_object_is_loaded_and_called(opt: int, kernels: bool) -> None:
    assert answer(LoadedObject(host_object(TEXT.replace("NUMBER", "42"), opt, kernels)), 1) == 43


def test_objects_with_the_same_symbol_do_not_meet() -> None:
    loaded = [LoadedObject(host_object(TEXT.replace("NUMBER", str(n)))) for n in range(3)]
    assert [answer(o, 0) for o in loaded] == [0, 1, 2]
    del loaded[1]
    gc.collect()
    assert [answer(o, 0) for o in loaded] == [0, 2]


def test_symbols_of_the_process_are_found() -> None:
    loaded = LoadedObject(
        host_object("""
declare double @cbrt(double)
define i64 @answer(i64 %x) {
  %f = sitofp i64 %x to double
  %r = call double @cbrt(double %f)
  %i = fptosi double %r to i64
  ret i64 %i
}""")
    )
    assert answer(loaded, 27) == 3


@pytest.mark.parametrize("name", ["question", "", "\0", "\0question"])
def test_a_missing_symbol_is_a_key_error(name: str) -> None:
    loaded = LoadedObject(host_object(TEXT.replace("NUMBER", "1")))
    with pytest.raises(KeyError) as caught:
        loaded.address(name)
    assert caught.value.args == (name,)
    assert answer(loaded, 1) == 2


def test_a_symbol_that_nobody_has_is_an_internal_error() -> None:
    text = """
declare void @snippets_nobody()
define void @k() {
  call void @snippets_nobody()
  ret void
}"""
    with pytest.raises(InternalError, match="cannot be linked"):
        LoadedObject(host_object(text)).address("k")


def test_damaged_objects_are_internal_errors() -> None:
    with pytest.raises((InternalError, KeyError)):
        LoadedObject(b"not an object").address("k")


@pytest.mark.parametrize(
    "text",
    [
        "define void @k( {",
        "define i32 @k() {\n  ret i64 0\n}\n",
        "define void @k() {\n  br label %none\n}\n",
    ],
)
def test_refused_code_is_an_internal_error(text: str) -> None:
    with pytest.raises(InternalError, match="mistake in snippets_mlir"):
        host_object(text)


def test_an_unknown_triple_is_an_internal_error() -> None:
    with pytest.raises(InternalError, match="pdp11"):
        compile_assembly(VECTOR, triple="pdp11-none-none", cpu="", features="")


@pytest.mark.parametrize(
    ("target", "instruction"),
    [
        ("generic", "mulps"),
        ("x86-64-avx2", "vmulps"),
        ("x86-64-avx512", "vmulps"),
        ("aarch64-neon", "fmul\tv"),
    ],
)
def test_assembly_of_each_target(target: str, instruction: str) -> None:
    machine = TARGETS[target]
    text = compile_assembly(
        VECTOR, triple=machine.triple, cpu=machine.cpu, features=machine.features
    )
    assert instruction in text
    assert ("%ymm" in text) == (target in ("x86-64-avx2", "x86-64-avx512"))


def test_assembly_is_deterministic_and_small_code_model() -> None:
    machine = TARGETS["x86-64-avx2"]
    text = VECTOR.replace("%a, %a", "%a, splat (float 0x4059000000000000)")
    first, second = (
        compile_assembly(text, triple=machine.triple, cpu=machine.cpu, features=machine.features)
        for _ in range(2)
    )
    assert first == second
    assert "movabs" not in first
    assert "(%rip)" in first


def _stops(_: object) -> bytes:
    raise ValueError("stop")


def _multiplications(kernels: bool) -> int:
    m = TARGETS["x86-64-avx2"]
    text = compile_assembly(
        STRIDED, triple=m.triple, cpu=m.cpu, features=m.features, kernels=kernels
    )
    return text.count("imul")


def test_strength_is_reduced_in_functions_but_not_in_kernels() -> None:
    assert [_multiplications(kernels) for kernels in (False, True, False)] == [1, 9, 1]


def test_code_that_llvm_cannot_generate_leaves_functions_as_they_were() -> None:
    with pytest.raises(ValueError, match="stop"):
        _generated(None, True, _stops)
    assert _multiplications(False) == 1


def test_threads_that_compile_functions_and_kernels_at_once_get_the_code_of_one() -> None:
    alone = {kernels: host_object(STRIDED, kernels=kernels) for kernels in (False, True)}
    assert alone[False] != alone[True]

    def one(n: int) -> bytes:
        return host_object(STRIDED, kernels=n % 2 == 1)

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(one, range(32))) == [alone[n % 2 == 1] for n in range(32)]


def test_several_threads_compile_and_load_at_once() -> None:
    def one(n: int) -> int:
        return answer(LoadedObject(host_object(TEXT.replace("NUMBER", str(n)))), n)

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(one, range(16))) == [2 * n for n in range(16)]


@pytest.mark.parametrize("kernels", [False, True])
def test_a_record_of_each_function_gives_the_same_object(kernels: bool) -> None:
    plain = host_object(LOOPS, kernels=kernels)
    with recording() as spans:
        assert host_object(LOOPS, kernels=kernels) == plain
    assert [span.name for span in spans if span.kind == "unit"] == ["@few", "@any"]
    assert plain != host_object(LOOPS, opt=0)
