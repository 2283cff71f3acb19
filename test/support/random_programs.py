"""Random `program.graph`s: views, several results, a value read twice, outputs in the middle.

Outputs may be inputs, constants, views, and one value under two names.
"""

from __future__ import annotations

import random

SIZES = (0, 1, 16, 17, 160)
"""Elements of f32: nothing, less than a line, lines, and more."""


def random_graph(rng: random.Random, most: int = 9) -> str:
    """A graph at stage `selected`, with up to `most` nodes and views."""
    values = {"x": rng.choice(SIZES), "w": rng.choice(SIZES)}
    lines = [f'  %w = program.data "w" dense<1.5> : tensor<{values["w"]}xf32>']
    for index in range(rng.randint(1, most)):
        reach = rng.choice((2, 4, len(values)))
        pool = list(values)[-reach:]
        if rng.random() < 0.2:
            source = rng.choice(pool)
            type_ = f"tensor<{values[source]}xf32>"
            lines.append(f'  %v{index} = program.view "v{index}" (%{source}) : {type_} -> {type_}')
            values[f"v{index}"] = values[source]
            continue
        operands = rng.choices(pool, k=rng.randint(1, 3))
        results = [f"n{index}", f"m{index}"][: rng.choice((1, 1, 1, 2))]
        sizes = [rng.choice(SIZES) for _ in results]
        lines += _node(index, operands, [values[o] for o in operands], results, sizes)
        values |= dict(zip(results, sizes, strict=True))
    outputs = rng.choices(list(values), k=rng.randint(1, 3))
    named = ", ".join(f'%{o} as "y{i}"' for i, o in enumerate(outputs))
    types = ", ".join(f"tensor<{values[o]}xf32>" for o in outputs)
    head = f'program.graph @main "selected" (%x: tensor<{values["x"]}xf32>) {{'
    return "\n".join([head, *lines, f"  program.output {named} : {types}", "}"])


def _node(
    index: int, operands: list[str], taken: list[int], results: list[str], sizes: list[int]
) -> list[str]:
    """A node whose results are the sum of the operands' sums, plus a number, in other shapes."""
    arguments = ", ".join(f"%a{i} = %{o}" for i, o in enumerate(operands))
    types = ", ".join(f"tensor<{size}xf32>" for size in taken)
    gives = ", ".join(f"tensor<{size}xf32>" for size in sizes)
    cost = f", cost = {index * 7 % 5 * 100}" if index % 3 else ""
    lines = [
        f'  {", ".join(f"%{r}" for r in results)} = program.node "n{index}" ({arguments}) '
        f'impl<"reference"{cost}> : ({types}) -> ({gives}) {{',
        f"    %c = snippets.constant dense<{index}.25> : tensor<1xf32>",
    ]
    total = "%c"
    for i, size in enumerate(taken):
        lines += [
            f"    %s{i} = snippets.reduce_sum %a{i} {{axes = array<i64: 0>, keep_dims}} "
            f": (tensor<{size}xf32>) -> tensor<1xf32>",
            f"    %t{i} = snippets.add {total}, %s{i} : tensor<1xf32>",
        ]
        total = f"%t{i}"
    for i, size in enumerate(sizes):
        lines += [
            f"    %z{i} = snippets.constant dense<{i}.5> : tensor<{size}xf32>",
            f"    %r{i} = snippets.add %z{i}, {total} : (tensor<{size}xf32>, tensor<1xf32>) "
            f"-> tensor<{size}xf32>",
        ]
    named = ", ".join(f"%r{i}" for i in range(len(sizes)))
    return [*lines, f"    program.yield {named} : {gives}", "  }"]
