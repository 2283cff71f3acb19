"""The files that a report goes to."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from picture import svg
from report import markdown


def add_outputs(parser: argparse.ArgumentParser) -> None:
    """The options `--json`, `--markdown` and `--svg`."""
    for kind in ("json", "markdown", "svg"):
        parser.add_argument(f"--{kind}", type=Path, metavar="FILE")


def write(result: dict[str, Any], options: argparse.Namespace) -> None:
    """Print the Markdown report and write the files asked for."""
    text = markdown(result)
    print(text)
    if options.json:
        options.json.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    if options.markdown:
        options.markdown.write_text(text, encoding="utf-8")
    if options.svg:
        options.svg.write_text(svg(result), encoding="utf-8")
