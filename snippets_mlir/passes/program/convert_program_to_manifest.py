"""Turn the graph of a program into its manifest: the JSON that the runtime executes.

    program.graph @main "planned" (%x "x": tensor<4xf32>) attributes {arena = 0 : i64} {...}
    llvm.func @k0(...)

becomes

    builtin.module attributes {snippets.manifest = "{'version': 2, 'entry': 'main', ...}"} {
      llvm.func @k0(...)

with double quotes inside, which MLIR escapes. `-t manifest` prints this JSON with a line for each
fact; of a module with a graph it prints the same, so the pass is for tools that take one module.
Kernels stay. The result is no program any more: `snippets-run` wants the graph.

Option: `entry`, the name of the graph; by default `main`, else the only one.

Refuses a module without the graph, a graph before the stage `selected`, and a node of `snippets`
whose kernel is not in the module yet.
"""

# No annotations from __future__: xDSL reads the options of passes from these.

import json
from dataclasses import dataclass
from typing import ClassVar

from typing_extensions import override
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr

from snippets_mlir.dialects.program.graph import find_graph
from snippets_mlir.emit.program_manifest import build_program_manifest
from snippets_mlir.passes.base import Form, Pass, Stages
from snippets_mlir.support.attribute_names import MANIFEST
from snippets_mlir.support.diagnostics import position_of
from snippets_mlir.support.errors import CompileError


@dataclass(frozen=True)
class ConvertProgramToManifestPass(Pass):
    """Turn the graph into the manifest, an attribute of the module."""

    name = "convert-program-to-manifest"
    FORM: ClassVar[Form] = "conversion"
    STAGES: ClassVar[Stages] = Stages(("selected", "planned", "scheduled"), "llvm")
    MIXES_CLASSES: ClassVar[bool] = False

    entry: str = ""

    @override
    def apply(self, ctx: Context, op: ModuleOp) -> None:
        graph = find_graph(op, self.entry or None)
        if graph is None:
            wanted = f"program.graph @{self.entry or 'main'}"
            raise CompileError(
                f"{self.name}: expected a {wanted}, found none; run convert-host-to-program before",
                **position_of(op),
            )
        manifest = build_program_manifest(op, graph)
        op.attributes[MANIFEST] = StringAttr(json.dumps(manifest))
        graph.detach()
        graph.erase()
