"""Passes that are MLIR files: `--load-pass-plugin=FILE.mlir` with `pdl.pattern`s in it.

    pdl.pattern @double_negative : benefit(1) {
      %t = pdl.type
      %x = pdl.operand : %t
      %inner = pdl.operation "snippets.negative" (%x : !pdl.value) -> (%t : !pdl.type)
      %n = pdl.result 0 of %inner
      %outer = pdl.operation "snippets.negative" (%n : !pdl.value) -> (%t : !pdl.type)
      pdl.rewrite %outer {
        pdl.replace %outer with (%x : !pdl.value)
      }
    }

in `no_negatives.mlir` is the pass `no-negatives`. Its patterns run in the shared sweep, highest
benefit first, until none fires. If one still matches after `max-iterations` sweeps (10, as in
MLIR's greedy driver), that is an error at the op, unless `test-convergence=false`. They match ops
of any dialect; an op made by a rewrite has the location of the root. After a pattern has fired,
dead ops are erased and the module is verified, because no other check covers ops built by a file.

xDSL does the matching and rewriting, for single operands, results, attributes and types. Refused at
load time: native constraints and rewrites, ranges, a rewrite without body or root, a rewrite that
makes an op of no dialect, and values that cannot be found from the root through operands.
"""

# No annotations from __future__: xDSL reads the options of passes from these.

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, cast

from xdsl.context import Context
from xdsl.dialects import pdl
from xdsl.dialects.builtin import ModuleOp
from xdsl.interpreters.pdl import PDLMatcher, PDLRewritePattern
from xdsl.ir import Attribute, Operation, OpResult, SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.transforms.dead_code_elimination import dce
from xdsl.utils.exceptions import InterpretationError

from snippets_mlir.passes.base import Stages
from snippets_mlir.passes.patterns import AnyPattern, Pattern, PatternPass, sweep
from snippets_mlir.passmanager.verification import check_module
from snippets_mlir.support.diagnostics import position_of, verify_module
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.parsing import parse_module

_SUPPORTED = (
    pdl.AttributeOp,
    pdl.EraseOp,
    pdl.OperandOp,
    pdl.OperationOp,
    pdl.PatternOp,
    pdl.ReplaceOp,
    pdl.ResultOp,
    pdl.RewriteOp,
    pdl.TypeOp,
)


class _Matcher(PDLMatcher):
    """xDSL's, for attributes of every type."""

    def match_attribute(
        self, ssa_val: SSAValue, pdl_op: pdl.AttributeOp, attr_name: str, xdsl_attr: Attribute
    ) -> bool:
        """Whether the attribute is the requested one, or has the requested type."""
        if ssa_val in self.matching_context:
            return self.matching_context[ssa_val] == xdsl_attr
        if pdl_op.value is not None and pdl_op.value != xdsl_attr:
            return False
        if (wanted := pdl_op.value_type) is not None:
            found = getattr(xdsl_attr, "type", None)
            kind = cast(pdl.TypeOp, wanted.owner)
            if not isinstance(found, Attribute) or not self.match_type(wanted, kind, found):
                return False
        self.matching_context[ssa_val] = xdsl_attr
        return True


class PdlPattern(Pattern[Operation, PDLMatcher]):
    """A `pdl.pattern` of a user's file, as a pattern of a pass."""

    rewrite_op: ClassVar[pdl.RewriteOp]
    ctx: ClassVar[Context]

    def __init__(self) -> None:
        """With xDSL's interpreter of the rewrite."""
        self._xdsl = PDLRewritePattern(self.rewrite_op, self.ctx)

    def match(self, op: Operation) -> PDLMatcher | None:
        """The values of the pattern at `op`."""
        root = self.rewrite_op.root
        assert root is not None
        matcher = _Matcher()
        found = matcher.match_operation(root, cast(pdl.OperationOp, root.owner), op)
        return matcher if found else None

    def rewrite(self, op: Operation, match: PDLMatcher, rewriter: PatternRewriter) -> None:
        """Run the body of the `pdl.rewrite`."""
        location, place = op.location, position_of(op)

        def locate(new: Operation) -> None:
            new.location = location

        rewriter.operation_insertion_handler.append(locate)
        self._xdsl.functions.rewriter = rewriter
        interpreter = self._xdsl.interpreter
        interpreter.push_scope("rewrite")
        interpreter.set_values(match.matching_context.items())
        try:
            interpreter.run_ssacfg_region(self.rewrite_op.body, ())
            interpreter.pop_scope()
        except (InterpretationError, ValueError) as error:
            message = str(error).splitlines()[0]
            raise CompileError(f"pattern '{self.name}' at {op.name}: {message}", **place) from error
        finally:
            rewriter.operation_insertion_handler.remove(locate)


