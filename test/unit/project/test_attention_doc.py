"""`docs/attention.md`: the lines that it derives are what the compiler prints."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from snippets_mlir.tools import snippets_opt

DOCS = Path(__file__).resolve().parents[3] / "docs"
TEXT = (DOCS / "attention.md").read_text(encoding="utf-8")
EXAMPLE = (DOCS / "examples" / "attention.mlir").read_text(encoding="utf-8")


def lines(text: str) -> list[str]:
    """The indented lines of a part of the page, without those of its command."""
    return re.findall(r"^    (?!--)(.+)$", text, re.MULTILINE)


def explained(graph: Path, capsys: pytest.CaptureFixture[str]) -> list[str]:
    """What the page's command prints for a graph."""
    command = TEXT[TEXT.index("```sh") : TEXT.index("```\n\n")].replace("\\\n", " ")
    pipeline, explain = re.findall(r"-p '([^']*)'", command), re.findall(r"--explain=\S+", command)
    options = ["-p", *pipeline, *explain, "--verify-each=false"]
    assert snippets_opt.main([str(graph), *options]) == 0
    return capsys.readouterr().err.splitlines()


@pytest.mark.parametrize("keys", [2048, 8192])
def test_lines(keys: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    graph = tmp_path / "attention.mlir"
    graph.write_text(EXAMPLE.replace("2048", str(keys)), encoding="utf-8")
    first, _, more = TEXT.partition("## More keys")
    wanted = lines(first if keys == 2048 else more)
    assert len(wanted) == (12 if keys == 2048 else 2)
    printed = explained(graph, capsys)
    places = [printed.index(line) for line in wanted]
    assert places == sorted(places)
