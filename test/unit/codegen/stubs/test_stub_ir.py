"""The IR of the stubs: it verifies, prints and parses back, and reaches memory by fields."""

from __future__ import annotations

import platform
import re
from functools import cache
from importlib import import_module
from io import StringIO
from pathlib import Path

import pytest
from sampled import sampled
from xdsl.dialects import llvm
from xdsl.dialects.llvm import LLVMArrayType, LLVMStructType
from xdsl.ir import SSAValue
from xdsl.printer import Printer

from snippets_mlir.checkers.dominance import verify_dominance
from snippets_mlir.codegen.compile import compile_object
from snippets_mlir.codegen.elf import undefined_symbols
from snippets_mlir.codegen.host import host_cpu
from snippets_mlir.codegen.load import LoadedObject
from snippets_mlir.codegen.stubs import objects, write_texts
from snippets_mlir.codegen.stubs.builder import Module
from snippets_mlir.codegen.stubs.objects import STUBS, TEXTS, Stub, stub_text
from snippets_mlir.codegen.stubs.roundings import NAMES
from snippets_mlir.codegen.stubs.write_texts import texts
from snippets_mlir.dialects.llvm.memory import LoadOp, StoreOp
from snippets_mlir.dialects.llvm.pointers import GEPOp
from snippets_mlir.emit.llvm_text import emit_llvm
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.support.parsing import parse_module

OF_THE_PROCESS = {
    "addresses": {
        "PyErr_BadArgument",
        "PyErr_Occurred",
        "PyEval_RestoreThread",
        "PyEval_SaveThread",
        "PyLong_AsLongLong",
        "PyObject_CallNoArgs",
        "Py_DecRef",
        "Py_IncRef",
        "clock_gettime",
    },
    "call": {
        "PyEval_RestoreThread",
        "PyEval_SaveThread",
        "PyObject_CallNoArgs",
        "PyTuple_GetItem",
        "PyTuple_Size",
        "Py_DecRef",
        "Py_IncRef",
        "clock_gettime",
        "memcpy",
    },
    "fault": {"raise", "sigaction", "write"},
    "fields": set[str](),
    "indices": {"memcpy"},
    "launch": {"sched_yield", "sem_post", "sem_wait"},
    "operators": set[str](),
    "requests": {
        "PyEval_RestoreThread",
        "PyEval_SaveThread",
        "PyObject_CallNoArgs",
        "PyTuple_GetItem",
        "Py_DecRef",
        "clock_gettime",
        "pthread_mutex_lock",
        "pthread_mutex_unlock",
        "sem_post",
        "sem_timedwait",
        "sem_trywait",
        "sem_wait",
    },
    "roundings": set[str](),
    "sizes": set[str](),
    "tensors": {
        "PyErr_BadArgument",
        "PyErr_Clear",
        "PyEval_RestoreThread",
        "PyEval_SaveThread",
        "PyObject_CallNoArgs",
        "Py_DecRef",
        "Py_IncRef",
        "clock_gettime",
    },
    "xla": {
        "PyErr_Clear",
        "PyErr_Fetch",
        "PyErr_NormalizeException",
        "PyEval_RestoreThread",
        "PyEval_SaveThread",
        "PyGILState_Ensure",
        "PyGILState_Release",
        "PyObject_CallNoArgs",
        "PyObject_Str",
        "PyUnicode_AsUTF8",
        "Py_DecRef",
        "clock_gettime",
        "fegetenv",
        "fesetenv",
        "sched_yield",
    },
}
"""What each object calls by name; a signal handler may call nothing else."""


ROUNDINGS = Stub("roundings", "roundings_module", NAMES)
ALL = {**STUBS, "roundings": ROUNDINGS}


@cache
def built(name: str) -> Module:
    """The IR of a stub, which no test changes."""
    return build(name)


def build(name: str) -> Module:
    stub = ALL[name]
    module = import_module(f"snippets_mlir.codegen.stubs.{stub.module}")
    found = getattr(module, stub.build)()
    assert isinstance(found, Module)
    return found


def printed(module: Module) -> str:
    out = StringIO()
    Printer(out).print_op(module.op)
    return out.getvalue()


@pytest.mark.parametrize("name", sampled(ALL, 3))
def test_it_verifies_prints_and_parses_back(name: str) -> None:
    module = built(name)
    module.op.verify()
    verify_dominance(module.op)
    text = printed(module)
    parsed = parse_module(text, make_context(), "stub")
    assert parsed.is_structurally_equivalent(module.op)
    assert emit_llvm(parsed) == module.llvm_text()


@pytest.mark.parametrize("name", ALL)
def test_equal_builds_give_equal_text(name: str) -> None:
    assert build(name).llvm_text() == built(name).llvm_text()


