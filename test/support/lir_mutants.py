"""Mutants of the text of kernels: what is changed, at which stage, for which machine."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from functools import cache

from lir_text_kernels import MORE
from stage_kernels import KERNELS

from snippets_mlir.passes.pipelines import PIPELINES
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.passmanager.pipeline import parse_pipeline, run_passes
from snippets_mlir.support.parsing import parse_module
from snippets_mlir.support.printing import print_module

SOURCES = {**KERNELS, **MORE}
TARGETS = ("generic", "x86-64-avx2", "x86-64-avx512")
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
