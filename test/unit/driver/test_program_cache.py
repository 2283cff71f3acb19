"""Finished programs on disk: hits, damage, several writers, limits."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import cycle
from pathlib import Path
from shutil import copytree
from typing import Any

import numpy as np
import pytest
from cached_programs import TEXT, compiled, programs
from sampled import ALL

from snippets_mlir.codegen import cache
from snippets_mlir.codegen.cache import write_entry
from snippets_mlir.codegen.stubs.objects import OF_CALLS
from snippets_mlir.driver.cache.program_cache import (
    clear,
    contents,
    read_program,
)
from snippets_mlir.tools import cache as command

DYNAMIC = """
func.func @main(%x: tensor<?x5xf32>) -> tensor<?x5xf32> {
  %0 = snippets.relu %x : tensor<?x5xf32>
  func.return %0 : tensor<?x5xf32>
}
"""

X = np.linspace(-3, 3, 20, dtype=np.float32).reshape(4, 5)
Y = np.array([0, 1, -1, np.nan, np.inf], np.float32)


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a process leaves that compiles `TEXT`, and its source."""
    folder = tmp_path_factory.mktemp("filled")
    (folder / "program.mlir").write_text(TEXT)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SNIPPETS_CACHE_DIR", str(folder / "cache"))
        assert said_by_a_process(folder / "program.mlir", 0) == ["None", "True", "False"]
    return folder


def test_the_second_time_is_a_hit_that_computes_the_same(cache_directory: Path) -> None:
    first, second = compiled(), compiled()
    assert first.from_cache is None
    assert second.from_cache == "program"
    assert len(programs(cache_directory)) == 1
    np.testing.assert_array_equal(second(X, Y), first(X, Y))
    np.testing.assert_array_equal(second.run({"x": X, "arg1": Y})["out0"], first(X, Y))
    for attribute in ("inputs", "outputs", "kernels", "opaque", "manifest", "passes"):
        shown = [str(getattr(program, attribute)) for program in (first, second)]
        assert shown[0] == shown[1], attribute
    entries = [[k.entry for k in program.kernels] for program in (first, second)]
    assert entries[0] == entries[1]
    assert second.num_threads == first.num_threads
    assert (first.compiled_times, second.compiled_times) == (1, 0)
    with pytest.raises(ValueError, match=r"input 'x': expected shape \(4, 5\)"):
        second(X[:2], Y)
    with pytest.raises(AttributeError, match="no_such"):
        _ = second.no_such


def test_packed_weights_are_kept_as_panels(cache_directory: Path) -> None:
    text = """
func.func @main(%x: tensor<13x4xf32>) -> tensor<13x700xf32> {
  %w = snippets.constant dense<1.0> : tensor<4x700xf32>
  %0 = snippets.matmul %x, %w : (tensor<13x4xf32>, tensor<4x700xf32>) -> tensor<13x700xf32>
  func.return %0 : tensor<13x700xf32>
}
"""
    first, second = compiled(text), compiled(text)
    assert second.from_cache == "program"
    x = np.arange(52, dtype=np.float32).reshape(13, 4)
    np.testing.assert_array_equal(second(x), np.repeat(x.sum(1)[:, None], 700, 1))
    for program in (first, second):
        (constant,) = program.build_for([x]).program.constants.values()
        assert constant.ndim == 3
        assert constant.ctypes.data % 64 == 0


def test_ir_is_made_again(cache_directory: Path) -> None:
    first, second = compiled(), compiled()
    for stage in ("graph", "lir", "llvm-ir", "lir-fuse-loops"):
        assert second.ir(stage) == first.ir(stage), stage
        assert second.kernels[0].ir(stage) == first.kernels[0].ir(stage), stage
    assert second.source.entry == "main"


FOREIGN = (b"", bytes(range(256)), b"\x7fELF", b"a stub")


def test_a_hit_loads_no_compiler(cache_directory: Path, filled: Path) -> None:
    """Whether the objects of the stubs are there, are gone, are damaged, or are of other code."""
    copytree(filled / "cache", cache_directory)
    path, objects = filled / "program.mlir", cache_directory / "objects"
    for entry in objects.iterdir():
        entry.unlink()
    for case in ("gone", "there"):
        assert said_by_a_process(path, 3) == ["program", "False", "True"], case
    kept = {entry: entry.read_bytes() for entry in sorted(objects.iterdir())}
    assert len(kept) >= len(OF_CALLS)
    damages = cycle((None, *FOREIGN))
    for _ in range(2 if ALL else 1):
        for entry, data in zip(kept, damages):
            entry.write_bytes(b"nothing") if data is None else write_entry(entry, data)
        assert said_by_a_process(path, 3) == ["program", "False", "True"]
        read = {name for name, data in kept.items() if name.read_bytes() == data}
        assert len(read) >= len(OF_CALLS)


