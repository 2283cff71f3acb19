"""One step of measuring a model, in a separate process: a crash or a hang is one line.

The parent starts `python -m models.STEP ARGUMENT...`. The child prints JSON objects, one in each
line; other output goes to standard error. The parent merges them, so that facts from before a crash
are kept.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from timing import use_cpus

from models.model import Missing
from models.onnxruntime_session import THREADS

HERE = Path(__file__).resolve().parents[1]
MESSAGE = 400
"""Characters of a message that are kept."""

Facts = dict[str, Any]
Say = Callable[[Facts], None]


def environment(cache: str) -> dict[str, str]:
    """Two threads for every package, and the folder of our cache ("" is none)."""
    paths = [str(HERE), *filter(None, [os.environ.get("PYTHONPATH")])]
    return os.environ | {
        "OMP_NUM_THREADS": str(THREADS),
        "HF_HUB_OFFLINE": "1",
        "PYTHONPATH": os.pathsep.join(paths),
        "SNIPPETS_CACHE_DIR": cache,
    }


def run(step: str, arguments: Sequence[str], limit: float, cache: str = "") -> Facts:
    """The facts from the step, with `state` "ok", "error", "crash" or "skip" and a `message`."""
    command = [sys.executable, "-W", "ignore", "-m", f"models.{step}", *arguments]
    try:
        done = subprocess.run(
            command, capture_output=True, env=environment(cache), check=False, timeout=limit
        )
        output, errors, status = done.stdout, done.stderr, f"exit status {done.returncode}"
    except subprocess.TimeoutExpired as stopped:
        output, errors, status = stopped.stdout or b"", b"", f"no answer within {limit:g} s"
    return merged(output.decode(errors="replace"), status, errors.decode(errors="replace"))


def merged(output: str, status: str, errors: str) -> Facts:
    """The facts of all whole lines; without a last one that has a state, it was a crash."""
    facts: Facts = {}
    for line in output.split("\n")[:-1]:
        facts |= json.loads(line)
    if "state" not in facts:
        last = " ".join(errors.split())[-MESSAGE:]
        facts |= {"state": "crash", "message": f"{status} {last}".strip()}
    return facts


def main(step: Callable[[Say, Sequence[str]], None], arguments: Sequence[str]) -> int:
    """Run `step` in the child, and print its state."""
    use_cpus(THREADS)
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as answer:
        os.dup2(2, 1)

        def say(facts: Mapping[str, Any]) -> None:
            print(json.dumps(facts), file=answer, flush=True)

        try:
            step(say, arguments)
        except Missing as missing:
            say({"state": "skip", "message": str(missing)})
        except Exception as error:
            traceback.print_exc()
            text = f"{type(error).__name__}: {' '.join(str(error).split())}"
            say({"state": "error", "message": text[:MESSAGE]})
        else:
            say({"state": "ok"})
    return 0
