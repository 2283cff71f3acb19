"""Threads, forks and a damaged cache, all at once.

    python stress.py --seed 3 --trials 40 [--only 17] [--cold]

A trial makes programs, calls them for the first time from several threads together, and then lets
each thread do random things: call, compile, print, fork, damage the cache. Results are compared
with NumPy's to the bit. A trial is a child of a process that has loaded the compiler and made
nothing, so it costs no imports; `--cold` makes each of them a process of its own, which imports
while it works. A process that dies, and one that takes longer than `LIMIT` seconds, is a failure,
and so is one in its children. The last line says how many trials there were.
"""

from __future__ import annotations

import argparse
import faulthandler
import gc
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from random import Random
from traceback import format_exc
from typing import Any

import numpy as np
from numpy.testing import assert_array_equal
from stress_cache import damage, random_directory
from stress_programs import Array, Case, random_case

import snippets_mlir

LIMIT = 400
"""Seconds of a trial; one takes less than one."""

CHILD_LIMIT = 200
"""Seconds of a child of a trial."""

Actions = dict[Callable[["Trial", Random], None], int]


class Trial:
    """One trial.

    Attributes:
        programs: each program and its case; compiled, and not called yet.
        problems: what went wrong.
    """

    def __init__(self, seed: str, directory: Path) -> None:
        self.rng = Random(seed)
        self.directory = directory
        self.problems: list[str] = []
        self.programs: list[tuple[Case, Any]] = []
        self.depth = 0

    def run(self) -> None:
        sys.setswitchinterval(self.rng.choice([1e-5, 1e-4, 5e-3]))
        random_directory(self.directory, self.rng)
        for _ in range(self.rng.randint(1, 3)):
            self.add(random_case(self.rng))
        self.in_threads(self.rng.randint(2, 8), self.rng.randint(1, 5))

    def add(self, case: Case) -> None:
        """Compile one more program that all threads call."""
        self.programs.append((case, snippets_mlir.compile(case.text, **case.options)))

    def in_threads(self, count: int, actions: int) -> None:
        """First calls from all threads at once, then random actions in each."""
        barrier = threading.Barrier(count)
        seeds = [self.rng.random() for _ in range(count)]

        def work(seed: float) -> None:
            rng = Random(seed)
            barrier.wait()
            try:
                for case, program in list(self.programs):
                    check_call(case, program, rng)
                for _ in range(actions):
                    self.act(rng)
            except Exception:
                self.problems.append(format_exc())

        threads = [threading.Thread(target=work, args=(seed,)) for seed in seeds]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def act(self, rng: Random) -> None:
        action = rng.choices([*ACTIONS], [*ACTIONS.values()])[0]
        if self.depth < 2 or action is not fork:
            action(self, rng)


def check_call(case: Case, program: Any, rng: Random) -> None:
    """Call a program in one of several ways, and compare."""
    arrays = case.inputs(rng)
    expected = case.expected(*arrays)
    way = rng.choice(["plain", "plain", "out", "strided", "wrong", "names"])
    given = arrays
    if way == "strided":
        given = [np.repeat(a, 2, axis=-1)[..., ::2] for a in arrays]
    if way == "wrong" and not case.on_memrefs:
        try:
            program(*arrays[1:], np.zeros(3, np.int8))
        except (TypeError, ValueError):
            return
        raise AssertionError("a wrong argument was taken")
    if case.on_memrefs:
        program(*arrays)
        check(arrays[-1:], expected)
        return
    if way == "out":
        out = [np.full_like(e, 99) for e in expected]
        program(*given, out=out[0] if len(out) == 1 else out)
        check(out, expected)
    elif way == "names":
        names = [spec.name for spec in program.inputs]
        check([*program.run(dict(zip(names, given, strict=True))).values()], expected)
    else:
        found = program(*given)
        check([found] if len(expected) == 1 else [*found], expected)


def check(found: list[Array], expected: list[Array]) -> None:
    """`AssertionError` unless both have the same bits."""
    for one, other in zip(found, expected, strict=True):
        assert_array_equal(one.astype(np.float32), other.astype(np.float32))


def call(trial: Trial, rng: Random) -> None:
    """Call a program of the trial."""
    check_call(*rng.choice(trial.programs), rng)


def compile_one(trial: Trial, rng: Random) -> None:
    """Compile, call and drop a program: a new one, or one that another thread has, too."""
    case = random_case(rng) if rng.random() < 0.7 else rng.choice(trial.programs)[0]
    program = snippets_mlir.compile(case.text, **case.options)
    for _ in range(3):
        check_call(case, program, rng)


