"""Runs Python in processes that have the compiler loaded: forks of one that has loaded it only.

    done = run_warm("-c", "import snippets_mlir; ...", "argument")
    done = run_warm("script.py", "--option", env={**os.environ, "NAME": "value"})

Loading the compiler takes a second of a processor, more than most tests of what a process prints or
how it ends. The process that is forked runs no test, no kernel and no thread, so its forks are as
new as processes that `python` starts: they have their own `__main__`, variables, streams, exit. For
tests of start-up, of what is loaded, and of variables that Python itself reads, `subprocess.run` it
is.
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import runpy
import select
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

SECONDS = 300.0
"""Ends what hangs."""


RUN_MODULE = """
import runpy, sys
del sys.argv[0]
runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
"""
"""Code for `-c` that runs a module, whose name and arguments come after it."""


class Ended(NamedTuple):
    """A process that ended: its exit status, negative for a signal, and its streams."""

    returncode: int
    stdout: str
    stderr: str


def run_warm(
    *arguments: str,
    input: str = "",  # as `subprocess.run`
    env: Mapping[str, str] | None = None,
    timeout: float = SECONDS,
) -> Ended:
    """Run `python arguments`, which are a file or `-c` and code, and their own arguments.

    Raises:
        subprocess.TimeoutExpired: the process was killed after `timeout` seconds.
    """
    with tempfile.TemporaryDirectory(prefix="warm-") as folder:
        streams = [Path(folder, name) for name in ("stdin", "stdout", "stderr")]
        streams[0].write_text(input, encoding="utf-8")
        request = {
            "arguments": arguments,
            "env": dict(os.environ if env is None else env),
            "cwd": os.getcwd(),
            "streams": [*map(str, streams)],
            "timeout": timeout,
        }
        status = _server().ask(request)
        said = [s.read_text(encoding="utf-8") if s.exists() else "" for s in streams[1:]]
    if status is None:
        raise subprocess.TimeoutExpired(arguments, timeout, *said)
    return Ended(status, *said)


class _Server:
    """The process that is forked."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-W", "ignore", __file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        atexit.register(self._process.communicate)

    def ask(self, request: Mapping[str, Any]) -> int | None:
        """The exit status of the process of a request; None when it took too long."""
        asked, answered = self._process.stdin, self._process.stdout
        assert asked is not None
        assert answered is not None
        asked.write(json.dumps(request) + "\n")
        asked.flush()
        answer = answered.readline()
        assert answer, "the process that is forked has ended"
        return json.loads(answer)


@cache
def _server() -> _Server:
    return _Server()


KNOW_FORKS = ("snippets_mlir.runtime", "snippets_mlir.driver")
"""Packages that work in another way after a fork: kernels run on one thread, sessions are renewed.

They are not loaded before it.
"""


def _load() -> None:
    """Load most of what a compilation loads. NumPy's BLAS ends its threads before a fork."""
    from snippets_mlir.passmanager import universe

    tables = (universe.DIALECTS, universe.REPLACED_DIALECTS, universe.PASSES)
    modules = {row.partition(":")[0] for table in tables for row in table.values()}
    for name in ("numpy", "snippets_mlir.codegen.compile", *sorted(modules)):
        import_module(name)
    assert not [name for name in sys.modules if name.startswith(KNOW_FORKS)]
    assert threading.active_count() == 1


def _ended(pid: int, timeout: float) -> int | None:
    """The exit status of a child, None when it had to be killed."""
    with open(os.pidfd_open(pid), "rb", buffering=0) as file:
        late = not select.select([file], [], [], timeout)[0]
    if late:
        os.kill(pid, signal.SIGKILL)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    return None if late else status


def _serve() -> dict[str, Any] | None:
    """Fork for each request; the request in a child, None at the end of the requests."""
    while line := sys.stdin.readline():
        request: dict[str, Any] = json.loads(line)
        if not (pid := os.fork()):
            return request
        print(json.dumps(_ended(pid, request["timeout"])), flush=True)
    return None


def _become(env: Mapping[str, str], cwd: str, streams: Sequence[str]) -> None:
    """Take the variables, the folder and the streams of a request."""
    os.environ.clear()
    os.environ.update(env)
    os.chdir(cwd)
    for number, (name, flags) in enumerate(
        zip(streams, (os.O_RDONLY, *[os.O_WRONLY | os.O_CREAT] * 2), strict=True)
    ):
        file = os.open(name, flags, 0o600)
        os.dup2(file, number)
        os.close(file)
    sys.stdin = open(0, encoding="utf-8", closefd=False)


def _run(arguments: Sequence[str]) -> None:
    """Run a file, or the code after `-c`, as `__main__`."""
    paths = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    sys.path[:0] = [path for path in paths if path and path not in sys.path]
    if arguments[0] == "-c":
        sys.argv = ["-c", *arguments[2:]]
        main = sys.modules["__main__"] = ModuleType("__main__")
        exec(compile(arguments[1], "<string>", "exec"), main.__dict__)
        return
    sys.argv = [*arguments]
    sys.path[0] = str(Path(arguments[0]).parent)
    runpy.run_path(arguments[0], run_name="__main__")


if __name__ == "__main__":
    _load()
    gc.collect()
    gc.freeze()  # collections of the children do not copy its pages
    if (asked := _serve()) is not None:
        _become(asked["env"], asked["cwd"], asked["streams"])
        _run(asked["arguments"])
