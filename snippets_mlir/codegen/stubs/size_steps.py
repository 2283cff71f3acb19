"""`snippets_sizes`: the words of a network that depend on the sizes of a call.

    int64_t snippets_sizes(int64_t *words, const SizeStep *step, int64_t count) {
      for (i = 0; i != count; i++, step++) {
        int64_t a = words[step->a], b = words[step->b], result;
        if (step->op == NEED) { if (a < b) return 0; continue; }
        else if (step->op == ADD) result = a + b;
        else if (step->op == MULTIPLY) {
          if (magnitude(a) | magnitude(b)) >> 31 && a && magnitude(b) > LIMIT / magnitude(a))
            return 0;
          result = a * b;
        }
        else if (step->op == CEILDIV) result = (a + b - 1) / b;
        else if (step->op == MIN) result = min(a, b);
        else if (step->op == MAX) result = max(a, b);
        else result = a >= b;
        if (magnitude(result) > LIMIT) return 0;
        words[step->result] = result;
      }
      return 1;
    }

It returns 0 if the condition of a `NEED` step is false, or if a number is too large. Then only some
words belong to this call. `runtime/steps/size_steps.py` writes the steps of a program.
"""

from __future__ import annotations

from xdsl.ir import SSAValue

from snippets_mlir.codegen.stubs.builder import Body, Module
from snippets_mlir.codegen.stubs.expressions import I64, POINTER, llvm_type
from snippets_mlir.codegen.stubs.interface import SIZE_LIMIT, SIZE_STEP, SizeOp

SIZES = "snippets_sizes"
_SMALL_BITS = 31


def sizes_module() -> Module:
    """`snippets_sizes`."""
    module = Module()
    body = module.function(SIZES, [POINTER, POINTER, I64], I64)
    words, steps, count = body.arguments
    with body.loop(count) as loop:
        step = body.place(steps, llvm_type(SIZE_STEP), loop.index)
        op = body.get(step, SIZE_STEP, "op")
        a, b = (body.item(words, I64, body.get(step, SIZE_STEP, name)) for name in ("a", "b"))
        result = _result(body, op, a, b)
        with body.when(_is_beyond(body, result)):
            body.end(body.integer(0))
        body.set_item(words, body.get(step, SIZE_STEP, "result"), result)
    body.end(body.integer(1))
    return module


def _result(body: Body, op: SSAValue, a: SSAValue, b: SSAValue) -> SSAValue:
    """The result of a step; 1 for a `NEED` whose condition is true."""

    def of(*kinds: SizeOp) -> SSAValue:
        """The result of a step of one of these kinds."""
        kind, others = kinds[0], kinds[1:]
        if not others:
            return _one(body, kind, a, b)
        (found,) = body.choose(
            body.compare("eq", op, int(kind)),
            lambda: _one(body, kind, a, b),
            lambda: of(*others),
        )
        return found

    return of(*SizeOp)


def _one(body: Body, kind: SizeOp, a: SSAValue, b: SSAValue) -> SSAValue:
    """The result of a step of one kind."""
    match kind:
        case SizeOp.ADD:
            return body.add(a, b)
        case SizeOp.MULTIPLY:
            sizes = _magnitude(body, a), _magnitude(body, b)
            large = body.shift_right(body.either(*sizes), _SMALL_BITS)
            with body.when(body.both(body.compare("ne", large, 0), body.compare("ne", a, 0))):
                most = body.divide(body.integer(SIZE_LIMIT), sizes[0])
                with body.when(body.compare("ugt", sizes[1], most)):
                    body.end(body.integer(0))
            return body.multiply(a, b)
        case SizeOp.CEILDIV:
            return body.divide(body.subtract(body.add(a, b), 1), b)
        case SizeOp.MIN:
            return body.select(body.compare("slt", a, b), a, b)
        case SizeOp.MAX:
            return body.select(body.compare("slt", a, b), b, a)
        case SizeOp.AT_LEAST:
            return body.widen(body.compare("sge", a, b))
        case SizeOp.NEED:
            with body.when(body.compare("slt", a, b)):
                body.end(body.integer(0))
            return body.integer(1)


def _magnitude(body: Body, value: SSAValue) -> SSAValue:
    """`value < 0 ? -value : value`."""
    return body.select(body.compare("slt", value, 0), body.subtract(0, value), value)


def _is_beyond(body: Body, value: SSAValue) -> SSAValue:
    return body.compare("ugt", _magnitude(body, value), SIZE_LIMIT)
