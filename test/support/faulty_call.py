"""Calls a softmax with the segfault detector on an array that ends beyond the memory there is.

    python faulty_call.py THREADS MISSING KIND

`MISSING` elements of the input, at its end, are not there; `KIND` is `static` or `dynamic`. First a
sound call prints `sound` if its result is that of a program without the detector.
"""

from __future__ import annotations

import sys

import numpy as np
from guard_pages import Fenced, at_address

import snippets_mlir

ROWS, SIZE = 5, 1000
TEXT = """func.func @main(%x: tensor<{0}x{1}xf32>, %b: tensor<{1}xf32>) -> tensor<{0}x{1}xf32> {{
  %0 = snippets.add %x, %b : (tensor<{0}x{1}xf32>, tensor<{1}xf32>) -> tensor<{0}x{1}xf32>
  %1 = snippets.softmax %0 {{axis = 1 : i64}} : tensor<{0}x{1}xf32>
  func.return %1 : tensor<{0}x{1}xf32>
}}"""


def main() -> None:
    threads, missing, kind = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    text = TEXT.format(*(("?", "?") if kind == "dynamic" else (ROWS, SIZE)))
    plain = snippets_mlir.compile(text, target="generic", num_threads=threads)
    watched = snippets_mlir.compile(
        text, target="generic", num_threads=threads, segfault_detector=True
    )
    rng = np.random.default_rng(0)
    x, b = (rng.standard_normal(s).astype(np.float32) for s in ((ROWS, SIZE), (SIZE,)))
    if watched(x, b).tobytes() == plain(x, b).tobytes():
        print("sound", flush=True)
    fenced = Fenced(x.nbytes)
    address = fenced.address(x.nbytes, "last") + missing * x.itemsize
    watched(at_address(address, x.shape, x.dtype), b)


if __name__ == "__main__":
    main()
