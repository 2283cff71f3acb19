"""Files that cannot be written are an error before a tool begins its work."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

import pytest

from snippets_mlir.support.errors import CompileError
from snippets_mlir.tools import snippets_opt, snippets_run
from snippets_mlir.tools.options import OPTIONS
from snippets_mlir.tools.run_options import make_parser
from snippets_mlir.tools.written_files import FILES, FOLDERS, refuse_unwritable

PROGRAM = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = snippets.abs %x : tensor<4xf32>
  func.return %0 : tensor<4xf32>
}"""


def of_run() -> list[str]:
    """The options of `snippets-run` that name what it writes."""
    names = [action.dest for action in make_parser()._actions]
    return [name for name in (*FILES, *FOLDERS) if name in names]


def of_opt() -> list[str]:
    """Those of `snippets-opt`."""
    names = {s[-1].lstrip("-").replace("-", "_") for _, rows in OPTIONS for s, _ in rows}
    return [name for name in (*FILES, *FOLDERS) if name in names]


def test_every_name_is_an_option() -> None:
    assert {*of_run(), *of_opt()} == {*FILES, *FOLDERS}


@pytest.mark.parametrize(
    ("tool", "option"),
    [*(("run", name) for name in of_run()), *(("opt", name) for name in of_opt())],
)
def test_nothing_is_done_before(
    tool: str, option: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Not even the program is read, so what is wrong with it is not said."""
    (tmp_path / "wrong.mlir").write_text("no program")
    (tmp_path / "file").write_text("")
    name = f"{tmp_path}/file/below" if option in FOLDERS else f"{tmp_path}/none/file"
    main = snippets_run.main if tool == "run" else snippets_opt.main
    more = {
        "emit_dir": ["--emit-stage=llvm"],
        "mlir_print_ir_tree_dir": ["--mlir-print-ir-after-all"],
    }
    options = [f"--{option.replace('_', '-')}={name}", *more.get(option, [])]
    assert main([f"{tmp_path}/wrong.mlir", *options]) == 1
    said = capsys.readouterr()
    what = "Not a directory" if option in FOLDERS else "No such file or directory"
    assert (said.out, said.err) == ("", f"{name}: error: cannot write it: {what}\n")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "wrong.mlir"]


def test_what_can_be_written(tmp_path: Path) -> None:
    """Nothing is made for it."""
    (tmp_path / "file").write_text("kept")
    (tmp_path / "link").symlink_to(tmp_path / "new")
    for name in ("file", "new", "link"):
        refuse_unwritable(Namespace(profile=str(tmp_path / name), output_file="-"))
    for name in ("", "a", "a/b"):
        refuse_unwritable(Namespace(output_dir=str(tmp_path / name), trace=None))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "link"]
    assert (tmp_path / "file").read_text() == "kept"


@pytest.mark.parametrize(
    ("option", "name", "what"),
    [
        ("trace", ".", "Is a directory"),
        ("trace", "file/a", "Not a directory"),
        ("trace", "a/b", "No such file or directory"),
        ("output_dir", "file", "File exists"),
        ("output_dir", "file/a/b", "Not a directory"),
    ],
)
def test_what_cannot_be_written(tmp_path: Path, option: str, name: str, what: str) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(CompileError, match=f"cannot write it: {what}"):
        refuse_unwritable(Namespace(**{option: str(tmp_path / name)}))
