"""A pass plugin that handles parts of loops: it notes the part, and its number, on each store."""

from xdsl.context import Context
from xdsl.dialects.builtin import StringAttr

from snippets_mlir.dialects.lir.memory import StoreOp
from snippets_mlir.passes.lir.part_handlers import LoopPart, PartPass


class NotePartPass(PartPass):
    """Write `note` on the stores of a part."""

    name = "mine-note-part"

    def apply_to_part(self, ctx: Context, part: LoopPart, argument: int | None) -> None:
        """Note the part's kind, and the number if there is one."""
        text = part.loop.iteration + ("" if argument is None else f" {argument}")
        for op in part.ops:
            if isinstance(op, StoreOp):
                op.attributes["note"] = StringAttr(text)
