"""Loop annotations for LLVM, as metadata nodes.

    #by_4 = #llvm.loop_unroll<count = 4 : i32>
    llvm.br ^bb1 {loop_annotation = #llvm.loop_annotation<unroll = #by_4>}

    br label %b1, !llvm.loop !2
    !2 = distinct !{!2, !3}
    !3 = !{!"llvm.loop.unroll.count", i32 4}

Each loop has its own node, which refers to itself.
"""

from __future__ import annotations

from snippets_mlir.dialects.llvm.loop_annotations import LoopAnnotationAttr


class LoopNodes:
    """The nodes of a module's loops.

    Attributes:
        nodes: the lines that define them.
    """

    def __init__(self, first: int) -> None:
        """`first` is the number of the first node."""
        self._next = first
        self.nodes: list[str] = []

    def add(self, annotation: LoopAnnotationAttr) -> str:
        """The reference to a new node for one loop, such as `!2`."""
        facts = annotation.unroll.nodes()
        loop = self._next
        self._next += 1 + len(facts)
        parts = [f"!{loop + number}" for number in range(1 + len(facts))]
        self.nodes.append(f"!{loop} = distinct !{{{', '.join(parts)}}}")
        self.nodes += [f"{part} = !{{{fact}}}" for part, fact in zip(parts[1:], facts, strict=True)]
        return parts[0]
