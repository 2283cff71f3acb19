"""Passes that are files of `pdl.pattern`s: what is refused, and what a pattern may break."""

from __future__ import annotations

from pathlib import Path

import pytest

from snippets_mlir.passmanager.context import make_context
from snippets_mlir.passmanager.pipeline import parse_pipeline, run_passes
from snippets_mlir.passmanager.plugins import load_pass_plugin
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.parsing import parse_module
from snippets_mlir.support.printing import print_module

PROGRAM = """
func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = snippets.add %x, %y : tensor<4xf32>
  func.return %0 : tensor<4xf32>
}
"""
MATCH = """
  %t = pdl.type
  %x = pdl.operand : %t
  %y = pdl.operand : %t
  %add = pdl.operation "snippets.add" (%x, %y : !pdl.value, !pdl.value) -> (%t : !pdl.type)
"""


def run(folder: Path, body: str, options: str = "") -> str:
    """What the pass of one pattern makes of `PROGRAM`."""
    file = folder / "my_pass.mlir"
    file.write_text(f"pdl.pattern @mine : benefit(1) {{{MATCH}{body}}}")
    ctx = make_context()
    assert load_pass_plugin(str(file), ctx) == ("my-pass",)
    module = parse_module(PROGRAM, ctx)
    run_passes(module, ctx, parse_pipeline(f"my-pass{options}", ctx))
    return print_module(module)


SWAP = """
  pdl.rewrite %add {
    %n = pdl.operation "snippets.add" (%y, %x : !pdl.value, !pdl.value) -> (%t : !pdl.type)
    pdl.replace %add with %n
  }
"""


@pytest.mark.parametrize(("count", "operands"), [(1, "%y, %x"), (2, "%x, %y"), (10, "%x, %y")])
def test_sweeps_end(tmp_path: Path, count: int, operands: str) -> None:
    text = run(tmp_path, SWAP, f"{{max-iterations={count} test-convergence=false}}")
    assert f"snippets.add {operands} : tensor<4xf32>" in text


@pytest.mark.parametrize("options", ["", "{max-iterations=10}"])
def test_patterns_that_never_end_are_an_error_at_the_op(tmp_path: Path, options: str) -> None:
    message = r"'mine' still matches snippets\.add after 10 "
    with pytest.raises(CompileError, match=message) as error:
        run(tmp_path, SWAP, options)
    assert error.value.line == 3


def test_patterns_that_end_in_the_last_sweep_are_none(tmp_path: Path) -> None:
    body = "pdl.rewrite %add { pdl.replace %add with (%x : !pdl.value) }"
    assert "return %x" in run(tmp_path, body, "{max-iterations=1}")
    with pytest.raises(CompileError, match="max-iterations takes 1 or more, found 0"):
        run(tmp_path, body, "{max-iterations=0}")


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (SWAP.replace("snippets.add", "snippets.nothing"), "'snippets.nothing', which no dialect"),
        (
            '%z = pdl.operand\n%o = pdl.operation "snippets.exp" (%z : !pdl.value) -> (%t : '
            "!pdl.type)\npdl.rewrite %add { pdl.replace %o with (%x : !pdl.value) }",
            "connected|does not lead to",
        ),
        (
            'pdl.apply_native_constraint "f"(%x : !pdl.value)\n'
            "pdl.rewrite %add { pdl.replace %add with (%x : !pdl.value) }",
            "pdl.apply_native_constraint is not supported",
        ),
        ('pdl.rewrite %add with "f"', "expected|native"),
    ],
)
def test_files_that_are_refused(tmp_path: Path, body: str, message: str) -> None:
    with pytest.raises(CompileError, match=message) as error:
        run(tmp_path, body)
    assert (error.value.file or "").endswith("my_pass.mlir")
    assert error.value.line


def test_files_without_a_pattern(tmp_path: Path) -> None:
    file = tmp_path / "empty.mlir"
    file.write_text(PROGRAM)
    with pytest.raises(CompileError, match=r"has no pdl\.pattern"):
        load_pass_plugin(str(file), make_context())
    with pytest.raises(CompileError, match="cannot be loaded"):
        load_pass_plugin(str(tmp_path / "absent.mlir"), make_context())
    file.write_text("pdl.pattern : benefit(1) {")
    with pytest.raises(CompileError) as error:
        load_pass_plugin(str(file), make_context())
    assert error.value.line == 1


def test_a_name_that_is_taken(tmp_path: Path) -> None:
    file = tmp_path / "canonicalize.mlir"
    file.write_text(f"pdl.pattern @mine : benefit(1) {{{MATCH}{SWAP}}}")
    with pytest.raises(CompileError, match="already a pass 'canonicalize'"):
        load_pass_plugin(str(file), make_context())


def test_what_does_not_verify_is_an_error(tmp_path: Path) -> None:
    wrong = """
      pdl.rewrite %add {
        %s = pdl.type : tensor<5xf32>
        %n = pdl.operation "snippets.exp" (%x : !pdl.value) -> (%s : !pdl.type)
        pdl.replace %add with %n
      }
    """
    with pytest.raises(CompileError, match=r"snippets\.exp expects a result of shape 4, found 5"):
        run(tmp_path, wrong)


def test_results_that_do_not_fit_are_an_error(tmp_path: Path) -> None:
    wrong = """
      pdl.rewrite %add {
        %n = pdl.operation "snippets.exp" (%x : !pdl.value)
        pdl.replace %add with %n
      }
    """
    with pytest.raises(CompileError, match=r"pattern 'mine' at snippets\.add") as error:
        run(tmp_path, wrong)
    assert error.value.line == 3
