"""What README and docs say is so: their commands run, and the tree they show is the tree.

Fenced `sh` blocks are run line by line in a folder that looks like the checkout; a block that is
marked `file=NAME` is written there first. Commands that set things up (`make`, `git`, `pip`,
`python -m venv`) are left to CI, which runs them.
"""

from __future__ import annotations

import re
import runpy
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

import pytest
from lit_runner import LitFailure, run_command
from warm_process import RUN_MODULE, run_warm

from snippets_mlir.driver.cache import stored
from snippets_mlir.driver.cache.program_cache import program_key
from snippets_mlir.targets.machine import TARGETS

ROOT = Path(__file__).resolve().parents[3]
PAGES = sorted(
    (ROOT / "README.md", *(ROOT / "docs").glob("*.md"), *(ROOT / "docs").glob("tutorial/*.md"))
)
SET_UP = re.compile(r"(make|git|cd|pip|source|python3? -m (venv|pip|build))\b|\.venv/bin/|\. ")


def blocks(page: Path, language: str) -> Iterator[str]:
    """The fenced blocks of one language."""
    text = page.read_text(encoding="utf-8")
    for match in re.finditer(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        yield match.group(1)


def commands(page: Path) -> list[str]:
    """The commands of a page, without prompts and comments."""
    found: list[str] = []
    for block in blocks(page, "sh"):
        for line in block.replace("\\\n", " ").splitlines():
            command = re.sub(r"\s+#.*", "", line.removeprefix("$ ").strip())
            if command and not command.startswith("#") and not SET_UP.match(command):
                found.append(command)
    return found


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with links to everything in the checkout, for commands that write files."""
    for entry in ROOT.iterdir():
        if not entry.name.startswith("."):
            (tmp_path / entry.name).symlink_to(entry)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    return tmp_path


def write_files(page: Path, folder: Path) -> None:
    """Write the files that a page shows."""
    text = page.read_text(encoding="utf-8")
    for match in re.finditer(r"^```\w+ file=(\S+)\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        (folder / match.group(1)).write_text(match.group(2), encoding="utf-8")


def run(command: str) -> None:
    """Run a command; scripts and modules that are no tools have a process that is warm.

    Raises:
        LitFailure: it failed.
    """
    first, *arguments = command.split()
    if first != "python" or arguments[1].startswith("snippets_mlir.tools."):
        run_command(command)
        return
    words = ["-c", RUN_MODULE, *arguments[1:]] if arguments[0] == "-m" else arguments
    done = run_warm(*words)
    if done.returncode:
        raise LitFailure(done.stdout + done.stderr)


@pytest.mark.usefixtures("unverified")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_run(page: Path, checkout: Path):
    write_files(page, checkout)
    failures: list[str] = []
    for command in commands(page):
        try:
            run(command)
        except LitFailure as failure:
            failures.append(f"{command}\n{failure}")
    assert not failures, "\n".join(failures)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python_examples_run(page: Path, checkout: Path, monkeypatch: pytest.MonkeyPatch):
    """The Python blocks of a page run one after the other, as a reader would type them."""
    write_files(page, checkout)
    monkeypatch.setattr(stored, "program_key", program_key)  # one page is about the cache
    monkeypatch.setenv("SNIPPETS_CACHE_DIR", str(checkout / "cache"))
    (checkout / "example.py").write_text("\n".join(blocks(page, "python")), encoding="utf-8")
    with patch.dict(TARGETS):
        runpy.run_path("example.py")


def test_readme_has_commands():
    assert commands(ROOT / "README.md")


def test_tree_in_readme_is_the_tree():
    """Each path in the block that shows the tree exists; no folder of the package is missing."""
    (tree,) = [block for block in blocks(ROOT / "README.md", "text") if "snippets_mlir/" in block]
    shown = tree_paths(tree)
    missing = [path for path in shown if not (ROOT / path).exists()]
    assert not missing
    package = {p.name for p in (ROOT / "snippets_mlir").iterdir() if (p / "__init__.py").exists()}
    assert package <= {Path(path).name for path in shown}


def tree_paths(tree: str) -> list[str]:
    """The paths in an indented tree: a name a line, two blanks or more before its remark."""
    stack: list[tuple[int, str]] = []
    found: list[str] = []
    for line in tree.splitlines():
        indent = len(line) - len(line.lstrip(" │├└─"))
        names = re.split(r"\s{2,}|\s+->\s+|\s+#\s", line.strip(" │├└─"))[0]
        if not names:
            continue
        while stack and stack[-1][0] >= indent:
            stack.pop()
        for name in names.split():
            path = f"{stack[-1][1]}/{name.rstrip('/')}" if stack else name.rstrip("/")
            found.append(path)
        stack.append((indent, found[-1]))
    return found


def test_tree_reader():
    tree = "a/          remark\n  b/ c/     two\n    d.py\ne -> a/b    link\n"
    assert tree_paths(tree) == ["a", "a/b", "a/c", "a/c/d.py", "e"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path):
    text = page.read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text)
    local = [link for link in links if "://" not in link and not link.startswith("mailto:")]
    assert not [link for link in local if not (page.parent / link).exists()]
