"""Text that is too deep or too large is one `CompileError`, wherever it is noticed."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import numpy as np
import pytest
from sampled import sampled

import snippets_mlir
from snippets_mlir import CompileError
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.support.literal_parser import MAX_ELEMENTS
from snippets_mlir.support.parsing import parse_module
from snippets_mlir.tools.snippets_opt import main

RELU = """func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = snippets.relu %x : tensor<2x3xf32>
  func.return %0 : tensor<2x3xf32>
}"""
X = np.linspace(-1, 1, 6, dtype=np.float32).reshape(2, 3)


def attribute(text: str) -> str:
    return RELU.replace("relu %x", f"relu %x {{a = {text}}}")


def located(text: str) -> str:
    return RELU.replace("tensor<2x3xf32>\n  func", f"tensor<2x3xf32> loc({text})\n  func")


def argument(type_: str, before: str = "") -> str:
    return f"{before}func.func @main(%x: {type_}) {{\n  func.return\n}}"


def chain(sign: str, first: str, rest: str, depth: int) -> str:
    """Aliases of which each holds the one before."""
    lines = [f"{sign}a0 = {first}\n"]
    lines += [f"{sign}a{i} = {rest.format(f'{sign}a{i - 1}')}\n" for i in range(1, depth)]
    return "".join(lines)


def loops(depth: int) -> str:
    begins = "".join(f"affine.for %i{i} = 0 to 2 {{\n" for i in range(depth))
    return f"func.func @main(%x: memref<4xf32>) {{\n{begins}{'}' * depth}\n  func.return\n}}"


NESTED: dict[str, Callable[[int], str]] = {
    "modules": lambda n: "builtin.module {\n" * n + RELU + "}" * n,
    "loops": loops,
    "tuples": lambda n: argument("tuple<" * n + "f32" + ">" * n),
    "structs": lambda n: argument("!llvm.struct<(" * n + "f32" + ")>" * n),
    "functions": lambda n: argument("() -> (" * n + "f32" + ")" * n),
    "maps": lambda n: argument(f"memref<4xf32, affine_map<(d0) -> ({'(' * n}d0{')' * n})>>"),
    "sums": lambda n: argument(f"memref<4xf32, affine_map<(d0) -> (d0{' + d0' * n})>>"),
    "arrays": lambda n: attribute("[" * n + "]" * n),
    "dictionaries": lambda n: attribute("{b = " * n + "1" + "}" * n),
    "fused": lambda n: located("fused[" * n + '"a":1:1' + "]" * n),
    "calls": lambda n: located("callsite(" * n + '"a":1:1' + ' at "b":1:1)' * n),
    "names": lambda n: located('"n"(' * n + '"a":1:1' + ")" * n),
    "elements": lambda n: attribute("dense<" + "[" * n + "1" + "]" * n + "> : tensor<1xi64>"),
    "aliases": lambda n: chain("#", "[1]", "[{}]", n) + attribute(f"#a{n - 1}"),
    "types": lambda n: argument(f"!a{n - 1}", chain("!", "f32", "tuple<{}>", n)),
}


@pytest.mark.parametrize(("depth", "kind"), sampled(product([60, 200, 300, 2000], NESTED), 2))
def test_deep_text(kind: str, depth: int) -> None:
    """It compiles or is refused; Python's recursion once ended in copies and hashes of it."""
    refused = ""
    try:
        program = snippets_mlir.compile(NESTED[kind](depth))
        if not program.on_memrefs:
            np.testing.assert_array_equal(program(X), np.maximum(X, 0))
    except CompileError as error:
        refused = error.message
    assert "\n" not in refused
    assert depth > 60 or "nested too deeply" not in refused


def test_deep_text_has_a_place(capsys: pytest.CaptureFixture[str]) -> None:
    text = loops(2000)
    with pytest.raises(CompileError, match="the text is nested too deeply") as caught:
        parse_module(text, make_context())
    assert caught.value.line is not None
    assert caught.value.line > 50


def test_a_deep_program_in_memory() -> None:
    module = parse_module(NESTED["aliases"](2000), make_context())
    with pytest.raises(CompileError, match="nested too deeply"):
        snippets_mlir.compile(module)


@pytest.mark.parametrize("kind", ["aliases", "types"])
def test_the_tool_prints_one_line(
    tmp_path_factory: pytest.TempPathFactory, capsys: pytest.CaptureFixture[str], kind: str
) -> None:
    path = tmp_path_factory.mktemp("deep") / "deep.mlir"
    path.write_text(NESTED[kind](2000))
    assert main([str(path), "-p", "cse"]) == 1
    error = capsys.readouterr().err
    assert "nested too deeply" in error
    assert "internal error" not in error


@pytest.mark.parametrize("depth", [1, 100, 5000])
def test_deep_pipelines(depth: int) -> None:
    """Anchors are read in a loop."""
    opened, closed = "builtin.module(" * depth, ")" * depth
    program = snippets_mlir.compile(RELU, pipeline=f"{opened}snippets-to-llvm{closed}")
    np.testing.assert_array_equal(program(X), np.maximum(X, 0))
    program = snippets_mlir.compile(RELU, insert_passes=[f"end:{opened}cse{closed}"])
    np.testing.assert_array_equal(program(X), np.maximum(X, 0))
    with pytest.raises(CompileError, match=r"expected '\)' at the end of 'builtin.module\("):
        snippets_mlir.compile(RELU, pipeline=f"{opened}snippets-to-llvm{closed[1:]}")
    with pytest.raises(CompileError, match=r"expected ',' between passes, found '\)'"):
        snippets_mlir.compile(RELU, pipeline=f"{opened}snippets-to-llvm{closed})")


@pytest.mark.parametrize("value", ["1.0", '"0x0000803F"'])
@pytest.mark.parametrize("count", [MAX_ELEMENTS + 1, 10**11, 10**30])
def test_large_literals(count: int, value: str) -> None:
    """One element that fills a tensor was once written out: a `MemoryError`."""
    for type_ in (f"tensor<{count}xf32>", f"tensor<1x{count}xf32>"):
        text = f"""func.func @main() -> {type_} {{
          %0 = snippets.constant dense<{value}> : {type_}
          func.return %0 : {type_}
        }}"""
        with pytest.raises(CompileError, match="elements is too large") as caught:
            snippets_mlir.compile(text)
        assert caught.value.line == 2
    with pytest.raises(CompileError, match="elements is too large"):
        snippets_mlir.compile(argument("f32").replace(
            "func.return", f"%0 = arith.constant dense<{value}> : vector<{count}xf32>\nfunc.return"
        ))  # fmt: skip