def compile_shared(trial: Trial, rng: Random) -> None:
    """Compile a program that all threads may call next."""
    trial.add(random_case(rng))


def report(trial: Trial, rng: Random) -> None:
    """Ask a program for what it has to make again."""
    _, program = rng.choice(trial.programs)
    if not program.on_memrefs:
        assert [str(kernel) for kernel in program.kernels] or program.opaque
    if not program.dynamic:
        assert program.ir(rng.choice(["graph", "llvm", "asm"]))


def collect(trial: Trial, rng: Random) -> None:
    gc.collect()


def damage_cache(trial: Trial, rng: Random) -> None:
    """Do something to the files of the cache."""
    damage(trial.directory, rng)


def fork(trial: Trial, rng: Random) -> None:
    """Fork; the child does random things, on several threads now and then."""
    pid = os.fork()
    if pid == 0:
        signal.alarm(CHILD_LIMIT)
        trial.depth += 1
        trial.problems = []
        trial.rng = Random(rng.random())
        if rng.random() < 0.3:
            trial.in_threads(2, 2)
        else:
            guarded(trial, lambda: [trial.act(rng) for _ in range(3)])
        finish(trial)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if code:
        trial.problems.append(f"a child ended with {code}")


ACTIONS: Actions = {
    call: 8,
    compile_one: 4,
    compile_shared: 1,
    report: 1,
    collect: 1,
    damage_cache: 3,
    fork: 4,
}


def guarded(trial: Trial, work: Callable[[], object]) -> None:
    """Do `work`; what it raises is a problem of the trial."""
    try:
        work()
    except Exception:
        trial.problems.append(format_exc())


def finish(trial: Trial) -> None:
    """End this process: 0, or 1 when something went wrong, which standard error says."""
    os.write(2, "".join(trial.problems).encode())  # `sys.stderr` may be locked in a child
    os._exit(1 if trial.problems else 0)


def run_trial(seed: str, directory: Path) -> None:
    """Run a trial, and end the process."""
    faulthandler.enable()
    faulthandler.register(signal.SIGALRM, chain=True)  # which then ends the process
    signal.alarm(LIMIT)
    trial = Trial(seed, directory)
    guarded(trial, trial.run)
    finish(trial)


def load_compiler() -> None:
    """Import all that a trial imports, so that it starts at once; no object is made."""
    from snippets_mlir.passmanager import universe

    for row in (*universe.PASSES.values(), *universe.DIALECTS.values()):
        import_module(row.partition(":")[0])
    for row in universe.REPLACED_DIALECTS.values():
        import_module(row.partition(":")[0])
    for name in (
        "snippets_mlir.driver.building.build",
        "snippets_mlir.driver.interface",
        "snippets_mlir.driver.memrefs.program",
        "snippets_mlir.driver.replay",
        "snippets_mlir.driver.cache.stored",
        "snippets_mlir.driver.dynamic.template_cache",
    ):
        import_module(name)
    import_module("onnxruntime")


def forked_trial(seed: str, directory: Path) -> int:
    """The exit code of a trial in a child, in which teams may be started."""
    from snippets_mlir.runtime.parallel import threads

    pid = os.fork()
    if pid == 0:
        for flag in (threads._forked, threads._child):  # pyright: ignore[reportPrivateUsage]
            flag.value = 0
        run_trial(seed, directory)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def cold_trial(seed: str, directory: Path) -> int:
    """The exit code of a trial in a new process."""
    command = [sys.executable, "-W", "ignore", __file__, "--trial", seed, str(directory)]
    return subprocess.run(command, check=False).returncode


def main() -> int:
    """Run the trials; 1 when one of them failed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--trials", type=int, default=20)
    parser.add_argument("--only", type=int)
    parser.add_argument("--cold", action="store_true")
    parser.add_argument("--trial", nargs=2)
    given = parser.parse_args()
    if given.trial:
        run_trial(given.trial[0], Path(given.trial[1]))
    if not given.cold:
        load_compiler()
    numbers = range(given.trials) if given.only is None else [given.only]
    failed: list[int] = []
    for number in numbers:
        directory = Path(tempfile.mkdtemp(prefix="stress"))
        code = (cold_trial if given.cold else forked_trial)(f"{given.seed}:{number}", directory)
        shutil.rmtree(directory, ignore_errors=True)
        if code:
            failed.append(number)
            print(f"trial {number} of seed {given.seed} ended with {code}", flush=True)
    print(f"{len(failed)} of {len(numbers)} trials failed: {failed}")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