def said_by_a_process(path: Path, calls: int) -> list[str]:
    """The class of a program; after some calls, whether there are xDSL, and a direct call.

    The program is too small for a team; what starts one is loaded, too.
    """
    code = (
        "import sys, numpy as np, snippets_mlir\n"
        "from snippets_mlir.runtime.parallel import threads\n"
        f"m = snippets_mlir.compile({str(path)!r}, num_threads=2)\n"
        f"for _ in range({calls}):\n"
        "    m(np.ones((4, 5), np.float32), np.ones(5, np.float32))\n"
        "threads.shared_threads()\n"
        "print(m.from_cache, 'xdsl' in sys.modules, m._direct is not None)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.split()


def test_a_hit_shares_kernels_without_the_compiler(cache_directory: Path, tmp_path: Path) -> None:
    path = tmp_path / "program.mlir"
    path.write_text(TEXT.replace("4x5", "9000x5"))
    code = (
        "import sys, numpy as np, snippets_mlir\n"
        f"m = snippets_mlir.compile({str(path)!r}, num_threads=2)\n"
        "x, y = np.ones((9000, 5), np.float32), np.ones(5, np.float32)\n"
        "results = [m(x, y) for _ in range(3)]\n"
        "same = all(np.array_equal(r, results[0]) for r in results)\n"
        "print(same, max(m.built().program.teams), 'xdsl' in sys.modules)"
    )
    for loaded in ("True", "False"):
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        )
        assert done.stdout.split() == ["True", "2", loaded]


def test_a_file_that_changed_is_another_program(cache_directory: Path, tmp_path: Path) -> None:
    path = tmp_path / "program.mlir"
    path.write_text(TEXT)
    compiled(path)
    held = compiled(str(path))
    assert held.from_cache == "program"
    path.write_text(TEXT.replace("maximum", "minimum"))
    assert compiled(path).from_cache is None
    assert "snippets.maximum" in held.ir("graph")


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda raw: b"",
    "cut": lambda raw: raw[: len(raw) // 2],
    "one bit": lambda raw: raw[:-1] + bytes([raw[-1] ^ 1]),
    "text": lambda raw: b"not an entry",
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_entry_is_compiled_anew(cache_directory: Path, damage: str) -> None:
    expected = compiled()(X, Y)
    (path,) = programs(cache_directory)
    raw = path.read_bytes()
    path.write_bytes(DAMAGES[damage](raw))
    again = compiled()
    assert again.from_cache is None
    np.testing.assert_array_equal(again(X, Y), expected)
    assert compiled().from_cache == "program"


def _result() -> Any:
    return compiled()(X, Y)


def test_several_processes_and_threads_write_at_once(cache_directory: Path) -> None:
    code = (
        "import sys, numpy as np, snippets_mlir\n"
        f"for k in range(3): m = snippets_mlir.compile({TEXT!r} + '\\n' * k)\n"
        "print(m(np.ones((4, 5), np.float32), np.ones(5, np.float32)).sum())"
    )
    other = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    with ThreadPoolExecutor(4) as pool:
        results = [done.result() for done in [pool.submit(_result) for _ in range(8)]]
    assert other.communicate()[0] == "inf\n"
    for result in results:
        np.testing.assert_array_equal(result, results[0])
    assert len(programs(cache_directory)) == 3
    assert not list(cache_directory.rglob("*.tmp"))
    assert compiled().from_cache == "program"


def test_the_least_recently_used_programs_go(
    cache_directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = [TEXT + "\n" * k for k in range(3)]
    for age, text in zip((30, 20, 10), texts, strict=True):
        compiled(text)
        newest = max(programs(cache_directory), key=lambda path: path.stat().st_mtime)
        stamp = newest.stat().st_mtime - age
        os.utime(newest, (stamp, stamp))
    size = max(path.stat().st_size for path in programs(cache_directory))
    monkeypatch.setattr(cache, "LIMIT", 3 * size)
    compiled(texts[0])
    compiled(TEXT + "\n" * 9)
    assert len(programs(cache_directory)) == 3
    kinds = [compiled(text).from_cache == "program" for text in (texts[0], texts[2], texts[1])]
    assert kinds == [True, True, False]


def test_masks_of_dynamic_programs_are_kept(cache_directory: Path) -> None:
    first, second = compiled(DYNAMIC), compiled(DYNAMIC)
    for rows in (3, 1, 0, 8):
        x = np.linspace(-1, 1, rows * 5, dtype=np.float32).reshape(rows, 5)
        np.testing.assert_array_equal(first(x), np.maximum(x, 0))
        np.testing.assert_array_equal(second(x), np.maximum(x, 0))
    assert (first.compiled_times, second.compiled_times) == (3, 0)
    assert second.ir("llvm-ir") == first.ir("llvm-ir")


def test_the_command_shows_and_clears(
    cache_directory: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    compiled()
    key = programs(cache_directory)[0].name
    found = {c.kind: c.entries for c in contents()}
    assert (found["programs"], found["constants"]) == (1, 0)
    assert 1 <= found["objects"] <= 1 + len(OF_CALLS)  # this process may have loaded the stubs
    assert command.main([]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert shown[0] == str(cache_directory)
    assert shown[1].split()[:3] == ["programs", "1", "entries"]
    assert command.main(["--clear"]) == 0
    assert f"removed {sum(found.values())} entries" in capsys.readouterr().out
    assert sum(c.entries for c in contents()) == clear() == 0
    assert read_program(key, 1) is None
    monkeypatch.setenv("SNIPPETS_CACHE_DIR", "")
    assert command.main([]) == 0
    assert "the cache is off" in capsys.readouterr().out
