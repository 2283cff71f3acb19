"""Large constants of cached programs: files that are mapped, told by their facts, and verified."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from threading import get_native_id
from typing import Any

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray
from onnx import helper
from onnx_models import model, value

import snippets_mlir
from snippets_mlir.driver.cache import constant_files, stored, storing
from snippets_mlir.driver.cache.constant_files import keep_constants, mapped
from snippets_mlir.driver.cache.program_cache import program_key
from snippets_mlir.driver.compiled import Compiled
from snippets_mlir.runtime.arguments.arrays import dtype_from_name
from snippets_mlir.support.cache_lines import LINE
from snippets_mlir.tools import cache as command

COLUMNS = 300


@pytest.fixture
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache in which every array of 1 KiB is a large constant."""
    monkeypatch.setenv("SNIPPETS_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(stored, "program_key", program_key)
    monkeypatch.setattr("snippets_mlir.driver.cache.program_entry.LARGE", 1024)
    monkeypatch.setattr("snippets_mlir.driver.cache.program_entry.MAX_CONSTANTS", 4096)
    return tmp_path / "cache"


def files(directory: Path) -> list[Path]:
    return sorted((directory / "constants").iterdir())


def product(rows: int | str, scale: float = 1.0) -> onnx.ModelProto:
    """relu(x @ w + b); w is large, and is packed, b is not."""
    rng = np.random.default_rng(0)
    weights = {
        "w": (scale * rng.standard_normal((40, COLUMNS))).astype(np.float32),
        "b": rng.standard_normal(COLUMNS).astype(np.float32)[:1],
    }
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["p"]),
        helper.make_node("Add", ["p", "b"], ["s"]),
        helper.make_node("Relu", ["s"], ["y"]),
    ]
    return model(nodes, [value("x", (rows, 40))], ["y"], weights)


def compiled(of: onnx.ModelProto, threads: int = 1) -> Compiled:
    """The model in a kernel, whether that pays or not."""
    return snippets_mlir.compile(of, num_threads=threads, mark_skipped="none")


def run(program: Compiled, of: onnx.ModelProto, rows: int = 7) -> None:
    """A call gives what float64 gives."""
    x = np.random.default_rng(1).standard_normal((rows, 40)).astype(np.float32)
    w, b = map(onnx.numpy_helper.to_array, of.graph.initializer)
    found: NDArray[Any] = program.run({"x": x})["y"]
    np.testing.assert_allclose(found, np.maximum(x.astype(np.float64) @ w + b, 0), 1e-4, 1e-4)


@pytest.mark.parametrize("rows", [7, "n"])
def test_a_program_with_large_constants_comes_from_the_cache(
    rows: int | str, directory: Path
) -> None:
    of = product(rows)
    for again in (False, True, True):
        program = compiled(of)
        run(program, of)
        assert (program.from_cache is not None) == again
        assert len(files(directory)) == 1


def test_smaller_constants_are_in_a_file_where_they_are_too_many_for_the_entry(
    directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("snippets_mlir.driver.cache.program_entry.LARGE", 1 << 20)
    of = product(7)
    for again in (False, True):
        program = compiled(of)
        run(program, of)
        assert (program.from_cache is not None) == again
        assert len(files(directory)) == 1


def test_many_small_constants_are_in_a_file(
    directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A load neither reads nor hashes them."""
    monkeypatch.setattr("snippets_mlir.driver.cache.program_entry.LARGE", 8000)
    monkeypatch.setattr("snippets_mlir.driver.cache.program_entry.MAX_CONSTANTS", 1 << 20)
    rng = np.random.default_rng(0)
    weights = {n: rng.standard_normal(1200).astype(np.float32) for n in "vw"}
    nodes = [
        helper.make_node("Mul", ["x", "v"], ["p"]),
        helper.make_node("Add", ["p", "w"], ["y"]),
    ]
    of = model(nodes, [value("x", (7, 1200))], ["y"], weights)
    x = rng.standard_normal((7, 1200)).astype(np.float32)
    expected = compiled(of)(x)
    storing.finish()
    (file,) = files(directory)
    assert file.stat().st_size == 9600
    again = compiled(of)
    assert again.from_cache is not None
    np.testing.assert_array_equal(again(x), expected)


def test_programs_share_a_file(directory: Path) -> None:
    of = product(7)
    for threads in (1, 2):
        run(compiled(of, threads), of)
    assert len(files(directory)) == 1
    run(compiled(product(7, 2.0)), product(7, 2.0))
    assert len(files(directory)) == 2


def change(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[5] ^= 1
    path.write_bytes(data)
    later = path.stat().st_mtime_ns + 10**9  # clocks of files are coarse
    os.utime(path, ns=(later, later))


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:100])


def touch(path: Path) -> None:
    os.utime(path, ns=(5, 5))


def test_a_file_that_has_changed_is_not_used(directory: Path) -> None:
    of = product(7)
    compiled(of)
    for spoil in (change, cut, touch, Path.unlink):
        found = compiled(of)
        assert found.from_cache is not None
        run(found, of)
        (path,) = files(directory)
        spoil(path)
        program = compiled(of)
        assert program.from_cache is None, spoil
        run(program, of)


def test_a_damaged_file_is_not_shared(directory: Path) -> None:
    of = product(7)
    compiled(of)
    (path,) = files(directory)
    change(path)
    compiled(of, threads=2)
    for threads in (2, 1, 1):
        run(compiled(of, threads), of)
    assert compiled(of, threads=2).from_cache is not None
    assert command.main(["verify"]) == 0


def test_verify_finds_what_facts_do_not_show(
    directory: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    of = product(7)
    compiled(of)
    assert command.main(["verify"]) == 0
    assert "1 files of constants are undamaged" in capsys.readouterr().out
    (path,) = files(directory)
    status = path.stat()
    change(path)
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert command.main(["verify"]) == 1
    assert f"removed {path}" in capsys.readouterr().out
    assert files(directory) == []
    program = compiled(of)
    assert program.from_cache is None
    run(program, of)


def test_verify_finds_damaged_entries(directory: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """They are removed."""
    of = product(7)
    compiled(of)
    kinds = {kind: sorted((directory / kind).iterdir()) for kind in ("programs", "objects")}
    assert command.main(["verify"]) == 0
    for kind, (path, *_) in kinds.items():
        assert f"{len(kinds[kind])} {kind} are undamaged" in capsys.readouterr().out
        change(path)
        assert command.main(["verify"]) == 1
        found = capsys.readouterr().out
        assert f"removed {path}: its contents do not have the sum" in found
        assert f"{len(kinds[kind]) - 1} {kind} are undamaged" in found
        assert not path.exists()
        run(compiled(of), of)
        assert command.main(["verify"]) == 0


def test_verify_leaves_programs_of_other_files_of_the_package(
    directory: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another version or checkout has them in the same directory, and may still use them."""
    of = product(7)
    with monkeypatch.context() as other:
        other.setattr("snippets_mlir.codegen.cache.own_stamp", lambda: b"other files")
        compiled(of)
    (path,) = (directory / "programs").iterdir()
    assert compiled(product(8)).from_cache is None
    assert command.main(["verify"]) == 0
    found = capsys.readouterr().out
    assert "1 programs are undamaged" in found
    assert "1 programs were made by other files of snippets_mlir; --clear removes them" in found
    assert path.exists()
    change(path)
    assert command.main(["verify"]) == 1
    assert f"removed {path}: its contents" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["bogus"], "expected the command verify or none, found 'bogus'; see --help"),
        (["--clear", "verify"], "--clear removes all entries, so there are none to verify"),
        (["--bogus"], "unrecognized arguments: --bogus; see --help"),
    ],
)
def test_wrong_arguments_are_one_line(
    directory: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    assert command.main(arguments) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"error: {said}")