@dataclass(frozen=True)
class PdlPass(PatternPass):
    """Run the patterns of a file."""

    STAGES: ClassVar[Stages] = Stages(("any",))

    max_iterations: int = 10
    test_convergence: bool = True

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Sweep until nothing fires.

        Raises:
            CompileError: a pattern matches after the last sweep, or the result does not verify.
        """
        if self.max_iterations < 1:
            raise CompileError(f"max-iterations takes 1 or more, found {self.max_iterations}")
        patterns, fired = self.patterns(op), False
        for _ in range(self.max_iterations):
            if not sweep(op, patterns):
                break
            fired = True
        if fired:
            dce(op)
            if self.test_convergence:
                self._require_end(op, patterns)
            check_module(op)

    def _require_end(self, module: ModuleOp, patterns: Sequence[AnyPattern]) -> None:
        for op in module.walk():
            for pattern in patterns:
                if isinstance(op, pattern.ops) and pattern.match(op) is not None:
                    raise CompileError(
                        f"pattern '{pattern.name}' still matches {op.name} after "
                        f"{self.max_iterations} sweeps (max-iterations); "
                        "test-convergence=false stops there",
                        **position_of(op),
                    )


def _found_from(value: SSAValue, known: set[SSAValue]) -> None:
    """Add the values that matching finds, from `value` through operands."""
    if value in known:
        return
    known.add(value)
    op = value.owner
    if isinstance(op, pdl.OperationOp):
        for part in (*op.operand_values, *op.attribute_values, *op.type_values):
            _found_from(part, known)
    elif isinstance(op, Operation):
        for part in op.operands:
            _found_from(part, known)


def _refusals(pattern: pdl.PatternOp, rewrite: pdl.RewriteOp, ctx: Context) -> Iterator[str]:
    """Why a pattern cannot be run."""
    for op in pattern.walk():
        if not isinstance(op, _SUPPORTED):
            yield f"{op.name} is not supported"
    if rewrite.root is None or not rewrite.body.blocks:
        yield "expected `pdl.rewrite` to have a root and a body"
        return
    known = set[SSAValue]()
    _found_from(rewrite.root, known)
    for op in rewrite.body.walk():
        if isinstance(op, pdl.OperationOp):
            name = "" if op.opName is None else op.opName.data
            if ctx.get_optional_op(name) is None:
                yield f"the rewrite makes an op '{name}', which no dialect has"
        for value in op.operands:
            outside = isinstance(value, OpResult) and value.op.parent_op() is pattern
            if outside and value not in known and not _is_constant(value):
                hint = value.name_hint or "a value"
                yield f"the rewrite uses %{hint}, which the root does not lead to through operands"


def _is_constant(value: SSAValue) -> bool:
    owner = value.owner
    if isinstance(owner, pdl.AttributeOp):
        return owner.value is not None
    return isinstance(owner, pdl.TypeOp) and owner.constantType is not None


def _pattern(pattern: pdl.PatternOp, index: int, ctx: Context) -> type[AnyPattern]:
    rewrite = pattern.body.block.last_op
    assert isinstance(rewrite, pdl.RewriteOp)
    for refusal in _refusals(pattern, rewrite, ctx):
        raise CompileError(f"pdl.pattern: {refusal}", **position_of(pattern))
    assert rewrite.root is not None
    root = cast(pdl.OperationOp, rewrite.root.owner)
    anchor: type[Operation] = Operation
    if root.opName is not None:
        found = ctx.get_optional_op(root.opName.data)
        if found is None:
            hint = f"the root '{root.opName.data}' is an op of no dialect"
            raise CompileError(f"pdl.pattern: {hint}", **position_of(pattern))
        anchor = found
    symbol = f"pattern_{index}" if pattern.sym_name is None else pattern.sym_name.data
    facts = {"name": symbol.replace("_", "-"), "ops": (anchor,), "rewrite_op": rewrite, "ctx": ctx}
    doc = f"A `pdl.pattern` of benefit {pattern.benefit.value.data}."
    return type(f"Pdl_{symbol}", (PdlPattern,), {**facts, "__doc__": doc})


def read_pdl_pass(path: Path, ctx: Context) -> tuple[str, type[PatternPass]]:
    """The pass of a file of `pdl.pattern`s: its name, which is the file's, and its class.

    Raises:
        CompileError: the file cannot be read or parsed, holds no pattern, or one that is refused.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise CompileError(f"plugin '{path}' cannot be loaded: {error}") from error
    module = parse_module(text, ctx, str(path))
    verify_module(module)
    found = [op for op in module.walk() if isinstance(op, pdl.PatternOp)]
    if not found:
        raise CompileError(f"plugin '{path}' has no pdl.pattern")
    patterns = [_pattern(op, index, ctx) for index, op in enumerate(found)]
    benefits: Sequence[int] = [op.benefit.value.data for op in found]
    order = sorted(range(len(found)), key=lambda i: -benefits[i])
    name = path.stem.replace("_", "-")
    members: dict[str, Any] = {
        "name": name,
        "PATTERNS": tuple(patterns[i] for i in order),
        "__doc__": f"The {len(found)} patterns of {path.name}.",
    }
    return name, type("PdlFilePass", (PdlPass,), members)
