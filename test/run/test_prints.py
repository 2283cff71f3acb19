"""`vector.print`, executed: machine code and the interpreter write the text that MLIR writes."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest
from warm_process import run_warm

from snippets_mlir.passes.pipelines import AFFINE_TO_LLVM

CHILD = dedent("""
    import sys
    import numpy as np
    import snippets_mlir
    f = snippets_mlir.compile(sys.stdin.read())
    print("before")
    sys.stdout.flush()
    if sys.argv[1] == "machine code":
        f(5)
    else:
        f.interpreted([np.int64(5)])
    print("after")
""")
TEXT = """
func.func @f(%n: index) {
  %x = arith.constant 1.5 : f32
  %nan = arith.constant 0x7FC00000 : f32
  %negative = arith.constant 0xFFC00000 : f32
  %m = arith.constant dense<[[1, 2], [3, -4]]> : vector<2x2xi32>
  %w = arith.constant dense<[1.0, -0.0, 3.141592653589793, 1.0e300, 0xFFF0000000000000]>
    : vector<5xf64>
  %h = arith.constant dense<[0.1, 65504.0]> : vector<2xf16>
  %b = arith.constant dense<[true, false]> : vector<2xi1>
  %i = arith.constant -7 : index
  %u = arith.constant 200 : i8
  %l = arith.constant -9223372036854775808 : i64
  %t = arith.constant true
  %z = arith.constant dense<5.0> : vector<f32>
  %long = vector.step : vector<20xindex>
  %cube = vector.shape_cast %long : vector<20xindex> to vector<2x1x10xindex>
  vector.print %x : f32
  vector.print %nan : f32
  vector.print %negative : f32
  vector.print %m : vector<2x2xi32>
  vector.print %w : vector<5xf64>
  vector.print %h : vector<2xf16>
  vector.print %b : vector<2xi1>
  vector.print %i : index
  vector.print %u : i8
  vector.print %l : i64
  vector.print %t : i1
  vector.print %z : vector<f32>
  vector.print %long : vector<20xindex> punctuation <comma>
  vector.print %cube : vector<2x1x10xindex>
  vector.print str "100%s, "
  vector.print %x : f32 punctuation <comma>
  vector.print punctuation <open>
  vector.print %n : index punctuation <no_punctuation>
  vector.print punctuation <close>
  vector.print punctuation <no_punctuation>
  vector.print
  func.return
}
"""
COUNT = ", ".join(map(str, range(20)))
HALVES = [", ".join(map(str, range(*ends))) for ends in ((0, 10), (10, 20))]
EXPECTED = f"""before
1.5
nan
-nan
( ( 1, 2 ), ( 3, -4 ) )
( 1, -0, 3.14159, 1e+300, -inf )
( 0.0999756, 65504 )
( 1, 0 )
18446744073709551609
-56
-9223372036854775808
1
( 5 )
( {COUNT} ), ( ( ( {HALVES[0]} ) ), ( ( {HALVES[1]} ) ) )
100%s, 1.5, ( 5 )
after
"""


@pytest.mark.parametrize("kind", ["machine code", "interpreter"])
def test_what_is_printed(kind: str):
    done = run_warm("-c", CHILD, kind, input=TEXT)
    assert done.stderr == ""
    assert done.stdout == EXPECTED


def test_the_same_text_after_every_pass(tmp_path: Path):
    file = tmp_path / "prints.mlir"
    head = "func.func @f() {\n  %n = arith.constant 5 : index\n"
    file.write_text(TEXT.replace("func.func @f(%n: index) {\n", head), encoding="utf-8")
    options = ("-p", ",".join(AFFINE_TO_LLVM[:-1]), "--check-each")
    code = "import sys; from snippets_mlir.tools import snippets_opt; sys.exit(snippets_opt.main())"
    done = run_warm("-c", code, str(file), *options)
    assert done.returncode == 0, done.stderr
    printed, _, module = done.stdout.partition("builtin.module")
    once = EXPECTED.removeprefix("before\n").removesuffix("after\n")
    assert "llvm.call @printf" in module
    assert printed.count(once) > 10
    assert printed == once * printed.count(once)
