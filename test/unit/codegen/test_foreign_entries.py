"""Entries of the cache with a right sum and foreign content are compiled anew, without a word."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from foreign_entries import TEXT, changed, entry_of, joined, only, parts

import snippets_mlir
from snippets_mlir.codegen import cache
from snippets_mlir.codegen.compile import compile_object
from snippets_mlir.codegen.elf import is_object_for, undefined_symbols
from snippets_mlir.codegen.host import host_cpu
from snippets_mlir.codegen.load import LoadedObject
from snippets_mlir.driver.cache import stored
from snippets_mlir.driver.cache.program_cache import read_program
from snippets_mlir.driver.cache.program_entry import MAGIC
from snippets_mlir.driver.cache.sealed import sealed, unsealed

NEST = """
func.func @main(%A: memref<64xf32>) {
  affine.for %i = 0 to 64 {
    %0 = affine.load %A[%i] : memref<64xf32>
    %1 = arith.addf %0, %0 : f32
    affine.store %1, %A[%i] : memref<64xf32>
  }
  func.return
}
"""

X = np.linspace(-3, 3, 20, dtype=np.float32).reshape(4, 5)
Y = np.array([0, 1, -1, np.nan, np.inf], np.float32)


def with_code(code: Callable[[bytes], bytes]) -> Callable[[bytes], bytes]:
    """An entry with other code, and the header that belongs to it."""

    def damage(raw: bytes) -> bytes:
        header, rest = parts(raw)
        (size,) = header["code"]
        other = code(rest[:size])
        return joined({**header, "code": [len(other)]}, other + rest[size:])

    return damage


def compiled_for(triple: str, text: str = "define void @f() {\n  ret void\n}\n") -> bytes:
    return compile_object(text, triple=triple, cpu="", features="")


FOREIGN_TRIPLE = "x86_64" if host_cpu()[0].startswith("aarch64") else "aarch64"
CODES: dict[str, Callable[[bytes], bytes]] = {
    "no object": lambda code: b"x" * 99,
    "nothing": lambda code: b"",
    "half": lambda code: code[: len(code) // 2],
    "a header": lambda code: code[:64],
    "without its end": lambda code: code[:-10],
    "another machine": lambda code: compiled_for(f"{FOREIGN_TRIPLE}-unknown-linux-gnu"),
    "a program": lambda code: Path(sys.executable).resolve().read_bytes()[: 1 << 20],
    "other symbols": lambda code: compiled_for(host_cpu()[0]),
}

HEADERS: dict[str, Callable[[bytes], bytes]] = {
    "another magic": lambda raw: b"SNPQ" + raw[4:],
    "only a magic": lambda raw: MAGIC,
    "no JSON": lambda raw: joined(b"]]]]", b""),
    "deep JSON": lambda raw: joined(b"[" * 200_000, b""),
    "deep objects": lambda raw: joined(b'{"manifest":' * 100_000, b""),
    "no UTF-8": lambda raw: joined(b"\xff\xfe{}", b""),
    "a list": lambda raw: joined([], b""),
    "a number": lambda raw: joined(7, b""),
    "a long header": lambda raw: sealed(MAGIC, b"\xff" * 8 + unsealed(MAGIC, raw)[8:]),
    "a short header": lambda raw: sealed(MAGIC, b"\x07"),
    "another sum": lambda raw: raw[:4] + bytes(32) + raw[36:],
    "a grain without an end": changed(lambda h: h["manifest"]["steps"][0].update(grain=1 << 70)),
    "a cost below 0": changed(lambda h: h["manifest"]["steps"][0].update(cost=-1)),
    "sizes of a call": changed(lambda h: h["manifest"]["steps"][0].update(rt=[1 << 70])),
    "no manifest": changed(lambda h: h.pop("manifest")),
    "no constants": changed(lambda h: h.update(constants=[])),
    "no kernels": changed(lambda h: h.update(kernels=[{}])),
    "other reports": changed(lambda h: h.update(opaque=[["a", "b"]])),
    "no code": changed(lambda h: h.update(code=[0])),
    "code from before": changed(lambda h: h.update(code=[-1])),
    "too much code": changed(lambda h: h.update(code=[1 << 40])),
    "no object": changed(lambda h: h.update(code=[])),
    "code in two": changed(lambda h: h.update(code=[99, h["code"][0] - 99])),
    "two objects, one of them empty": changed(lambda h: h.update(code=[*h["code"], 0])),
    "text as a size": changed(lambda h: h["manifest"]["values"][0].update(shape=["4", 5])),
    "true as a size": changed(lambda h: h["manifest"]["values"][0].update(shape=[True, 5])),
    "an unknown size": changed(lambda h: h["manifest"]["values"][0].update(shape=[None, 5])),
    "a negative size": changed(lambda h: h["manifest"]["values"][0].update(shape=[-4, 5])),
    "a huge size": changed(lambda h: h["manifest"]["values"][0].update(shape=[1 << 62, 1 << 62])),
    "an unknown dtype": changed(lambda h: h["manifest"]["values"][0].update(dtype="float99")),
    "no dtype": changed(lambda h: h["manifest"]["values"][0].update(dtype="__name__")),
    "another input": changed(lambda h: h["manifest"]["inputs"][0].update(shape=[8, 5])),
    "a missing value": changed(lambda h: h["manifest"]["inputs"][0].update(value=99)),
    "the last value": changed(lambda h: h["manifest"]["inputs"][0].update(value=-1)),
    "an unwritten output": changed(lambda h: h["manifest"].update(steps=[])),
    "steps backwards": changed(lambda h: h["manifest"]["steps"].reverse()),
    "a step twice": changed(lambda h: h["manifest"]["steps"].append(h["manifest"]["steps"][0])),
    "no grain": changed(lambda h: h["manifest"]["steps"][0].update(grain=0)),
    "a negative domain": changed(lambda h: h["manifest"]["steps"][0].update(domain=-5)),
    "no domain": changed(lambda h: h["manifest"]["steps"][0].pop("domain")),
    "an executor": changed(lambda h: h["manifest"]["steps"][0].update(kind="execute")),
    "counters": changed(lambda h: h["manifest"]["steps"][0].update(counters=[])),
    "another symbol": changed(lambda h: h["manifest"]["steps"][0].update(symbol="nobody")),
    "an array elsewhere": changed(lambda h: h["manifest"]["steps"][0].update(aligned=[9, 4])),
    "a constant elsewhere": changed(lambda h: h["constants"][0].update(offset=1 << 30)),
    "a constant before": changed(lambda h: h["constants"][0].update(offset=-8)),
    "half a constant": changed(lambda h: h["constants"][0].update(bytes=8)),
    "another constant": changed(lambda h: h["constants"][0].update(dtype="int32")),
    "a constant of nobody": changed(lambda h: h["constants"][0].update(value=0)),
    "a wide view": changed(lambda h: h["manifest"]["values"][-1].update(shape=[40])),
}


@pytest.fixture(autouse=True)
def _silence(capfd: pytest.CaptureFixture[str]) -> Iterator[None]:
    yield
    assert capfd.readouterr() == ("", "")


ENTRIES = {**HEADERS, **{f"code: {case}": with_code(code) for case, code in CODES.items()}}


def test_foreign_entries_are_refused(cache_directory: Path) -> None:
    snippets_mlir.compile(TEXT)
    path = only(cache_directory, "programs")
    right = entry_of(path)
    for case, damage in ENTRIES.items():
        cache.write_entry(path, damage(right))
        assert read_program(path.name, 1) is None, case
    cache.write_entry(path, right)
    assert read_program(path.name, 1) is not None


@pytest.mark.parametrize("case", ["deep JSON", "no dtype", "code: no object"])
def test_foreign_entries_are_compiled_anew(cache_directory: Path, case: str) -> None:
    expected = snippets_mlir.compile(TEXT)(X, Y)
    path = only(cache_directory, "programs")
    cache.write_entry(path, ENTRIES[case](entry_of(path)))
    again, after = snippets_mlir.compile(TEXT), snippets_mlir.compile(TEXT)
    assert again.from_cache is None
    assert after.from_cache == "program"
    for program in (again, after):
        np.testing.assert_array_equal(program(X, Y)[0], expected[0])
        np.testing.assert_array_equal(program(X, Y)[1], expected[1])


@pytest.mark.parametrize("text", [TEXT, NEST])
def test_foreign_objects(cache_directory: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(stored, "program_key", lambda *_: None)  # pyright: ignore

    def called() -> list[Any]:
        program = snippets_mlir.compile(text)
        arrays = [np.ones(spec.static_shape, spec.dtype) for spec in program.inputs]
        results = program(*arrays)
        return arrays if results is None else list(results)

    expected = called()
    path = only(cache_directory, "objects")
    right = entry_of(path)
    for case, damage in CODES.items():
        cache.write_entry(path, damage(right))
        for found, wanted in zip(called(), expected, strict=True):
            np.testing.assert_array_equal(found, wanted, case)
        assert entry_of(path) == right, case


def test_a_program_of_another_name_is_compiled_anew(cache_directory: Path) -> None:
    other = TEXT.replace("maximum", "minimum")
    snippets_mlir.compile(TEXT)
    path = only(cache_directory, "programs")
    snippets_mlir.compile(other)
    (second,) = {*(cache_directory / "programs").iterdir()} - {path}
    second.write_bytes(path.read_bytes())
    again = snippets_mlir.compile(other)
    assert again.from_cache is None


def test_elf_headers_and_symbols_are_read() -> None:
    triple, cpu, features = host_cpu()
    text = "declare double @cbrt(double)\ndeclare void @snippets_nobody()\n"
    text += "define double @f(double %x) {\n  call void @snippets_nobody()\n"
    text += "  %r = call double @cbrt(double %x)\n  ret double %r\n}\n"
    code = compile_object(text, triple=triple, cpu=cpu, features=features)
    assert is_object_for(code, triple)
    assert sorted(undefined_symbols(code)) == ["cbrt", "snippets_nobody"]
    assert undefined_symbols(code[:100]) == undefined_symbols(b"no object") == []
    assert not is_object_for(code, f"{FOREIGN_TRIPLE}-unknown-linux-gnu")
    assert is_object_for(b"", "wasm32-unknown-unknown")
    with pytest.raises(Exception, match="no such symbol: snippets_nobody"):
        LoadedObject(code, ["f"])
