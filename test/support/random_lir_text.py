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
import random
import re
import select
import signal
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
from guard_pages import PLACES, Yard
from guard_runner import Scratchpads, called
from lir_text_kernels import MORE
from seeds import parser_of, run_seeds
from stage_kernels import KERNELS

import snippets_mlir
from snippets_mlir.dialects.builtin.dtypes import Array
from snippets_mlir.interpreter import Interpreter
from snippets_mlir.passes.pipelines import PIPELINES
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.passmanager.pipeline import parse_pipeline, run_passes
from snippets_mlir.passmanager.verification import check_module
from snippets_mlir.runtime import arena as runtime_arena
from snippets_mlir.runtime import scratch as runtime_scratch
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.parsing import parse_module
from snippets_mlir.support.printing import print_module

SOURCES = {**KERNELS, **MORE}
TARGETS = ("generic", "x86-64-avx2", "x86-64-avx512")
LIMIT = 120.0
"""Seconds that one mutant may take."""
INTERPRETED = 10
"""Seconds that the interpreter may take; a mutant with more work is left out."""
TOLERANCE = {"f": 2e-4, "i": 0, "u": 0, "b": 0}
"""Relative, and absolute of sums: at the first stages functions and sums are NumPy's."""
NUMBER = re.compile(r"(?<![\w.%@#?])-?\d+(?![\w.])")
VALUE = re.compile(r"%\w+")
FLAGS = (", parallel", ", nontemporal", "accumulate", " keep_dims", "parallel")
KINDS = ("sum", "prod", "max", "maxnum", "min")


@dataclass(frozen=True)
class Stage:
    """The module after a pass, and the passes that are left."""

    after: str
    text: str
    rest: str


@cache
def stages(name: str, target: str) -> tuple[Stage, ...]:
    """The texts of a program from its linear IR on to the last pass before vectors."""
    ctx = make_context()
    module = parse_module(SOURCES[name], ctx)
    set_target = f"snippets-set-target{{target={target} threads=1}}"
    spec = PIPELINES["snippets-to-llvm"].replace("snippets-set-target", set_target, 1)
    passes = parse_pipeline(spec, ctx)
    names = [p.name for p in passes]
    first, last = names.index("convert-snippets-to-lir"), names.index("convert-lir-to-vector")
    run_passes(module, ctx, passes[: first + 1], verify_each=False)
    found: list[Stage] = []
    for index in range(first, last):
        if index > first:
            run_passes(module, ctx, [passes[index]], verify_each=False)
        text = print_module(module)
        if not found or text != found[-1].text:
            found.append(Stage(names[index], text, ",".join(names[index + 1 :])))
        else:
            found[-1] = Stage(found[-1].after, text, ",".join(names[index + 1 :]))
    return tuple(found)


def _other_number(found: str, numbers: list[str], rng: random.Random) -> str:
    n = int(found)
    return str(
        rng.choice([n - 1, n + 1, 2 * n, n // 2, 0, 1, -n, int(rng.choice(numbers)), n + 8, 3 * n])
    )


def mutate(text: str, rng: random.Random) -> str:
    """The text with one change in a kernel."""
    lines = text.splitlines()
    start = next(i for i, line in enumerate(lines) if line.lstrip().startswith("lir.kernel"))
    end = next(i for i in range(start, len(lines)) if lines[i] == "  }")
    at = rng.randrange(start, end)
    line = lines[at]
    body = range(start + 1, end)
    match rng.randrange(10):
        case 0 | 1 | 2 | 3 | 4:
            places = [m for m in NUMBER.finditer(line)]
            if places:
                place = rng.choice(places)
                numbers = NUMBER.findall("\n".join(lines[start:end]))
                new = _other_number(place.group(), numbers, rng)
                lines[at] = line[: place.start()] + new + line[place.end() :]
        case 5:
            uses = [m for m in VALUE.finditer(line)][1:]
            names = VALUE.findall("\n".join(lines[start:at]))
            if uses and names and at > start:
                place = rng.choice(uses)
                lines[at] = line[: place.start()] + rng.choice(names) + line[place.end() :]
        case 6:
            other = rng.choice([at - 1, at + 1, rng.choice(body)])
            if at in body and other in body:
                lines[at], lines[other] = lines[other], lines[at]
        case 7:
            if at in body:
                del lines[at]
        case 8:
            flags = [flag for flag in FLAGS if flag in line]
            if flags:
                lines[at] = line.replace(rng.choice(flags), "", 1)
        case _:
            kinds = [kind for kind in KINDS if f'"{kind}"' in line]
            if kinds:
                lines[at] = line.replace(f'"{kinds[0]}"', f'"{rng.choice(KINDS)}"', 1)
            elif "loops [" in line and len(loops := re.findall(r"\d+: dim [^,\]]*", line)) > 1:
                one, other = rng.sample(loops, 2)
                lines[at] = line.replace(one, "\0").replace(other, one).replace("\0", other)
    return "\n".join(lines) + "\n"


@dataclass(frozen=True)
class Mutant:
    """A changed module.

    Attributes:
        source: the name of the program.
        target: of the module.
        stage: the module before the changes.
        text: and after them.
    """

    source: str
    target: str
    stage: Stage
    text: str


def mutant(seed: int) -> Mutant:
    """The mutant of a seed."""
    rng = random.Random(seed)
    name, target = rng.choice(sorted(SOURCES)), rng.choice(TARGETS)
    stage = rng.choice(stages(name, target))
    text = stage.text
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        text = mutate(text, rng)
    return Mutant(name, target, stage, text)


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
