"""How the cache tells one version of the package from another."""

from __future__ import annotations

import os
from pathlib import Path

import snippets_mlir
from snippets_mlir.codegen import cache


def test_the_files_of_the_package_are_told_by_size_and_date(tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    (inner / "__pycache__").mkdir()
    for path in (tmp_path / "a.py", inner / "b.py", inner / "c.txt", inner / "__pycache__/d.py"):
        path.write_text("x")

    def found() -> list[tuple[str, int, int]]:
        return sorted(cache.python_files(str(tmp_path)))

    before = found()
    assert [(name, size) for name, size, _ in before] == [("/a.py", 1), ("/inner/b.py", 1)]
    os.utime(inner / "b.py", ns=(5, 5))
    assert found() != before


def test_an_installed_package_is_told_by_what_its_installer_wrote(tmp_path: Path) -> None:
    package = tmp_path / "snippets_mlir"
    package.mkdir()
    (package / "a.py").write_text("x")
    stamps = [cache.files_stamp(package)]  # a checkout
    os.utime(package / "a.py", ns=(5, 5))
    stamps.append(cache.files_stamp(package))
    record = tmp_path / f"snippets_mlir-{snippets_mlir.__version__}.dist-info" / "RECORD"
    record.parent.mkdir()
    record.write_text("snippets_mlir/a.py,sha256=1,1")
    stamps.append(cache.files_stamp(package))
    (package / "a.py").write_text("y")  # no installer did that
    assert cache.files_stamp(package) == stamps[-1]
    os.utime(record, ns=(5, 5))
    stamps.append(cache.files_stamp(package))
    record.write_text("snippets_mlir/a.py,sha256=2,10")
    os.utime(record, ns=(5, 5))
    stamps.append(cache.files_stamp(package))
    assert len(set(stamps)) == 5
    moved = tmp_path / "old.dist-info"
    record.parent.rename(moved)  # of another version
    assert cache.files_stamp(package) not in stamps


def test_this_checkout_is_told_by_its_files() -> None:
    package = Path(cache.__file__).resolve().parents[1]
    assert "/codegen/cache.py" in cache.files_stamp(package)
