"""`python -m snippets_mlir.tools.onnx_report`: ONNX's node cases, compiled without onnxruntime.

Prints how many cases passed, which operators are not supported (and how many cases need them), and
which cases failed; the exit code is 1 if one failed. `--filter WORD` selects the cases whose name
contains the word, `--json` prints the table for programs.
"""

from __future__ import annotations

import argparse
import json
import sys
import warnings
from collections import Counter
from collections.abc import Sequence

from snippets_mlir.support.errors import CompileError


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit code."""
    parser = argparse.ArgumentParser(prog="onnx_report", description="ONNX backend node cases")
    parser.add_argument("--filter", default="", help="only cases whose name has this word")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args(arguments)
    try:
        from snippets_mlir.integrations.onnx_cases import (
            FAILED,
            NOT_SUPPORTED,
            PASSED,
            node_cases,
            run_case,
        )
    except ImportError as error:
        print(f"error: {error.name} is missing: pip install snippets-mlir[onnx]", file=sys.stderr)
        return 1
    with warnings.catch_warnings():
        # ONNX intentionally computes NaN and overflow in its cases.
        warnings.simplefilter("ignore")
        cases = [c for c in node_cases() if options.filter in c.name]
    if not cases:
        print(f"error: no case has '{options.filter}' in its name", file=sys.stderr)
        return 1
    outcomes = [run_case(case, num_threads=1) for case in cases]
    missing = Counter(o.detail for o in outcomes if o.status == NOT_SUPPORTED)
    failed = {o.name: o.detail for o in outcomes if o.status == FAILED}
    passed = sum(o.status == PASSED for o in outcomes)
    if options.json:
        table = {PASSED: passed, NOT_SUPPORTED: dict(missing.most_common()), FAILED: failed}
        print(json.dumps(table))
    else:
        print(f"passed: {passed}\nnot supported: {missing.total()}")
        for operators, count in sorted(missing.items()):
            print(f"  {count:4} {operators}")
        print(f"failed: {len(failed)}")
        for name, detail in failed.items():
            print(f"  {name}: {' '.join(detail.split())[:200]}")
    return 1 if failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except CompileError as problem:
        sys.exit(f"error: {problem}")