def test_the_files_have_the_texts() -> None:
    found = {path.name: path.read_text("utf-8") for path in TEXTS.iterdir()}
    changed = [name for name, text in texts() if found.pop(name, None) != text]
    assert not changed, "run python -m snippets_mlir.codegen.stubs.write_texts"
    assert not found  # files of no stub


def test_only_files_that_differ_are_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Others may be read at that moment."""
    monkeypatch.setattr(write_texts, "TEXTS", tmp_path / "texts")
    write_texts.main()
    files = sorted((tmp_path / "texts").iterdir())
    assert [file.name for file in files] == sorted(path.name for path in TEXTS.iterdir())
    files[0].write_text("of before", "utf-8")
    (tmp_path / "texts" / "of_no_stub.ll").touch()
    before = {file: file.stat().st_mtime_ns for file in files}
    write_texts.main()
    assert sorted((tmp_path / "texts").iterdir()) == files
    assert [file for file in files if file.stat().st_mtime_ns != before[file]] == files[:1]
    assert files[0].read_text("utf-8") == (TEXTS / files[0].name).read_text("utf-8")


def test_a_machine_has_its_own_text(monkeypatch: pytest.MonkeyPatch) -> None:
    for machine, pause in (("x86_64", "sse2.pause"), ("aarch64", "aarch64.hint"), ("other", "")):
        monkeypatch.setattr(platform, "machine", lambda machine=machine: machine)
        stub_text.cache_clear()
        found = re.findall(r"declare void @llvm\.(?:x86\.)?([\w.]+)\(", stub_text("launch"))
        assert found == [pause] * bool(pause)
        assert stub_text("call") == built("call").llvm_text()
    stub_text.cache_clear()


def test_every_module_of_stubs_is_here() -> None:
    folder = Path(objects.__file__).parent
    found = {
        p.stem
        for p in folder.glob("*.py")
        if re.search(r"^def \w+_module", p.read_text("utf-8"), re.M)
    }
    assert found == {stub.module for stub in ALL.values()}


@pytest.mark.parametrize("name", ALL)
def test_the_object_has_its_symbols_and_needs_no_others(name: str) -> None:
    triple, cpu, features = host_cpu()
    image = compile_object(built(name).llvm_text(), triple=triple, cpu=cpu, features=features)
    assert set(undefined_symbols(image)) == OF_THE_PROCESS[name]
    loaded = LoadedObject(image, ALL[name].symbols)
    assert all(map(loaded.address, ALL[name].symbols))
    exported = {
        op.sym_name.data
        for op in built(name).op.ops
        if isinstance(op, llvm.FuncOp | llvm.GlobalOp)
        and op.linkage.linkage.data != "internal"
        and (isinstance(op, llvm.GlobalOp) or op.body.blocks)
    }
    assert exported == set(ALL[name].symbols)


def is_by_name(op: GEPOp) -> bool:
    """Whether an address is that of a field, of an item, or of what follows a struct."""
    indices = op.rawConstantIndices.get_values()
    if isinstance(op.elem_type, LLVMStructType):
        field = len(indices) == 2 and indices[0] == 0 and indices[1] < len(op.elem_type.types)
        return field or len(indices) == 1
    return len(indices) == 1 and not isinstance(op.elem_type, LLVMArrayType)


@pytest.mark.parametrize("name", ALL)
def test_memory_is_reached_by_fields_and_items(name: str) -> None:
    """No address is a struct's plus a number of bytes: only characters are bytes."""
    for op in built(name).op.walk():
        if isinstance(op, GEPOp):
            assert is_by_name(op), op
            if str(op.elem_type) == "i8":
                assert is_characters(op.ptr), op
        elif isinstance(op, LoadOp | StoreOp):
            assert op.alignment is not None


def is_characters(value: SSAValue) -> bool:
    """Whether a pointer is to characters: a parameter, a buffer, or the field of a line."""
    made = value.owner
    if isinstance(made, GEPOp):
        return isinstance(made.elem_type, LLVMStructType) or str(made.elem_type) == "i8"
    if isinstance(made, llvm.AllocaOp):
        return str(made.elem_type).endswith("i8>")
    return not isinstance(made, LoadOp)


def test_an_address_by_bytes_would_be_found() -> None:
    text = """
llvm.func @f(%p: !llvm.ptr) -> i64 {
  %q = llvm.load %p {alignment = 8 : i64} : !llvm.ptr -> !llvm.ptr
  %a = llvm.getelementptr %q[16] : (!llvm.ptr) -> !llvm.ptr, i8
  %v = llvm.load %a {alignment = 8 : i64} : !llvm.ptr -> i64
  llvm.return %v : i64
}"""
    module = parse_module(text, make_context(), "test")
    (address,) = (op for op in module.walk() if isinstance(op, GEPOp))
    assert is_by_name(address)
    assert not is_characters(address.ptr)
