"""Locks across threads and forks: first calls at once, and children that can compile and call."""

from __future__ import annotations

import ast
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier, Event, Thread

import pytest
from warm_process import run_warm

from snippets_mlir.codegen import locks
from snippets_mlir.codegen.locks import once
from snippets_mlir.driver.compiling import COMPILING

PACKAGE = Path(locks.__file__).resolve().parents[1]
SECONDS = 300
"""A process that takes longer hangs."""

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")

FIRST_CALLS = """
import sys, threading
import numpy as np
import snippets_mlir
sys.setswitchinterval(1e-5)
TEXT = '''
func.func @main(%x: tensor<300xNxf32>) -> tensor<300xNxf32> {
  %0 = snippets.add %x, %x : tensor<300xNxf32>
  func.return %0 : tensor<300xNxf32>
}'''
sizes = range(1000, 1008)
barrier = threading.Barrier(8)
wrong = []
def calls(number):
    mine, shared = np.ones((300, sizes[number]), np.float32), np.ones((300, 1000), np.float32)
    barrier.wait()
    for _ in range(20):
        wrong.append((programs[number](mine) != 2).any() or (programs[0](shared) != 2).any())
for number in (1, 2):
    programs = [snippets_mlir.compile(TEXT.replace('N', str(n)), num_threads=number) for n in sizes]
    for _ in range(2):
        threads = [threading.Thread(target=calls, args=(i,)) for i in range(8)]
        for t in threads: t.start()
        for t in threads: t.join()
        others = [float(i) for i in range(100000)]  # into the memory of what is gone
print('wrong' if any(wrong) else 'right')
"""

FORKS = """
import faulthandler, os, sys, threading, time
import numpy as np
import snippets_mlir
TEXT = '''
func.func @main(%x: tensor<NxNxf32>) -> tensor<NxNxf32> {
  %0 = snippets.add %x, %x : tensor<NxNxf32>
  func.return %0 : tensor<NxNxf32>
}'''
def check(n):
    m = snippets_mlir.compile(TEXT.replace('N', str(n)), num_threads=2)
    assert (m(np.ones((n, n), np.float32)) == 2).all()
stop = threading.Event()
def compiles():
    n = 100
    while not stop.is_set():
        check(n := n + 1)
check(3)
thread = threading.Thread(target=compiles)
thread.start()
codes = []
for trial in range(5):
    time.sleep(0.03)
    pid = os.fork()
    if pid == 0:
        faulthandler.dump_traceback_later(200, exit=True)
        check(10 + trial)
        os._exit(0)
    codes.append(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
stop.set()
thread.join()
print(codes)
"""


IMPORTS = """
import sys
import numpy as np
import snippets_mlir
m = snippets_mlir.compile('''
func.func @main(%x: tensor<300x1000xf32>) -> tensor<300x1000xf32> {
  %0 = snippets.add %x, %x : tensor<300x1000xf32>
  func.return %0 : tensor<300x1000xf32>
}''', num_threads=2)
x = np.ones((300, 1000), np.float32)
before = {*sys.modules}
m(x, out=np.empty_like(x)), m(x), m(x), m(x[::-1]), m.run({'arg0': x})
print([name for name in {*sys.modules} - before if not name.startswith('_sysconfigdata')])
"""


def said_by(code: str) -> str:
    """What a process prints that runs `code`; it has to end well, and without a cache of files."""
    environment = {**os.environ, "SNIPPETS_CACHE_DIR": ""}
    done = run_warm("-c", code, env=environment, timeout=SECONDS)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_first_calls_of_several_threads() -> None:
    """Of programs that run on one thread each, and of others on two."""
    assert said_by(FIRST_CALLS) == "right\n"


@needs_fork
def test_children_made_during_compilations_compile_and_call() -> None:
    assert said_by(FORKS) == "[0, 0, 0, 0, 0]\n"


def test_calls_import_nothing() -> None:
    """A module that is half imported in another thread stays so in a child."""
    assert said_by(IMPORTS) == "[]\n"


def test_what_is_made_once_is_the_same_for_all_threads() -> None:
    made: list[object] = []
    barrier = Barrier(8)

    @once
    def thing() -> object:
        """An object."""
        made.append(object())
        Event().wait(0.01)
        return made[-1]

    def get(_: int) -> object:
        barrier.wait()
        return thing()

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(get, range(8)))
    assert len(made) == 1
    assert all(one is made[0] for one in found)
    assert thing.__doc__ == "An object."


def test_an_error_is_not_kept() -> None:
    tries: list[int] = []

    @once
    def third() -> int:
        tries.append(1)
        if len(tries) < 3:
            raise ValueError(len(tries))
        return len(tries)

    for _ in range(2):
        with pytest.raises(ValueError, match=r"\d"):
            third()
    assert third() == third() == 3


@needs_fork
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
@pytest.mark.parametrize("lock", range(len(locks.ORDER)))
def test_a_fork_waits_for_each_lock(lock: int) -> None:
    """The child finds the lock free, and the parent has it no longer."""
    held, free = Event(), Event()

    def holds() -> None:
        with locks.ORDER[lock]:
            held.set()
            free.wait(0.2)

    thread = Thread(target=holds)
    thread.start()
    held.wait()
    pid = os.fork()
    if pid == 0:
        got = all(one.acquire(blocking=False) for one in locks.ORDER)
        os._exit(0 if got else 1)
    free.set()
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    thread.join()
    with ThreadPoolExecutor(1) as pool:
        assert all(pool.submit(one.acquire, blocking=False).result() for one in locks.ORDER)
        for one in locks.ORDER:
            pool.submit(one.release).result()


@needs_fork
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_thread_may_fork_while_it_compiles() -> None:
    with COMPILING:
        pid = os.fork()
        if pid == 0:
            with COMPILING:
                os._exit(0)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


def names_used(path: Path, modules: tuple[str, ...]) -> set[str]:
    """The names in a file that says one of `modules` somewhere; parsing all files takes long."""
    text = path.read_text("utf-8")
    if not any(module in text for module in modules):
        return set()
    tree = ast.parse(text)
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    names |= {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom | ast.Import)]
    return names | {alias.name for node in imports for alias in node.names}


def test_there_are_no_other_locks() -> None:
    """A lock that a fork does not know is held for ever in the child."""
    kinds = {"Lock", "RLock", "Condition", "Semaphore", "BoundedSemaphore", "Event", "Barrier"}
    kinds |= {"Queue", "SimpleQueue", "ThreadPoolExecutor"}
    modules = ("threading", "queue", "multiprocessing", "concurrent")
    found = [path.name for path in PACKAGE.rglob("*.py") if kinds & names_used(path, modules)]
    assert found == ["locks.py"]


def test_objects_of_the_runtime_are_made_once() -> None:
    """`functools.cache` gives threads that miss together different objects."""
    caches = {"cache", "lru_cache", "cached_property"}
    files = (PACKAGE / "runtime").rglob("*.py")
    found = {path.name for path in files if caches & names_used(path, ("functools",))}
    assert found == {"specs.py"}  # a class for each rank, which is as good as another
