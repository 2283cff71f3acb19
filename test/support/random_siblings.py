"""Random successive loops, for loop fusion."""

# pyright: basic

from __future__ import annotations

from random import Random

import numpy as np
from random_nests import Nest


def random_siblings(seed: int) -> Nest:
    """Successive loops, of a few sizes, through two arguments and two buffers."""
    random = Random(seed)
    lines = ["%T = memref.alloc() : memref<12x12xi32>", "%U = memref.alloc() : memref<12x12xi32>"]
    names = ("%A0", "%A1", "%T", "%U")
    for array in ("%T", "%U"):  # so that nothing is read before it is written
        lines.append("affine.for %i = 0 to 12 { affine.for %j = 0 to 12 {")
        lines.append(f"  affine.store %scale, {array}[%i, %j] : memref<12x12xi32>")
        lines.append("} }")
    for _ in range(random.randint(2, 4)):
        outer, inner = random.choice(("8",) * 5 + ("7", "%n0")), random.choice(("8",) * 5 + ("6",))
        lines.append(f"affine.for %i = 0 to {outer} {{")
        lines.append(f"  affine.for %j = {random.choice((0, 0, 0, 0, 1))} to {inner} {{")
        value = "%scale"
        for number in range(random.randint(1, 3)):
            name, low = random.choice(names), random.choice(("%i", "%i", "%i", "%j"))
            place = f"{low} + {random.choice((0, 0, 1, 2))}, %j + {random.choice((0, 0, 1))}"
            if random.random() < 0.5:
                lines.append(f"    %l{number} = affine.load {name}[{place}] : memref<12x12xi32>")
                lines.append(f"    %s{number} = arith.addi %l{number}, {value} : i32")
                value = f"%s{number}"
            else:
                lines.append(f"    affine.store {value}, {name}[{place}] : memref<12x12xi32>")
        lines += ["  }", "}"]
    # What is left in the buffers is seen through the arguments.
    lines.append("affine.for %i = 0 to 12 { affine.for %j = 0 to 12 {")
    for number, (source, target) in enumerate((("%T", "%A2"), ("%U", "%A3"))):
        lines.append(f"  %c{number} = affine.load {source}[%i, %j] : memref<12x12xi32>")
        lines.append(f"  affine.store %c{number}, {target}[%i, %j] : memref<12x12xi32>")
    lines.append("} }")
    memories = ", ".join(f"%A{k}: memref<12x12xi32>" for k in range(4))
    body = "\n  ".join(lines)
    head = f"func.func @siblings({memories}, %n0: index, %scale: i32) {{"
    return Nest(f"{head}\n  {body}\n  func.return\n}}\n", [(12, 12)] * 4, np.int32, [8], {}, seed)
