"""The facts that every pass states in class attributes, so that no code guesses from names.

    class LirSplitLoopsPass(PlanPass[KernelOp, Splits]):
        name = "lir-split-loops"
        STAGES = Stages(("marked",))
        EFFECT = REASSOCIATES

`FORM` is how the pass is written. `STAGES` is the IR that it takes and leaves. `EFFECT` is what it
may do to values (`effects.py`; `RETYPES` for a pass that changes the interface of functions).
`SIDE_EFFECTS` is whether it prints, counts or writes files. `MIXES_CLASSES` is whether it makes ops
of upstream's classes where our dialects have their own. `KERNELS_APART` is whether it works on each
kernel by itself: it reads and changes no other op, and of the module only its attributes, so the
kernels of a module may be lowered one by one (`driver/workers`). An external pass that is a plain
`ModulePass` has the defaults.
"""

# No annotations from __future__: xDSL reads the options of passes from these.

from dataclasses import dataclass
from typing import ClassVar, Literal

from xdsl.passes import ModulePass

from snippets_mlir.passes.effects import EXACT, Effect

Form = Literal["equations", "formulas", "patterns", "plan", "conversion", "check", "report"]
"""The form of a pass.

* `equations`: named rules between terms of the dialect;
* `formulas`: an op becomes its formula, written as mathematics;
* `patterns`: local rewrites, each with its conditions;
* `plan`: a decision about a whole block, function or kernel, then its execution;
* `conversion`: a walk that builds another kind of IR from a function or a kernel;
* `check`: a verifier that changes nothing;
* `report`: prints or writes facts, and changes nothing.
"""

Stage = Literal[
    "any",
    "graph",
    "subgraphs",
    "topology",
    "fused",
    "selected",
    "planned",
    "scheduled",
    "linear",
    "marked",
    "accessed",
    "looped",
    "expanded",
    "assigned",
    "vector",
    "loops",
    "llvm",
]
"""Kinds of IR: tensor ops; subgraphs; the stages of `program.graph`, then those of `lir.kernel`;
functions on vectors; functions on memrefs and loops; functions on their way to the `llvm` dialect.
"""


@dataclass(frozen=True)
class Stages:
    """The IR that a pass works on.

    Attributes:
        source: the stages that it takes.
        target: the stage that it leaves; None: unchanged.
    """

    source: tuple[Stage, ...]
    target: Stage | None = None


@dataclass(frozen=True)
class Pass(ModulePass):
    """A pass of this project: xDSL's `ModulePass` with form, stages, effect and side effects."""

    FORM: ClassVar[Form]
    STAGES: ClassVar[Stages]
    EFFECT: ClassVar[Effect] = EXACT
    SIDE_EFFECTS: ClassVar[bool] = False
    MIXES_CLASSES: ClassVar[bool] = True
    KERNELS_APART: ClassVar[bool] = False
