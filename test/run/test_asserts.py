"""`cf.assert`, executed: nothing where it holds, else the message and the end of the process."""

from __future__ import annotations

import signal
from textwrap import dedent

import numpy as np
import pytest
from warm_process import run_warm

import snippets_mlir
from snippets_mlir import CompileError
from snippets_mlir.driver.memrefs.program import MemRefProgram

MESSAGE = 'expected \\"x\\" > 0: larger\\n100%s'
TEXT = f"""
func.func @f(%X: memref<?xf32>) -> f32 {{
  %zero = index.constant 0
  %one = index.constant 1
  %z = arith.constant 0.0 : f32
  %n = memref.dim %X, %zero : memref<?xf32>
  %some = index.cmp ugt(%n, %zero)
  cf.assert %some, "no elements"
  %s = scf.for %i = %zero to %n step %one iter_args(%sum = %z) -> (f32) {{
    %x = memref.load %X[%i] : memref<?xf32>
    %more = arith.cmpf ogt, %x, %z : f32
    cf.assert %more, "{MESSAGE}"
    %next = arith.addf %sum, %x : f32
    scf.yield %next : f32
  }}
  func.return %s : f32
}}
"""
CHILD = dedent("""
    import resource, sys
    import numpy as np
    import snippets_mlir
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    f = snippets_mlir.compile(sys.stdin.read())
    print(f(np.array(eval(sys.argv[1]), np.float32)), flush=True)
""")


def test_it_holds():
    m = snippets_mlir.compile(TEXT)
    assert isinstance(m, MemRefProgram)
    x = np.array([1, 2, 4], np.float32)
    assert m(x) == 7
    assert m.interpreted([x]) == (7,)


@pytest.mark.parametrize(
    ("numbers", "message"),
    [("[]", "no elements\n"), ("[1, 0]", 'expected "x" > 0: larger\n100%s\n')],
)
def test_it_fails(numbers: str, message: str):
    done = run_warm("-c", CHILD, numbers, input=TEXT)
    assert done.returncode == -signal.SIGABRT
    assert done.stdout == ""
    assert done.stderr == message


@pytest.mark.parametrize(("numbers", "message"), [([], "no elements"), ([1, -1], "larger")])
def test_it_fails_in_the_interpreter(numbers: list[int], message: str):
    m = snippets_mlir.compile(TEXT)
    assert isinstance(m, MemRefProgram)
    with pytest.raises(CompileError, match=f"the assertion does not hold: .*{message}") as error:
        m.interpreted([np.array(numbers, np.float32)])
    assert error.value.line is not None
