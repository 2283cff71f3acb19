"""Compare `snippets-fuse-ops{flavor=relax}` with TVM's `relax.transform.FuseOps` on random graphs.

    python3 -m venv tvm && tvm/bin/pip install apache-tvm xdsl
    PYTHONPATH=. tvm/bin/python docs/dev/compare_fuse_ops.py 2000

Each graph has up to 40 calls of kernels with random kinds, some with two results that are taken
apart, random outputs, depth limits and levels. Made with apache-tvm 0.27.
"""

# pyright: basic, reportMissingImports=false

from __future__ import annotations

import sys
from dataclasses import dataclass
from random import Random
from typing import Any

import tvm
from tvm import relax, te
from xdsl.ir import Operation

from snippets_mlir.dialects.snippets.subgraph import SubgraphOp
from snippets_mlir.passes.graph.tokenize.snippets_fuse_ops import SnippetsFuseOpsPass
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.support.parsing import parse_module

KINDS = {
    0: "elemwise",
    1: "broadcast",
    2: "injective",
    3: "comm_reduce",
    4: "out_elemwise_fusable",
    8: "opaque",
}
TENSOR, PAIR = "tensor<4xf32>", "tuple<tensor<4xf32>, tensor<4xf32>>"


@dataclass
class Call:
    """One kernel call: kind, values it reads, whether it has two results, whether it is returned.

    A value is a number: a parameter (negative, from -1), or node * 2 + field.
    """

    kind: int
    reads: list[int]
    is_pair: bool
    is_returned: bool = False