@pytest.mark.skipif(sys.platform != "linux", reason="threads have no priority of their own")
@pytest.mark.parametrize("large", [False, True])
def test_large_files_are_written_by_a_thread_that_lets_others_go_first(
    large: bool, directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lowered: list[tuple[int, int]] = []
    lower = os.setpriority

    def noted(which: int, thread: int, priority: int) -> None:
        lower(which, thread, priority)
        lowered.append((thread, os.getpriority(which, thread)))

    monkeypatch.setattr(os, "setpriority", noted)
    if large:
        monkeypatch.setattr(constant_files, "LATER", 1024)
    array = np.arange(3000, dtype=np.int8)
    before = os.getpriority(os.PRIO_PROCESS, 0)
    file = keep_constants({0: array}, 1024)
    assert file is not None
    assert bytes(mapped(file.data)[: array.nbytes]) == array.tobytes()
    assert os.getpriority(os.PRIO_PROCESS, 0) == before
    assert [(thread != get_native_id(), nice) for thread, nice in lowered] == [
        (True, min(19, before + 10))
    ] * large


def test_arrays_of_all_kinds(directory: Path) -> None:
    rng = np.random.default_rng(0)
    arrays: dict[int, NDArray[Any]] = {
        3: rng.standard_normal((33, 17)).astype(np.float32),
        5: np.arange(3000, dtype=np.int8),
        8: np.arange(4, dtype=np.float64),  # small
        9: rng.standard_normal(2000).astype(dtype_from_name("bfloat16")),
    }
    kept = keep_constants(arrays, 1024)
    assert kept is not None
    assert list(kept.offsets) == [3, 5, 9]
    data = mapped(kept.data)
    for name, offset in kept.offsets.items():
        array = arrays[name]
        assert offset % LINE == 0
        assert data[offset : offset + array.nbytes] == array.tobytes()
    assert data.readonly


def test_names_that_are_paths(directory: Path) -> None:
    kept = keep_constants({0: np.zeros(2000)}, 1024)
    assert kept is not None
    with pytest.raises(ValueError, match="no name of a file"):
        mapped({**kept.data, "name": f"../constants/{kept.data['name']}"})


def test_disks_that_do_not_work(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError

    monkeypatch.setattr(constant_files, "_written", refuse)
    of = product(7)
    for _ in range(2):
        program = compiled(of)
        run(program, of)
        assert program.from_cache is None


def test_the_least_recently_used_files_go(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second, third = (keep_constants({0: np.full(1000, float(n))}, 1024) for n in range(3))
    assert first is not None
    assert second is not None
    assert third is not None
    for age, kept in ((30, second), (20, first), (10, third)):
        path = directory / "constants" / kept.data["name"]
        os.utime(path, ns=(path.stat().st_mtime_ns - age * 10**9, path.stat().st_mtime_ns))
    mapped(second.data)  # its last use is now, and its facts stay
    mapped(second.data)
    monkeypatch.setattr(constant_files, "LIMIT", 3 * 8000 + 192)
    keep_constants({0: np.full(1000, 3.0)}, 1024)
    left = {path.name for path in files(directory)}
    assert first.data["name"] not in left
    assert second.data["name"] in left
