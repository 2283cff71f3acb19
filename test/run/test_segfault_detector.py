"""A kernel that touches memory that is not there says where, and the process ends by the signal."""

from __future__ import annotations

import re
import signal
from pathlib import Path

import numpy as np
import pytest
from sampled import sampled
from warm_process import run_warm

import snippets_mlir

CALL = Path(__file__).parents[1] / "support" / "faulty_call.py"
LINE = re.compile(
    r"snippets_mlir: (SIGSEGV|SIGBUS) in kernel subgraph_0: lir.load of (%\w+) at "
    r"<string>:(\d+):3, iteration (\d+) of loop (\d+), iteration (\d+) of loop \d+(?: \(\w+\))?, "
    r"pointer 0x([0-9a-f]+), faulting address 0x([0-9a-f]+)\n"
)


@pytest.mark.parametrize(
    ("threads", "kind"), sampled([(1, "static"), (2, "static"), (1, "dynamic")], 2)
)
def test_the_access_is_named(threads: int, kind: str):
    # 1996 elements of 5 rows are missing: row 3 begins with 4 that are there, a vector.
    status, output, errors = run_warm(str(CALL), str(threads), "1996", kind)
    assert output == "sound\n"
    assert status in (-signal.SIGSEGV, -signal.SIGBUS), errors
    found = LINE.search(errors)
    assert found, errors
    assert found[2] in ("%x", "%arg0")
    assert found[3] == "2"
    assert found[4] == "3"
    assert found[6] in ("4", "0")  # 0 where loops are unrolled
    assert found[7] == found[8]
    assert int(found[7], 16) % 4096 == 0


def test_the_signal_goes_on_to_the_handler_that_was_there():
    code = (
        "import faulthandler, runpy, sys\n"
        "faulthandler.enable()\n"
        f"sys.argv = [{str(CALL)!r}, '1', '1996', 'static']\n"
        "runpy.run_path(sys.argv[0], run_name='__main__')\n"
    )
    status, _, errors = run_warm("-c", code)
    assert status in (-signal.SIGSEGV, -signal.SIGBUS)
    assert LINE.search(errors)
    assert errors.index("snippets_mlir:") < errors.index("Fatal Python error")
    assert "faulty_call.py" in errors


def test_other_faults_are_none_of_its_business():
    code = (
        "import ctypes, numpy, snippets_mlir\n"
        "t = 'func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {'\n"
        "t += ' %0 = snippets.abs %x : tensor<4xf32> func.return %0 : tensor<4xf32> }'\n"
        "m = snippets_mlir.compile(t, segfault_detector=True)\n"
        "m(numpy.zeros(4, numpy.float32))\n"
        "ctypes.string_at(8)\n"
    )
    status, _, errors = run_warm("-c", code)
    assert status == -signal.SIGSEGV
    assert errors == ""


def test_counters_and_detector_go_together():
    text = """func.func @main(%x: tensor<7x33xf32>) -> tensor<7x33xf32> {
      %0 = snippets.softmax %x {axis = 1 : i64} : tensor<7x33xf32>
      func.return %0 : tensor<7x33xf32>
    }"""
    x = np.random.default_rng(0).standard_normal((7, 33)).astype(np.float32)
    both = snippets_mlir.compile(text, segfault_detector=True, perf_count="body", num_threads=1)
    assert both(x).tobytes() == snippets_mlir.compile(text, num_threads=1)(x).tobytes()
    assert [count.calls for count in both.perf_counts] == [1]
