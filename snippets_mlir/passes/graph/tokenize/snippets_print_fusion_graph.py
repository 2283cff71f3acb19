"""Print the input and the decisions of operator fusion; the module does not change.

    function @main
    node 0 %x: opaque extern -> 1 elemwise
    node 1 relu: elemwise -> 2 elemwise
    node 2 exp: elemwise extern -> nothing
    post-dominator 0: none
    post-dominator 1: 2 by elemwise
    post-dominator 2: none
    group 0: opaque = 0
    group 2: elemwise = 1, 2

`format=dot` prints a picture for Graphviz instead, and `format=svg` one for a browser: a box for
each group, edges labelled with kinds other than elementwise, dotted edges to post-dominators.
`file` writes to a file instead of standard output. The other options are those of
`snippets-fuse-ops`. Refuses what that pass refuses, and unknown formats.
"""

from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from snippets_mlir.analysis.fusion.graph import describe_graph
from snippets_mlir.analysis.fusion.graph_of import fusion_graph_of
from snippets_mlir.analysis.fusion.groups import describe_groups
from snippets_mlir.analysis.fusion.picture import as_dot, as_svg
from snippets_mlir.analysis.fusion.post_dominators import describe_tree
from snippets_mlir.analysis.fusion.rules import MAX_FUSED_NODES, Fusion
from snippets_mlir.passes.base import Form, Pass, Stages
from snippets_mlir.passes.graph.tokenize.snippets_fuse_ops import blocks_to_fuse, fusion_options
from snippets_mlir.support.diagnostics import close_match
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.reports import write_report


def _as_text(title: str, fusion: Fusion) -> str:
    lines = [title, *describe_graph(fusion.graph), *describe_tree(fusion.tree)]
    return "\n".join([*lines, *describe_groups(fusion.groups)])


FORMATS = {"text": _as_text, "dot": as_dot, "svg": as_svg}


@dataclass(frozen=True)
class SnippetsPrintFusionGraphPass(Pass):
    """Print nodes, edges, post-dominators and groups of every function."""

    name = "snippets-print-fusion-graph"
    FORM: ClassVar[Form] = "report"
    STAGES: ClassVar[Stages] = Stages(("graph",))
    SIDE_EFFECTS: ClassVar[bool] = True
    MIXES_CLASSES: ClassVar[bool] = False

    format: str = "text"
    file: str = ""
    fuse_opt_level: int = 2
    max_fuse_depth: int = MAX_FUSED_NODES
    max_function_args: int = 0
    flavor: str = "relay"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Print every block in which `snippets-fuse-ops` would fuse."""
        if self.format not in FORMATS:
            hint = close_match(self.format, list(FORMATS))
            raise CompileError(f"format: expected text, dot or svg, found '{self.format}'{hint}")
        flavor, options = fusion_options(
            self.flavor, self.fuse_opt_level, self.max_fuse_depth, self.max_function_args
        )
        parts: list[str] = []
        for block in blocks_to_fuse(op):
            parent = block.parent_op()
            name = parent.sym_name.data if isinstance(parent, FuncOp) else "a region"
            title = f"function @{name}" if isinstance(parent, FuncOp) else name
            parts.append(
                FORMATS[self.format](title, Fusion(fusion_graph_of(block, flavor), options))
            )
        text = "\n".join([*parts, ""])
        write_report(text, self.file)
