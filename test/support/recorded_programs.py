"""Programs whose compilation `record.py` records, and the texts of each."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import snippets_mlir
from snippets_mlir.inspect.opt import import_onnx, llvm_text, manifest_text
from snippets_mlir.inspect.remarks import remarks
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.passmanager.pipeline import parse_pipeline, run_passes
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.parsing import parse_module
from snippets_mlir.targets.machine import TARGETS

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "docs" / "examples"
SIZES = ("call", "mem", "product")
"""Workloads are recorded small and large: stores go past the caches in the large ones."""
TENSORS = "snippets-to-llvm"
LOOPS = {
    "plain": "affine-to-llvm",
    "vectors": "affine-super-vectorize{virtual-vector-size=16},affine-to-llvm",
    "threads": "affine-parallelize,affine-to-llvm",
}


@dataclass(frozen=True)
class Program:
    """Something to record.

    Attributes:
        name: of its files, without suffix.
        source: MLIR text, the path of an ONNX model or of a test, or the seed of a graph.
        passes: the pipeline; empty for what is not compiled pass by pass.
        kind: `text`, `graph`, `onnx`, `compile` or `test`.
    """

    name: str
    source: str
    passes: str = TENSORS
    kind: str = "text"


def tensors() -> Iterator[Program]:
    """The examples on tensors, ONNX's among them."""
    for path in sorted(EXAMPLES.glob("*.mlir")):
        passes = "affine-to-llvm" if "memref<" in path.read_text("utf-8") else TENSORS
        yield Program(f"examples/{path.stem}", path.read_text("utf-8"), passes)
    for path in sorted(EXAMPLES.glob("*.onnx")):
        yield Program(f"examples/{path.stem}", str(path), kind="onnx")


def loops() -> Iterator[Program]:
    """The examples on memrefs, plain, vectorized and on threads."""
    for path in sorted(EXAMPLES.glob("loops/*.mlir")):
        for way, passes in LOOPS.items():
            yield Program(f"loops/{path.stem}.{way}", path.read_text("utf-8"), passes)


def workloads() -> Iterator[Program]:
    """The benchmarks' workloads and chains of two."""
    folder = str(ROOT / "benchmarks")
    sys.path.insert(0, folder)
    try:
        text: Any = __import__("mlir_text")
        named: Any = __import__("workloads")
    finally:
        sys.path.remove(folder)
    for workload in (*named.WORKLOADS, *(chain.whole() for chain in named.CHAINS)):
        for size in (size for size in SIZES if size in workload.sizes):
            yield Program(f"workloads/{workload.name}.{size}", text.mlir(workload, size))


def graphs(count: int) -> Iterator[Program]:
    """Random graphs of the seeds from 0."""
    for seed in range(count):
        yield Program(f"graphs/{seed:04}", str(seed), kind="graph")


def models() -> Iterator[Program]:
    """The examples as `compile` takes them."""
    for path in (*sorted(EXAMPLES.glob("*.mlir")), *sorted(EXAMPLES.glob("*.onnx"))):
        yield Program(f"programs/{path.stem}", str(path), kind="compile")


def recorded(program: Program) -> dict[str, str]:
    """The texts of a program, by the names of their files."""
    if program.kind in ("compile", "test"):
        with TemporaryDirectory() as cache, patch.dict(os.environ, {"SNIPPETS_CACHE_DIR": cache}):
            return _printed(program) if program.kind == "test" else _compiled(program)
    found: dict[str, str] = {}
    for target in TARGETS:
        found |= _lowered(program, f"{program.name}.{target}", target)
    return found


def _printed(program: Program) -> dict[str, str]:
    from recorded_tests import printed

    return {f"{program.name}.txt": printed(Path(program.source))}


def _lowered(program: Program, name: str, target: str) -> dict[str, str]:
    ctx = make_context()
    facts = f"snippets-set-target{{target={target} threads=4}}"
    try:
        module = (
            import_onnx(program.source, {})
            if program.kind == "onnx"
            else parse_module(_text(program), ctx, "input")
        )
        run_passes(module, ctx, parse_pipeline(f"{facts},{program.passes}", ctx))
        texts = {f"{name}.ll": llvm_text(module)}
        if program.passes == TENSORS:
            texts[f"{name}.json"] = manifest_text(module)
        if notes := [f"{remark}\n" for remark in remarks(module)]:
            texts[f"{name}.remarks"] = "".join(notes)
    except CompileError as error:
        return {f"{name}.error": f"{error}\n"}
    return texts


def _text(program: Program) -> str:
    if program.kind != "graph":
        return program.source
    from snippets_mlir.tools.random_graphs import make_graph

    return make_graph(int(program.source)).text


def _compiled(program: Program) -> dict[str, str]:
    found: dict[str, str] = {}
    for partitioner in ("tokenize", "fuse-ops"):
        name = f"{program.name}.{partitioner}"
        try:
            compiled: Any = snippets_mlir.compile(
                program.source, partitioner=partitioner, num_threads=2
            )
            kernels: Sequence[Any] = compiled.kernels if hasattr(compiled, "kernels") else ()
            lines = [f"{key}: {getattr(compiled, key)}" for key in ("inputs", "outputs")]
            lines += [f"opaque: {op}" for op in compiled.opaque]
            lines += [f"kernel {kernel.name}: {', '.join(kernel.ops)}" for kernel in kernels]
            if all(None not in spec.shape for spec in compiled.inputs):
                lines.append(json.dumps(compiled.manifest, indent=2, default=str))
                lines += [kernel.ir("lir") for kernel in kernels]
            found[f"{name}.txt"] = "\n".join(lines) + "\n"
        except CompileError as error:
            found[f"{name}.error"] = f"{error}\n".replace(f"{ROOT}/", "")
    return found
