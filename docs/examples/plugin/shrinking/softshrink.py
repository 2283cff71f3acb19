"""`mine.softshrink`, an op outside of the package."""

from snippets_mlir import extend


@extend.irdl_op_definition
class SoftshrinkOp(extend.FloatOp):
    """x - 0.5 above 0.5, x + 0.5 below -0.5, else 0 with the sign of x; NaN stays NaN."""

    name = "mine.softshrink"


def formula(x):
    return extend.np.where(x > 0.5, x - 0.5, extend.np.where(x < -0.5, x + 0.5, x * 0))


def expansion(b, operands, attributes):
    (x,), half, low = operands, b.constant(0.5), b.constant(-0.5)
    inner = b.select(b.lt(x, low), b.add(x, half), b.mul(x, b.constant(0.0)))
    return b.select(b.gt(x, half), b.sub(x, half), inner)


CODE = {"value": extend.wide(formula), "floats": extend.Expansion(expansion)}
KNOWN = {"onnx": extend.Onnx("Softshrink", domain="mine"), "formulas": {extend.FLOAT: formula}}
RECORDS = [extend.OpRecord(SoftshrinkOp, **CODE, **KNOWN)]
