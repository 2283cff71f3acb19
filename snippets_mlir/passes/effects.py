"""The effect of a pass on the values of a program: each pass class states it in `EFFECT`.

    class LirSplitLoopsPass(ModulePass):
        name = "lir-split-loops"
        EFFECT: ClassVar[Effect] = REASSOCIATES

A pass without an `EFFECT` is exact: the program computes the same bits before and after it, and a
NaN where there was a NaN. Other passes may change floats by their bound, but never integers and
bools. `snippets-opt --check-each` checks this: it runs the program before and after each pass.
"""

from dataclasses import dataclass
from typing import Literal

from xdsl.passes import ModulePass


@dataclass(frozen=True)
class Effect:
    """The changes that a pass may make to values.

    Attributes:
        kind: `exact`; `contracts` (a product and a sum are rounded once); `reassociates` (sums and
            products in another order); `approximates` (functions by polynomials, other formulas);
            `retypes` (arguments and results of functions may get other types: nothing is compared).
        epsilons: the most change of a result, in machine epsilons of its type, relative to its own
            size plus the mean size of the output's elements.
    """

    kind: Literal["exact", "contracts", "reassociates", "approximates", "retypes"]
    epsilons: float = 0.0


EXACT = Effect("exact")
CONTRACTS = Effect("contracts", 64.0)
REASSOCIATES = Effect("reassociates", 256.0)
APPROXIMATES = Effect("approximates", 256.0)
RETYPES = Effect("retypes")


def effect_of(p: ModulePass | type[ModulePass]) -> Effect:
    """The declared effect of the pass; `EXACT` if there is none.

    TypeError for an `EFFECT` that is none.
    """
    effect = getattr(p, "EFFECT", EXACT)
    if not isinstance(effect, Effect):
        raise TypeError(f"pass '{p.name}': expected EFFECT to be an Effect, found {effect!r}")
    return effect
