"""Print the places of each graph's results in the arena over time; the module does not change.

    graph @main, in-order queue: an arena of 131072 bytes, 131072 live at most
    "A": 65536 bytes live: "A" [0, 65536)
    "B": 131072 bytes live: "A" [0, 65536) "B" [65536, 131072)
    "C": 98304 bytes live: "B" [65536, 131072) "C" [0, 32768)

A result is live from the node that writes it to its last reader, in text order. `format=svg` draws
a picture for a browser: a row for each node, bytes to the right, a box for each result. `file`
writes to a file instead of standard output; a file that ends in `.svg` is a picture unless `format`
says otherwise. Works on graphs with planned memory; refuses unknown formats and files that cannot
be written.
"""

# No annotations from __future__: xDSL reads the options of passes from these.

from dataclasses import dataclass
from typing import ClassVar

from typing_extensions import override
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from snippets_mlir.analysis.memory.memory_picture import as_svg, as_text, memory_over_time
from snippets_mlir.passes.base import Form, Pass, Stages
from snippets_mlir.passes.program.graph_passes import graphs_at
from snippets_mlir.support.diagnostics import close_match
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.reports import write_report

FORMATS = {"text": as_text, "svg": as_svg}


@dataclass(frozen=True)
class ProgramPrintMemoryPass(Pass):
    """Print the places of results in the arena over time."""

    name = "program-print-memory"
    FORM: ClassVar[Form] = "report"
    STAGES: ClassVar[Stages] = Stages(("planned", "scheduled"))
    SIDE_EFFECTS: ClassVar[bool] = True
    MIXES_CLASSES: ClassVar[bool] = False

    format: str = ""
    file: str = ""

    @override
    def apply(self, ctx: Context, op: ModuleOp) -> None:
        written = self.format or ("svg" if self.file.lower().endswith(".svg") else "text")
        if written not in FORMATS:
            hint = close_match(written, list(FORMATS))
            raise CompileError(f"format: expected text or svg, found '{written}'{hint}")
        graphs = graphs_at(op, self.STAGES.source)
        text = "\n".join([*(FORMATS[written](memory_over_time(g)) for g in graphs), ""])
        write_report(text, self.file)
