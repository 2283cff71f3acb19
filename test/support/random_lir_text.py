"""Mutants of the text of kernels: what verifies computes the same interpreted and compiled.

    PYTHONPATH=test/support python test/support/random_lir_text.py --count 1000 --seed 0

The text of a kernel after a pass of `lir-to-vector` is changed at one to three places: numbers of
loops, ports and attributes, operands, the order of ops, flags. Most mutants break a law, and are an
error. Of each other one the interpreter computes the results, and so does the program that the rest
of the pipeline makes of it, called with arrays at pages that may not be touched: the two have to
agree. A mutant that the interpreter cannot run must not compile.

Each runs in a process of its own, so that a fault is a line of the report.
"""

from __future__ import annotations

import os
import re
import select
import signal
from collections.abc import Callable

import numpy as np
from guard_pages import PLACES, Yard
from guard_runner import Scratchpads, called
from lir_mutants import Mutant, mutant
from seeds import parser_of, run_seeds

import snippets_mlir
from snippets_mlir.dialects.builtin.dtypes import Array
from snippets_mlir.interpreter import Interpreter
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.passmanager.verification import check_module
from snippets_mlir.runtime.memory import arena as runtime_arena
from snippets_mlir.runtime.memory import scratch as runtime_scratch
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.parsing import parse_module

LIMIT = 120.0
"""Seconds that one mutant may take."""
INTERPRETED = 10
"""Seconds that the interpreter may take; a mutant with more work is left out."""
TOLERANCE = {"f": 2e-4, "i": 0, "u": 0, "b": 0}
"""Relative, and absolute of sums: at the first stages functions and sums are NumPy's."""


def arrays_of(text: str) -> list[Array]:
    """Small numbers for the inputs of `main`, some of them negative; places for integers."""
    rng = np.random.default_rng(len(text))
    found: list[Array] = []
    header = text[text.index("func.func @main(") :].partition("->")[0]
    for dims, element in re.findall(r"tensor<((?:\d+x)*)(\w+)>", header):
        shape = tuple(map(int, dims.split("x")[:-1]))
        dtype = np.dtype(
            {"i1": "bool", "f": "float"}.get(
                element, element.replace("f", "float").replace("i", "int")
            )
        )
        low, high = (0, 2) if dtype.kind == "b" else (-3, 6)
        values = rng.integers(low, high, shape)
        found.append(np.asarray(values + (0.25 if dtype.kind == "f" else 0)).astype(dtype))
    return found


def interpreted(text: str, arrays: list[Array]) -> list[Array]:
    """What the interpreter computes; CompileError where it refuses."""
    module = parse_module(text, make_context())
    with np.errstate(all="ignore"):
        return [np.asarray(a) for a in Interpreter(module).run("main", list(arrays))]


def differs(found: Array, expected: Array) -> bool:
    """Whether results are further apart than the rounding of functions and sums."""
    rtol = TOLERANCE[expected.dtype.kind]
    with np.errstate(all="ignore"):
        return not np.allclose(found, expected, rtol, rtol * 8, equal_nan=True)


class _SlowError(Exception):
    """The interpreter takes too long."""


def _slow(*_: object) -> None:
    raise _SlowError


def verdict(mutated: Mutant) -> str:
    """What is wrong with a mutant that verifies; a word in brackets when all is well."""
    arrays = arrays_of(mutated.text)
    expected: list[Array] | None = None
    refusal = ""
    signal.signal(signal.SIGALRM, _slow)
    signal.alarm(INTERPRETED)
    try:
        expected = interpreted(mutated.text, arrays)
    except CompileError as error:
        refusal = str(error)
    except _SlowError:
        return "(slow)"
    except MemoryError:
        return "(large)"
    except Exception as error:
        refusal = f"TRACEBACK {type(error).__name__}: {error}"
    signal.alarm(0)
    try:
        compiled = snippets_mlir.compile(
            mutated.text, pipeline=mutated.stage.rest, fallback="error", num_threads=1
        )
    except CompileError:
        return f"interpreter: {refusal}" if "TRACEBACK" in refusal else "(refused)"
    except Exception as error:
        return f"compile: {type(error).__name__}: {error}"
    if expected is None:
        return f"compiles, but the interpreter: {refusal}"
    pads, yard = Scratchpads(), Yard(1 << 16)
    runtime_arena.aligned_block = runtime_scratch.aligned_block = pads.block
    for place in PLACES:
        pads.place = place
        yard.clear()
        given = [yard.copy(array, place) for array in arrays]
        out = [yard.empty(array.shape, array.dtype, place) for array in expected]
        called(compiled, given, out)
        for index, (found, wanted) in enumerate(zip(out, expected, strict=True)):
            if differs(found, wanted):
                flat = np.flatnonzero(
                    ~np.isclose(found, wanted, 2e-4, 1e-3, equal_nan=True).ravel()
                )
                at = flat[:1]
                return (
                    f"output {index} differs at {flat.size} of {found.size}, first {at}: "
                    f"{found.ravel()[at]}, interpreted {wanted.ravel()[at]}"
                )
    return "(equal)"


def apart(work: Callable[[], str]) -> str:
    """The text that `work` returns in a process of its own."""
    read, write = os.pipe()
    child = os.fork()
    if not child:
        os.close(read)
        text = ""
        try:
            text = work()
        except BaseException as error:  # the parent reports it
            text = f"internal error: {type(error).__name__}: {error}"
        os.write(write, text.encode()[:60000])
        os._exit(0)
    os.close(write)
    ready, _, _ = select.select([read], [], [], LIMIT)
    if not ready:
        os.kill(child, signal.SIGKILL)
    with os.fdopen(read, "rb") as stream:
        text = stream.read().decode()
    _, status = os.waitpid(child, 0)
    if not ready:
        return f"no end after {LIMIT:.0f} s"
    return text if os.WIFEXITED(status) else f"signal {os.WTERMSIG(status)}"


def outcome(seed: int) -> str:
    """`(broken)` for a mutant that does not verify; else its verdict."""
    mutated = mutant(seed)
    if mutated.text == mutated.stage.text:
        return "(same)"
    try:
        check_module(parse_module(mutated.text, make_context(), "mutant"))
    except CompileError:
        return "(broken)"
    except Exception as error:
        return f"verifier: {type(error).__name__}: {error}"
    return apart(lambda: verdict(mutated))


def faults(seed: int) -> list[str]:
    """What is wrong with the mutant of a seed."""
    found = outcome(seed)
    if found.startswith("("):
        return []
    mutated = mutant(seed)
    return [
        f"seed {seed}, {mutated.source} for {mutated.target} after {mutated.stage.after}: {found}"
    ]


def main() -> int:
    """Run the command line; the exit code."""
    options = parser_of("random_lir_text", __doc__).parse_args()
    return run_seeds(options, lambda seed: mutant(seed).text, faults)


if __name__ == "__main__":
    raise SystemExit(main())
