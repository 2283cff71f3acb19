"""Code for other machines, run: AArch64 under qemu-user, x86-64 on this computer, against NumPy.

    python docs/dev/run_foreign.py [--target NAME ...] [--kernel NAME ...]

Each function of `test/support/target_kernels.py` is compiled to an object for each target, linked
with a C program that calls its kernels as the runtime does, in two pieces of their domain, and run.
Needs a C compiler for the target: `gcc`, and for `aarch64-neon` on another computer Debian's
`gcc-aarch64-linux-gnu` and `qemu-user`; a target without them is left out with a line that says
what is missing. One line for each function; the exit code is 1 if one is wrong. It is a tool of
development: no test needs it.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from argparse import ArgumentParser
from collections.abc import Callable, Sequence
from pathlib import Path
from platform import machine as architecture
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from snippets_mlir.inspect.opt import manifest_text, object_bytes
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.passmanager.pipeline import parse_pipeline, run_passes
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.parsing import parse_module
from snippets_mlir.targets.host import host_target
from snippets_mlir.targets.machine import TARGETS, machine

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "test" / "support"))

from target_kernels import TARGET_KERNELS  # noqa: E402

Array = np.ndarray[Any, np.dtype[Any]]


def _softmax(x: Array, y: Array) -> Array:
    e = np.exp(x + y - (x + y).max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


EXPECTED: dict[str, Callable[[Array, Array], Array]] = {
    "elementwise": lambda x, y: x * y + x,
    "exp": lambda x, y: np.exp(x) * y,
    "softmax": _softmax,
    "reduction": lambda x, y: (x * y).sum(1, keepdims=True),
    "integer": lambda x, y: x * y - x,
    "double": lambda x, y: np.sqrt(x * y),
    "transpose": lambda x, y: np.exp(x.T),
}
"""What the functions compute, in NumPy; floats in f64."""

_ALIGNED = "__attribute__((aligned(64)))"


def harness(manifest: dict[str, Any]) -> str:
    """A C program: reads the inputs from the file argv[1], writes the outputs to argv[2].

    Raises:
        CompileError: the function has steps that are no kernels.
    """
    lines = [
        "#include <stdio.h>",
        "#include <stdint.h>",
        "typedef struct { void **data; const int64_t *rt; char *scratch; } Args;",
    ]
    for index, value in enumerate(manifest["values"]):
        lines.append(f"static char v{index}[{_bytes(value)}] {_ALIGNED};")
    for step in manifest["steps"]:
        if step["kind"] != "kernel":
            raise CompileError(f"a step is of kind {step['kind']}; only kernels run here")
        lines.append(f"void {step['symbol']}(const Args *, int64_t, int64_t, int64_t);")
        lines.append(f"static char s_{step['symbol']}[{max(step['scratch'], 64)}] {_ALIGNED};")
    lines += ["int main(int argc, char **argv) {", '  FILE *in = fopen(argv[1], "rb");']
    for value in manifest["inputs"]:
        size = _bytes(value)
        lines.append(f"  if (fread(v{value['value']}, 1, {size}, in) != {size}) return 2;")
    for step in manifest["steps"]:
        symbol, domain = step["symbol"], step["domain"]
        arrays = ", ".join(f"v{i}" for i in (*step["inputs"], *step["outputs"]))
        middle = domain // 2 // step["grain"] * step["grain"]
        lines.append(f"  {{ void *data[] = {{{arrays}}}; Args args = {{data, 0, s_{symbol}}};")
        lines += [
            f"    {symbol}(&args, {begin}, {end}, 0);"
            for begin, end in ((middle, domain), (0, middle))
            if begin < end
        ]
        lines.append("  }")
    lines.append('  FILE *out = fopen(argv[2], "wb");')
    for value in manifest["outputs"]:
        lines.append(f"  fwrite(v{value['value']}, 1, {_bytes(value)}, out);")
    return "\n".join([*lines, "  return fclose(out); }", ""])


def _bytes(value: dict[str, Any]) -> int:
    return int(np.prod(value["shape"], dtype=np.int64)) * np.dtype(value["dtype"]).itemsize


def tools_for(target: str) -> tuple[list[str], list[str]] | str:
    """The C compiler for a target and what runs its programs; or what is missing."""
    cpu = machine(target).triple.partition("-")[0]
    if cpu == architecture():
        order = ("generic", "x86-64-avx2", "x86-64-avx512")
        if target in order and order.index(target) > order.index(host_target()):
            return f"this computer is a {host_target()}"
        return (["gcc"], []) if shutil.which("gcc") else "gcc"
    compiler, emulator = f"{cpu}-linux-gnu-gcc", f"qemu-{cpu}"
    missing = [tool for tool in (compiler, emulator) if shutil.which(tool) is None]
    return " and ".join(missing) if missing else ([compiler], [emulator])


def run(kernel: str, target: str, tools: tuple[list[str], list[str]], folder: Path) -> str | None:
    """Compile, link and run one function; what is wrong with its outputs, or None."""
    ctx = make_context()
    module = parse_module(TARGET_KERNELS[kernel], ctx, kernel)
    passes = f"snippets-set-target{{target={target}}},snippets-to-llvm"
    run_passes(module, ctx, parse_pipeline(passes, ctx))
    manifest = json.loads(manifest_text(module))
    (folder / "kernels.o").write_bytes(object_bytes(module))
    (folder / "main.c").write_text(harness(manifest), encoding="utf-8")
    compiler, emulator = tools
    subprocess.run(
        [*compiler, "-O1", "-static", "main.c", "kernels.o", "-o", "program"],
        cwd=folder,
        check=True,
    )
    rng = np.random.default_rng(1)
    inputs = [_random(rng, value) for value in manifest["inputs"]]
    (folder / "in").write_bytes(b"".join(array.tobytes() for array in inputs))
    subprocess.run([*emulator, "./program", "in", "out"], cwd=folder, check=True)
    (value,) = manifest["outputs"]
    found = np.fromfile(folder / "out", value["dtype"]).reshape(value["shape"])
    exact = found.dtype.kind == "i"
    wide = [array if exact else array.astype(np.float64) for array in inputs]
    want = EXPECTED[kernel](*wide)
    error = np.max(np.abs(found - want) / np.maximum(np.abs(want), 1e-3))
    return None if error <= (0 if exact else 1e-5) else f"a relative error of {error:.3g}"


def _random(rng: Any, value: dict[str, Any]) -> Array:
    exact = value["dtype"].startswith("int")
    array: Any = (
        rng.integers(-99, 99, value["shape"]) if exact else rng.uniform(0.1, 2, value["shape"])
    )
    return array.astype(value["dtype"])


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; the exit code."""
    parser = ArgumentParser(description="run code for other machines")
    parser.add_argument("--target", action="append", choices=list(TARGETS))
    parser.add_argument("--kernel", action="append", choices=list(TARGET_KERNELS))
    args = parser.parse_args(arguments)
    wrong = 0
    for target in args.target or TARGETS:
        tools = tools_for(target)
        if isinstance(tools, str):
            print(f"{target}: left out, missing: {tools}")
            continue
        for kernel in args.kernel or TARGET_KERNELS:
            with TemporaryDirectory() as folder:
                problem = run(kernel, target, tools, Path(folder))
            print(f"{target} {kernel}: {problem or 'right'}")
            wrong += problem is not None
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
