"""Third-party models, compiled and compared with onnxruntime: one command for the table.

    python benchmarks/run_models.py [--list] [--rounds N] [--limit SECONDS] [--short]
        [--json FILE] [--document FILE] [--tables] [NAME...]

All models when no NAME is given. See docs/models.md for what is measured and how. Entries of models
that are not named stay in the JSON file, which has to be of the same machine and versions; the
tables of the document are written from the whole file. The exit code is 1 when a model is wrong,
fails, crashes or cannot be made, or none ran.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from machine import machine
from models.bars import misses
from models.catalog import MODELS
from models.collect import LONG_PARTS, Effort, entry
from models.page import page
from tables import document, write_between_marks

from snippets_mlir.targets.host import host_cache

DOCUMENT = Path(__file__).resolve().parents[1] / "docs" / "models.md"
PACKAGES = ("snippets-mlir", "numpy", "onnx", "onnxruntime", "torch", "torchvision", "transformers")
PASSES = ("ok", "skip")

Result = dict[str, Any]


def versions() -> dict[str, str]:
    """Versions of the packages that matter and are installed."""
    found: dict[str, str] = {}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def computer() -> dict[str, Any]:
    """The machine, the target for it, and MiB of its last-level cache."""
    return machine() | {"cache": host_cache() / 2**20}


def known(file: Path, names: Sequence[str]) -> Result:
    """The results of an earlier run, which have to be compatible with new entries of `names`."""
    now: Result = {"machine": computer(), "versions": versions(), "entries": {}}
    if file.exists() and names != list(MODELS):
        before = json.loads(file.read_text(encoding="utf-8"))
        for part in ("machine", "versions"):
            if before[part] != now[part]:
                raise SystemExit(
                    f"{file} was measured with another {part}: {before[part]}, now {now[part]}; "
                    "give another --json, or measure all models"
                )
        now["entries"] = before["entries"]
    return now


def add(result: Result, found: dict[str, Any], file: Path, *, is_long: bool) -> None:
    """Put an entry in its place, in the order of the catalog, and write the file.

    Parts that `--short` omits are kept from an earlier run of the model.
    """
    before = result["entries"].get(found["name"], {})
    if not is_long and found["state"] == "ok":
        found |= {part: before[part] for part in LONG_PARTS if part in before}
    entries = result["entries"] | {found["name"]: found}
    result["entries"] = {name: entries[name] for name in MODELS if name in entries}
    part = file.with_name(f"{file.name}.part")
    part.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    part.replace(file)


def line(found: dict[str, Any]) -> str:
    """The line of progress for the result of a model."""
    head = f"{found['name']:16} {found['state']:6}"
    if "ratio" not in found:
        return f"{head} {found.get('stage', '')} {found.get('message', '')}"
    return f"{head} {found['kernels']} kernels, {found['ratio']:.2f} of onnxruntime's time"


def options_of(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The options of the command line."""
    parser = argparse.ArgumentParser(description="Models beside onnxruntime.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(MODELS))
    parser.add_argument("--list", action="store_true", help="the models and where they come from")
    parser.add_argument("--rounds", type=int, default=Effort.rounds, help="processes of each kind")
    parser.add_argument("--limit", type=float, default=Effort.limit, help="seconds of a process")
    parser.add_argument(
        "--short", action="store_true", help="no decoding, no 1000 shapes: earlier ones stay"
    )
    parser.add_argument("--json", type=Path, default=DOCUMENT.with_suffix(".json"))
    parser.add_argument("--document", type=document(), default=DOCUMENT)
    parser.add_argument("--tables", action="store_true", help="write the tables and run nothing")
    options = parser.parse_args(arguments)
    unknown = sorted(set(options.names) - set(MODELS))
    if unknown:
        parser.error(f"unknown: {', '.join(unknown)}; known: {', '.join(MODELS)}")
    return options


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure the models named, or all; write the file and the tables."""
    options = options_of(arguments)
    if options.list:
        for model in MODELS.values():
            print(f"{model.name:16} {model.origin}")
        return 0
    if options.tables:
        write_between_marks(options.document, page(json.loads(options.json.read_text("utf-8"))))
        return 0
    effort = Effort(options.limit, options.rounds, not options.short)
    names: list[str] = options.names or list(MODELS)
    result = known(options.json, names)
    for name in names:
        found = entry(name, effort)
        print(line(found), flush=True)
        add(result, found, options.json, is_long=effort.long)
    write_between_marks(options.document, page(result))
    entries = [result["entries"][name] for name in names]
    print("", *misses(entries), sep="\n")
    states = {entry["state"] for entry in entries}
    return int(not states <= set(PASSES) or states == {"skip"})


if __name__ == "__main__":
    sys.exit(main())
