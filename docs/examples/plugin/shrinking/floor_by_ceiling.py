"""`x86-64-ceiling`, a machine with an emitter of its own: `floor(x)` is `-ceil(-x)`."""

from snippets_mlir.extend import Emitter, variant


def floor(b, op, operands):
    ceiling = b.op("math.ceil", [b.op("arith.negf", [operands[0]])])
    return b.op("arith.negf", [ceiling])


EMITTERS = {"snippets.floor": Emitter(floor, auxiliary_vectors=1)}
TARGETS = [variant("x86-64-avx2", "x86-64-ceiling", own_emitters=EMITTERS)]
