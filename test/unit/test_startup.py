"""`snippets-opt` starts about as fast as `xdsl-opt`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "benchmarks" / "startup.py"


def test_start_up_is_within_the_limit():
    """Interleaved medians; a second, longer measurement decides when a busy machine spoils one."""
    outputs: list[str] = []
    for runs in (5, 15):
        done = subprocess.run(
            [sys.executable, str(SCRIPT), "--runs", str(runs), "--limit", "1.4"],
            capture_output=True,
            text=True,
            check=False,
        )
        outputs.append(done.stdout + done.stderr)
        if done.returncode == 0:
            return
    raise AssertionError("\n".join(outputs))


def test_trivial_module_loads_no_heavy_package():
    """Neither NumPy nor LLVM nor the ONNX packages."""
    code = (
        "import io, sys; sys.stdin = io.TextIOWrapper(io.BytesIO(b'builtin.module {\\n}'));"
        "from snippets_mlir.tools.snippets_opt import main; assert main(['-']) == 0;"
        "heavy = {'numpy', 'llvmlite', 'onnx', 'onnxruntime'} & set(sys.modules);"
        "assert not heavy, heavy"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
