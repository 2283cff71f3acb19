"""A built wheel works where the checkout is not: commands, entry point, type marker, contents."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import zipfile
from importlib.util import cache_from_source
from pathlib import Path
from shutil import copytree

import pytest

ROOT = Path(__file__).resolve().parents[3]
MODULE = """\
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = snippets.relu %x : tensor<8xf32>
  func.return %0 : tensor<8xf32>
}
"""


def run(
    *command: str | Path, cwd: Path, path: str = os.environ["PATH"]
) -> subprocess.CompletedProcess[str]:
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "PYTEST"))}
    environment["PATH"] = path
    return subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of a copy of the tree, so that no build folder is left in the checkout."""
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    source.mkdir()
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        (source / name).write_bytes((ROOT / name).read_bytes())
    for file in (ROOT / "snippets_mlir").rglob("*"):
        if file.suffix in (".py", ".ll", ".txt") or file.name == "py.typed":
            target = source / file.relative_to(ROOT)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(file.read_bytes())
    return built(source, folder)


def built(source: Path, folder: Path) -> Path:
    """The wheel of a project, made in a folder from nothing else than the running environment."""
    code = "import sys; from setuptools.build_meta import build_wheel; build_wheel(sys.argv[1])"
    done = run(sys.executable, "-c", code, folder, cwd=source)  # as pip does, which takes a second
    assert done.returncode == 0, done.stderr
    (found,) = folder.glob("*.whl")
    return found


def install(wheel: Path, python: Path) -> None:
    """Install a wheel, without what it depends on."""
    done = run(
        *(sys.executable, "-m", "pip", "--python", python, "install", "--quiet"),
        *("--disable-pip-version-check", "--no-compile", "--no-deps", wheel),
        cwd=wheel.parent,
    )
    assert done.returncode == 0, done.stderr


def give_bytecode(package: Path) -> None:
    """Let an installed package have the bytecode of the checkout, as compiling takes seconds.

    Python looks at the time and the size of a source: they are made those of the checkout.
    """
    for file in package.rglob("*.py"):
        own = ROOT / "snippets_mlir" / file.relative_to(package)
        assert own.read_bytes() == file.read_bytes()
        os.utime(file, ns=(time := own.stat().st_mtime_ns, time))
        kept = Path(cache_from_source(str(own)))
        if kept.exists():
            target = Path(cache_from_source(str(file)))
            target.parent.mkdir(exist_ok=True)
            target.write_bytes(kept.read_bytes())


@pytest.fixture(scope="module")
def commands(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The `bin` of a new environment with the wheel in it.

    The dependencies are those of the running environment, through a path file: what is tested is
    our wheel, not the registry.
    """
    folder = tmp_path_factory.mktemp("venv")
    made = run(sys.executable, "-m", "venv", "--without-pip", folder / "env", cwd=folder)
    assert made.returncode == 0, made.stderr
    python = folder / "env" / "bin" / "python"
    install(wheel, python)
    where = run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=folder)
    packages = Path(where.stdout.strip())
    give_bytecode(packages / "snippets_mlir")
    dependencies = packages / "dependencies.pth"
    dependencies.write_text(f"{sysconfig.get_path('purelib')}\n", encoding="utf-8")
    return python.parent


def test_wheel_holds_the_package_and_nothing_else(wheel: Path):
    names = zipfile.ZipFile(wheel).namelist()
    tops = {name.split("/")[0] for name in names}
    assert tops == {"snippets_mlir", "snippets_mlir-0.1.0.dist-info"}
    assert "snippets_mlir/py.typed" in names
    assert any(name.endswith("licenses/LICENSE") for name in names)
    for pattern in ("*.py", "*.ll", "*.txt"):
        files = {p.relative_to(ROOT).as_posix() for p in (ROOT / "snippets_mlir").rglob(pattern)}
        assert files
        assert files <= set(names)


def test_package_comes_from_the_wheel(commands: Path, tmp_path: Path):
    code = "import snippets_mlir; print(snippets_mlir.__file__)"
    found = run(commands / "python", "-c", code, cwd=tmp_path)
    assert str(commands.parent) in found.stdout


def test_snippets_opt_makes_llvm_text(commands: Path, tmp_path: Path):
    (tmp_path / "m.mlir").write_text(MODULE, encoding="utf-8")
    done = run(
        *(commands / "snippets-opt", "m.mlir", "-p", "snippets-to-llvm", "-t", "llvm"),
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    assert "define " in done.stdout
    wrong = run(commands / "snippets-opt", "nothing.mlir", cwd=tmp_path)
    assert (wrong.returncode, wrong.stdout) == (1, "")
    assert wrong.stderr == "error: cannot read 'nothing.mlir': No such file or directory\n"


def test_snippets_run_runs(commands: Path, tmp_path: Path):
    (tmp_path / "m.mlir").write_text(MODULE, encoding="utf-8")
    done = run(commands / "snippets-run", "m.mlir", "--verify", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("out0")
    done = run(commands / "snippets-run", "--help", cwd=tmp_path)
    assert done.returncode == 0
    assert done.stdout.startswith("usage: snippets-run")


def test_the_example_of_a_plugin(commands: Path, tmp_path: Path):
    """Its wheel is installed, and its own tests run where neither checkout nor sources are."""
    plugin = ROOT / "docs" / "examples" / "plugin"
    copytree(plugin, tmp_path / "source")
    (packages,) = commands.parent.glob("lib/python*/site-packages")
    with zipfile.ZipFile(built(tmp_path / "source", tmp_path)) as made:
        made.extractall(packages)
    copytree(plugin / "test", tmp_path / "test")
    path = os.pathsep.join((str(commands), sysconfig.get_path("scripts"), os.environ["PATH"]))
    lit = "from lit.main import main; main()"
    for command in (["-m", "pytest", "-q", "-p", "no:cacheprovider"], ["-c", lit, "-v"]):
        done = run(commands / "python", *command, "test", cwd=tmp_path, path=path)
        assert done.returncode == 0, done.stdout + done.stderr
    assert "Passed: 2" in done.stdout


def test_plain_xdsl_opt_knows_our_dialect(commands: Path, tmp_path: Path):
    (tmp_path / "m.mlir").write_text(MODULE, encoding="utf-8")
    code = "from xdsl.tools.xdsl_opt import main; main()"
    passes = "snippets-set-target{target=generic}"
    done = run(commands / "python", "-c", code, "m.mlir", "-p", passes, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "snippets.relu" in done.stdout
    assert 'snippets.target = "generic"' in done.stdout


def test_an_editable_install_is_a_path(tmp_path: Path):
    """Type checkers follow a path; they do not run import hooks."""
    (tmp_path / "snippets_mlir").mkdir()
    (tmp_path / "snippets_mlir/__init__.py").write_text("")
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        (tmp_path / name).write_bytes((ROOT / name).read_bytes())
    code = "from setuptools.build_meta import build_editable; print(build_editable('.'))"
    built = run(sys.executable, "-c", code, cwd=tmp_path)
    assert built.returncode == 0, built.stderr
    with zipfile.ZipFile(tmp_path / built.stdout.splitlines()[-1]) as found:
        (path,) = [name for name in found.namelist() if name.endswith(".pth")]
        assert found.read(path).decode().strip() == str(tmp_path)
        assert not [name for name in found.namelist() if name.endswith(".py")]
