"""Results of nodes whose shapes a model states because an engine cannot infer them.

    input  x : ?0x1024x64, to : 4                      `to` comes from another session
    a = Reshape(x, to)                                 ?0x1024x8x8, says the type in the text
    b = MatMul(a, w)     c = Softmax(b)                inferred from the sizes of `a`

The shape of `a` depends on numbers that an engine has only at run time. In the whole model it can
trace them back to shapes, but after a cut they come from outside. onnxruntime writes a result over
its operand, or over a dead value, if both have the same sizes when the model is opened. Without a
shape of `a` each of the other values takes its own memory, and a softmax of 32 MiB takes twice the
time.

Inputs and results of nodes with graph attributes are left out (`onnx_model.py`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from xdsl.dialects.builtin import i32, i64
from xdsl.ir import SSAValue

from snippets_mlir.dialects.builtin.shaped import is_tensor, shape_of, tensor_of
from snippets_mlir.dialects.onnx.ops import NodeOp
from snippets_mlir.dialects.snippets.constants import ConstantOp, ScalarOp
from snippets_mlir.emit.onnx_graphs import has_graphs


def told_results(nodes: Sequence[NodeOp], left_out: Collection[SSAValue]) -> Iterator[SSAValue]:
    """The results of `nodes` whose shapes the model has to state, except those of `left_out`."""
    for node in nodes:
        if any(map(_is_told_in_a_run, node.operands)) and not has_graphs(node):
            results = (value for value in node.results if is_tensor(value.type))
            yield from (value for value in results if value not in left_out)


def _is_told_in_a_run(value: SSAValue) -> bool:
    """Whether a value may hold sizes, indices or a count: integers of rank 1 or less, not
    constant.
    """
    if not is_tensor(value.type) or isinstance(value.owner, ConstantOp | ScalarOp):
        return False
    return len(shape_of(value)) < 2 and tensor_of(value).element_type in (i32, i64)
