"""`relu-to-maximum`, a pass outside of the package: `relu(x)` becomes `maximum(x, 0)`."""

from snippets_mlir.extend import Pattern, PatternPass, Stages, dataclass, ops, scalar


class ReluToMaximum(Pattern):
    """`relu(x)` is `maximum(x, 0)`: both round nothing and keep NaN."""

    name, ops = "relu-to-maximum", (ops.ReluOp,)

    def match(self, op):
        return scalar(0, op.operand)

    def rewrite(self, op, match, rewriter):
        rewriter.replace(op, [match, ops.MaximumOp(op.operand, match)])


@dataclass(frozen=True)
class ReluToMaximumPass(PatternPass):
    name, STAGES, PATTERNS = "relu-to-maximum", Stages(("graph",)), (ReluToMaximum,)
