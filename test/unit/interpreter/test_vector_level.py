"""The vector and the llvm level: what ops compute, and what a kernel may not do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from snippets_mlir.interpreter import Interpreter
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.parsing import parse_module

Array = np.ndarray[Any, np.dtype[Any]]
X = np.array([1.5, -2.0, 3.0, 0.25], np.float32)

KERNEL = """
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = lir.call @k(%x) : (tensor<4xf32>) -> tensor<4xf32>
  func.return %0 : tensor<4xf32>
}
llvm.mlir.global internal constant @table(dense<[10.0, 20.0, 30.0]> : tensor<3xf32>)
    : !llvm.array<3 x f32>
llvm.mlir.global internal constant @aligned(dense<[1.0, 2.0, 3.0, 4.0]> : vector<4xf32>)
    {alignment = 16 : i64} : vector<4xf32>
func.func @k(%args: !llvm.ptr, %begin: i64, %end: i64, %thread: i64)
    attributes {snippets.kernel, snippets.domain = DOMAIN : i64, snippets.grain = 1 : i64,
                snippets.scratch = 64 : i64} {
  %data = llvm.load %args {alignment = 8 : i64} : !llvm.ptr -> !llvm.ptr
  %x = llvm.load %data {alignment = 8 : i64} : !llvm.ptr -> !llvm.ptr
  %slot = llvm.getelementptr %data[1] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
  %y = llvm.load %slot {alignment = 8 : i64} : !llvm.ptr -> !llvm.ptr
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c3 = arith.constant 3 : i64
  %v = llvm.load %x {alignment = 4 : i64} : !llvm.ptr -> vector<4xf32>
  %s = llvm.load %x {alignment = 4 : i64} : !llvm.ptr -> f32
  BODY
  func.return
}
"""

STORE = "\n  llvm.store %r, %y {alignment = 4 : i64} : vector<4xf32>, !llvm.ptr"


def run(body: str, domain: int = 1) -> Array:
    text = KERNEL.replace("BODY", body).replace("DOMAIN", str(domain))
    (found,) = Interpreter(parse_module(text, make_context(), "k.mlir")).run("main", [X])
    return found


VALUES: dict[str, list[float]] = {
    # Lanes moved about.
    "%r = vector.shuffle %v, %v [3, 2, 5, 4] : vector<4xf32>, vector<4xf32>": [0.25, 3, -2, 1.5],
    "%r = vector.broadcast %s : f32 to vector<4xf32>": [1.5, 1.5, 1.5, 1.5],
    "%e = vector.extract %v[2] : f32 from vector<4xf32>\n"
    "%r = vector.insert %e, %v[0] : f32 into vector<4xf32>": [3, -2, 3, 0.25],
    "%e:4 = vector.to_elements %v : vector<4xf32>\n"
    "%r = vector.from_elements %e#3, %e#0, %e#0, %e#1 : vector<4xf32>": [0.25, 1.5, 1.5, -2],
    # Folds: the sum is in order and starts from the accumulator.
    "%a = vector.reduction <add>, %v, %s : vector<4xf32> into f32\n"
    "%r = vector.broadcast %a : f32 to vector<4xf32>": [4.25] * 4,
    "%a = vector.reduction <minimumf>, %v : vector<4xf32> into f32\n"
    "%r = vector.broadcast %a : f32 to vector<4xf32>": [-2] * 4,
    # Masks, and a select that drops poison.
    "%n = arith.constant 2 : index\n"
    "%m = vector.create_mask %n : vector<4xi1>\n"
    "%p = llvm.mlir.poison : vector<4xf32>\n"
    "%half = arith.select %m, %v, %p : vector<4xi1>, vector<4xf32>\n"
    "%r = arith.select %m, %half, %v : vector<4xi1>, vector<4xf32>": [1.5, -2, 3, 0.25],
    # 10^30 has no i32: poison, which is dropped.
    "%big = arith.constant dense<[1.0, 1.0e30, 2.0, -1.0e30]> : vector<4xf32>\n"
    "%i = arith.fptosi %big : vector<4xf32> to vector<4xi32>\n"
    "%f = arith.sitofp %i : vector<4xi32> to vector<4xf32>\n"
    "%m = arith.constant dense<[true, false, true, false]> : vector<4xi1>\n"
    "%r = arith.select %m, %f, %v : vector<4xi1>, vector<4xf32>": [1, -2, 2, 0.25],
    # What kind of number it is, and the nearest one in a range.
    "%k = arith.constant dense<[1.0, 0x7F800000, 1.0e-40, 0x7FC00000]> : vector<4xf32>\n"
    "%a = math.isnormal %k : vector<4xf32>\n"
    "%b = math.isnan %k : vector<4xf32>\n"
    "%m = arith.ori %a, %b : vector<4xi1>\n"
    "%r = arith.uitofp %m : vector<4xi1> to vector<4xf32>": [1, 0, 0, 1],
    "%l = arith.constant dense<-1.0> : vector<4xf32>\n"
    "%h = arith.constant dense<1.0> : vector<4xf32>\n"
    "%r = math.clampf %v to [%l, %h] : vector<4xf32>": [1, -1, 1, 0.25],
    # Unsigned and signed.
    "%i = arith.constant dense<[-1, 1, -2, 7]> : vector<4xi8>\n"
    "%w = arith.extui %i : vector<4xi8> to vector<4xi32>\n"
    "%z = arith.constant dense<[1, 200, 255, 3]> : vector<4xi32>\n"
    "%o = arith.minui %w, %z : vector<4xi32>\n"
    "%r = arith.uitofp %o : vector<4xi32> to vector<4xf32>": [1, 1, 254, 3],
    "%i = arith.constant dense<[-1, 127, -128, 7]> : vector<4xi8>\n"
    "%lo, %hi = arith.mulsi_extended %i, %i : vector<4xi8>\n"
    "%r = arith.sitofp %hi : vector<4xi8> to vector<4xf32>": [0, 63, 64, 0],
    "%i = arith.constant dense<[-1, 127, -128, 7]> : vector<4xi8>\n"
    "%lo, %hi = arith.mului_extended %i, %i : vector<4xi8>\n"
    "%r = arith.uitofp %hi : vector<4xi8> to vector<4xf32>": [254, 63, 64, 0],
    "%m = arith.cmpf ult, %v, %v : vector<4xf32>\n"
    "%i = arith.extsi %m : vector<4xi1> to vector<4xi32>\n"
    "%r = arith.sitofp %i : vector<4xi32> to vector<4xf32>": [0, 0, 0, 0],
    # Memory: a masked load, a gather from a table, a loop that carries a pointer.
    "%m = arith.constant dense<[true, false, false, true]> : vector<4xi1>\n"
    "%z = arith.constant dense<9.0> : vector<4xf32>\n"
    "%r = llvm.intr.masked.load %x, %m, %z {alignment = 4 : i32} "
    ": (!llvm.ptr, vector<4xi1>, vector<4xf32>) -> vector<4xf32>": [1.5, 9, 9, 0.25],
    "%t = llvm.mlir.addressof @table : !llvm.ptr\n"
    "%i = arith.constant dense<[2, 0, 7, 1]> : vector<4xi64>\n"
    "%p = llvm.getelementptr %t[%i] : (!llvm.ptr, vector<4xi64>) -> vector<4x!llvm.ptr>, f32\n"
    "%m = arith.constant dense<[true, true, false, true]> : vector<4xi1>\n"
    "%z = arith.constant dense<9.0> : vector<4xf32>\n"
    "%r = llvm.intr.masked.gather %p, %m, %z {alignment = 4 : i32} "
    ": (vector<4x!llvm.ptr>, vector<4xi1>, vector<4xf32>) -> vector<4xf32>": [30, 10, 9, 20],
    "%t = llvm.mlir.addressof @aligned : !llvm.ptr\n"
    "%r = llvm.load %t {alignment = 16 : i64} : !llvm.ptr -> vector<4xf32>": [1, 2, 3, 4],
    "%z = arith.constant 0.0 : f32\n"
    "%q, %sum = scf.for %i = %c0 to %c3 step %c1 iter_args(%p = %x, %a = %z) "
    "-> (!llvm.ptr, f32) : i64 {\n"
    "%e = llvm.load %p {alignment = 4 : i64} : !llvm.ptr -> f32\n"
    "%n = arith.addf %a, %e : f32\n"
    "%np = llvm.getelementptr %p[1] : (!llvm.ptr) -> !llvm.ptr, f32\n"
    "scf.yield %np, %n : !llvm.ptr, f32\n}\n"
    "%r = vector.broadcast %sum : f32 to vector<4xf32>": [2.5] * 4,
    "%m = arith.cmpi slt, %c3, %c1 : i64\n"
    "%k = scf.if %m -> (f32) {\nscf.yield %s : f32\n} else {\n"
    "%n = arith.negf %s : f32\nscf.yield %n : f32\n}\n"
    "%r = vector.broadcast %k : f32 to vector<4xf32>": [-1.5] * 4,
}


@pytest.mark.parametrize("body", VALUES)
def test_values(body: str) -> None:
    assert run(body + STORE).tolist() == VALUES[body]


ERRORS: dict[str, str] = {
    "llvm.store %v, %x {alignment = 4 : i64} : vector<4xf32>, !llvm.ptr": (
        "writes input 0, which is an input"
    ),
    "%r = llvm.load %y {alignment = 4 : i64} : !llvm.ptr -> vector<4xf32>": (
        "reads byte 0 of output 0, which was never written"
    ),
    "llvm.store %s, %y {alignment = 4 : i64} : f32, !llvm.ptr": (
        "element 1 of output 0 was never written"
    ),
    "%q = llvm.getelementptr %x[1] : (!llvm.ptr) -> !llvm.ptr, f32\n"
    "%r = llvm.load %q {alignment = 4 : i64} : !llvm.ptr -> vector<4xf32>": (
        "reads 4 bytes at byte 16 of input 0, which has 16"
    ),
    "%q = llvm.getelementptr inbounds %x[-1] : (!llvm.ptr) -> !llvm.ptr, f32": (
        "an inbounds address is byte -4 of input 0, which has 16"
    ),
    "%r = llvm.load %x {alignment = 8 : i64} : !llvm.ptr -> vector<4xf32>": (
        r"the address input 0 \+ 0 bytes is not aligned to 8 bytes"
    ),
    "%t = llvm.mlir.addressof @aligned : !llvm.ptr\n"
    "%r = llvm.load %t {alignment = 32 : i64} : !llvm.ptr -> vector<4xf32>": (
        r"the address table @aligned \+ 0 bytes is not aligned to 32 bytes"
    ),
    "%q = llvm.getelementptr %args[1] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr\n"
    "%rt = llvm.load %q {alignment = 8 : i64} : !llvm.ptr -> !llvm.ptr\n"
    "%r = llvm.load %rt {alignment = 8 : i64} : !llvm.ptr -> i64": "through a null pointer",
    "%q = llvm.load %x {alignment = 4 : i64} : !llvm.ptr -> !llvm.ptr": (
        "byte 0 of input 0 holds no pointer"
    ),
    "%r = llvm.mlir.poison : vector<4xf32>" + STORE: "the stored value is poison: lane 0",
    "%n = arith.constant 64 : i64\n%i = arith.shli %c1, %n : i64\n"
    "%q = llvm.getelementptr %x[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32": "an index is poison",
    "%b = llvm.mlir.poison : i1\nscf.if %b {\nscf.yield\n}": "a condition is poison",
    "%r = arith.divsi %c1, %c0 : i64": "arith.divsi divides by zero",
    "%i = arith.constant -9223372036854775808 : i64\n%n = arith.constant -1 : i64\n"
    "%r = arith.divsi %i, %n : i64": "divides the smallest integer by -1",
    "scf.for %i = %c0 to %c3 step %c0 : i64 {\nscf.yield\n}": "expected a positive step, found 0",
    "%n = arith.constant 4 : index\n%w = vector.extract %v[%n] : f32 from vector<4xf32>": (
        "position 4 is outside of a vector of 4"
    ),
    "%i = arith.constant dense<true> : vector<4xi1>\n"
    "llvm.store %i, %y {alignment = 1 : i64} : vector<4xi1>, !llvm.ptr": "vectors of i1 have no",
}


@pytest.mark.parametrize("body", ERRORS)
def test_what_is_undefined_is_refused(body: str) -> None:
    with pytest.raises(CompileError, match=rf"k\.mlir:\d+:\d+: .*{ERRORS[body]}"):
        run(body)


def test_a_kernel_that_knows_its_pieces_is_refused() -> None:
    body = """
    scf.for %i = %begin to %end step %c1 : i64 {
      %f = arith.sitofp %begin : i64 to f32
      %p = llvm.getelementptr %y[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      llvm.store %f, %p {alignment = 4 : i64} : f32, !llvm.ptr
      scf.yield
    }
    """
    message = "output 0 of @k depends on how its parallel domain is split: element 1 is 0.0 in one"
    with pytest.raises(CompileError, match=message):
        run(body, domain=4)
    right = body.replace("sitofp %begin", "sitofp %i")
    assert run(right, domain=4).tolist() == [0, 1, 2, 3]


def test_a_kernel_that_knows_where_its_ranges_begin_is_refused() -> None:
    """With `snippets.aligned`, ranges begin between multiples of the grain, too."""
    body = """
    scf.for %i = %begin to %end step %c1 : i64 {
      %d = arith.subi %i, %begin : i64
      %odd = arith.andi %d, %c1 : i64
      %f = arith.sitofp %odd : i64 to f32
      %p = llvm.getelementptr %y[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      llvm.store %f, %p {alignment = 4 : i64} : f32, !llvm.ptr
      scf.yield
    }
    """
    text = KERNEL.replace("BODY", body).replace("DOMAIN", "4").replace("grain = 1", "grain = 2")

    def found(kernel: str) -> Array:
        (result,) = Interpreter(parse_module(kernel, make_context(), "k.mlir")).run("main", [X])
        return result

    assert found(text).tolist() == [0, 1, 0, 1]
    with pytest.raises(CompileError, match=r"in pieces 2\.\.4, 1\.\.3, 0\.\.2"):
        found(
            text.replace(
                "snippets.kernel,", "snippets.kernel, snippets.aligned = array<i64: 0, 4>,"
            )
        )


def test_a_thread_keeps_to_its_part_of_the_scratchpad() -> None:
    body = """
    %slot2 = llvm.getelementptr %args[2] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
    %base = llvm.load %slot2 {alignment = 8 : i64} : !llvm.ptr -> !llvm.ptr
    %size = arith.constant 64 : i64
    %offset = arith.muli %thread, %size : i64
    %own = llvm.getelementptr %base[%offset] : (!llvm.ptr, i64) -> !llvm.ptr, i8
    llvm.store %v, %own {alignment = 64 : i64} : vector<4xf32>, !llvm.ptr
    %r = llvm.load %own {alignment = 64 : i64} : !llvm.ptr -> vector<4xf32>
    llvm.store %r, %y {alignment = 4 : i64} : vector<4xf32>, !llvm.ptr
    """
    assert run(body, domain=4).tolist() == X.tolist()
    wrong = body.replace("muli %thread", "muli %c0")
    with pytest.raises(CompileError, match="which is bytes 128 to 192 of this thread"):
        run(wrong, domain=4)


def test_an_endless_loop_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("snippets_mlir.interpreter.machine.MAX_BRANCHES", 100)
    text = """
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      cf.br ^again
    ^again:
      cf.br ^again
    }
    """
    with pytest.raises(CompileError, match="more than 100 branches"):
        Interpreter(parse_module(text, make_context())).run("main", [X])


def test_what_is_no_kernel_is_not_called() -> None:
    text = KERNEL.replace("BODY", "").replace("DOMAIN", "1")
    plain = text.replace("snippets.kernel, ", "")
    with pytest.raises(CompileError, match="@k is no kernel"):
        Interpreter(parse_module(plain, make_context())).run("main", [X])
    absent = text.replace("lir.call @k", "lir.call @absent")
    with pytest.raises(CompileError, match="the module has no kernel @absent"):
        Interpreter(parse_module(absent, make_context())).run("main", [X])