def random_calls(random: Random) -> list[Call]:
    """A graph in which every value that nothing reads is returned."""
    calls: list[Call] = []
    reach = random.choice((2, 4, 40))
    kinds = random.choices((0, 0, 0, 1, 1, 2, 2, 3, 4, 8), k=6)
    for number in range(random.randint(1, 40)):
        reads: list[int] = []
        for _ in range(random.choice((1, 1, 2, 2, 3))):
            node = random.randrange(max(-2, number - reach), number)
            pair = node >= 0 and calls[node].is_pair
            reads.append(node if node < 0 else node * 2 + (random.randint(0, 1) if pair else 0))
        calls.append(Call(random.choice(kinds), reads, random.random() < 0.1))
    used = {value // 2 for call in calls for value in call.reads if value >= 0}
    for number, call in enumerate(calls):
        call.is_returned = number not in used or random.random() < 0.05
    return calls


def kernel(call: Call, number: int) -> Any:
    """A kernel as TVM sees it; only its kind matters."""
    ins = [te.placeholder((4,), "float32", name=f"a{i}") for i in range(len(call.reads))]
    first = float(2 * number)  # a value of its own: equal kernels would become one
    outs = [te.compute((4,), _sum_of(ins, first), name="o0")]
    if call.is_pair:
        outs.append(te.compute((4,), _sum_of(ins, first + 1), name="o1"))
    function = te.create_prim_func([*ins, *outs])
    return function if call.kind == 8 else function.with_attr("op_pattern", call.kind)


def _sum_of(tensors: list[Any], start: float) -> Any:
    return lambda i: sum((t[i] for t in tensors), start + tensors[0][i])


def by_tvm(calls: list[Call], depth: int, level: int) -> set[frozenset[int]]:
    """The groups of the calls, by number."""
    builder = relax.BlockBuilder()
    type_ = relax.TensorType((4,), "float32")
    arguments = [relax.Var(f"x{i}", type_) for i in range(2)]
    functions = [builder.add_func(kernel(c, i), f"k{i}_") for i, c in enumerate(calls)]
    values: dict[int, Any] = {-1: arguments[0], -2: arguments[1]}
    wholes: list[Any] = []
    with builder.function("main", arguments):
        with builder.dataflow():
            outputs: list[Any] = []
            for i, call in enumerate(calls):
                reads = [_value(builder, values, v, wholes, calls) for v in call.reads]
                types = [type_, type_] if call.is_pair else type_
                made = relax.call_tir(functions[i], relax.Tuple(reads), types)
                emit = builder.emit_output if call.is_returned else builder.emit
                wholes.append(emit(made))
                outputs += [wholes[-1]] if call.is_returned else []
        builder.emit_func_output(relax.Tuple(outputs))
    with tvm.transform.PassContext(config={"relax.FuseOps.max_depth": depth}):
        module = relax.transform.FuseOps(fuse_opt_level=level)(builder.get())
    groups: set[frozenset[int]] = set()
    for name, function in module.functions.items():
        if isinstance(function, relax.Function):
            members = list(_called(function))
            is_fused = name.name_hint != "main"
            groups |= {frozenset(members)} if is_fused else {frozenset([m]) for m in members}
    return groups


def _value(
    builder: Any, values: dict[int, Any], value: int, wholes: list[Any], calls: list[Call]
) -> Any:
    if value < 0:
        return values[value]
    whole = wholes[value // 2]
    if not calls[value // 2].is_pair:
        return whole
    if value not in values:
        values[value] = builder.emit(relax.TupleGetItem(whole, value % 2))
    return values[value]


def _called(function: Any) -> Any:
    for block in function.body.blocks:
        for binding in block.bindings:
            call = binding.value
            if isinstance(call, relax.Call) and call.op == tvm.ir.Op.get("relax.call_tir"):
                yield int(call.args[0].name_hint[1:].partition("_")[0])


def as_text(calls: list[Call]) -> str:
    """The same graph for us; the number of a call is an attribute."""
    lines = [f"func.func @main(%x0: {TENSOR}, %x1: {TENSOR}) -> (TYPES) {{"]
    fields: set[int] = set()
    returned: list[int] = []
    for i, call in enumerate(calls):
        for v in call.reads:
            if v >= 0 and calls[v // 2].is_pair and v not in fields:
                fields.add(v)
                index = f"{{index = {v % 2} : i64}}"
                lines.append(
                    f"%g{v} = snippets.tuple_get %v{v // 2} {index} : ({PAIR}) -> {TENSOR}"
                )
        reads = ", ".join(_name(v, calls) for v in call.reads)
        types = ", ".join([TENSOR] * len(call.reads))
        attributes = f'{{fuse.pattern = "{KINDS[call.kind]}", number = {i} : i64}}'
        result = PAIR if call.is_pair else TENSOR
        lines.append(f'%v{i} = "t.k"({reads}) {attributes} : ({types}) -> {result}')
        returned += [i] if call.is_returned else []
    types = ", ".join(PAIR if calls[i].is_pair else TENSOR for i in returned)
    lines.append(f"func.return {', '.join(f'%v{i}' for i in returned)} : {types}\n}}")
    return "\n".join(lines).replace("TYPES", types)


def _name(value: int, calls: list[Call]) -> str:
    if value < 0:
        return f"%x{-1 - value}"
    return f"%g{value}" if calls[value // 2].is_pair else f"%v{value // 2}"


def by_us(calls: list[Call], depth: int, level: int) -> set[frozenset[int]]:
    """The groups of the calls, by number."""
    context = make_context(allow_unregistered=True)
    module = parse_module(as_text(calls), context)
    fuse = SnippetsFuseOpsPass(
        flavor="relax", max_fuse_depth=depth, fuse_opt_level=level, wrap_single=False
    )
    fuse.apply(context, module)
    module.verify()
    groups: dict[Operation, set[int]] = {}
    for op in module.walk():
        if (number := op.attributes.get("number")) is not None:
            parent = op.parent_op()
            key = parent if isinstance(parent, SubgraphOp) else op
            groups.setdefault(key, set()).add(int(number.value.data))  # pyright: ignore
    return {frozenset(g) for g in groups.values()}


def main() -> int:
    """Compare on as many graphs as the command line says."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    wrong = fused = 0
    for seed in range(count):
        random = Random(seed)
        calls = random_calls(random)
        depth, level = random.choice((256, 256, 1, 2, 3, 4, 5, 8, 10)), random.choice((0, 1, 2, 2))
        expected, found = by_tvm(calls, depth, level), by_us(calls, depth, level)
        fused += sum(len(g) > 1 for g in expected)
        if expected != found:
            wrong += 1
            print(f"seed {seed}, depth {depth}, level {level}\n{as_text(calls)}")
            print(f"TVM  {sorted(map(sorted, expected - found))}")
            print(f"here {sorted(map(sorted, found - expected))}")
            if wrong >= 3:
                return 1
    print(f"TVM {tvm.__version__}: {count} random graphs, {fused} fused groups, {wrong} differ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
