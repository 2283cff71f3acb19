"""A model by hand: primitives and their connections by id, as a `program.graph`.

    t = Topology()
    t.input("x", TensorType(f32, [4, 8]))
    t.add("sum", lambda x, w: AddOp(x, w), ["x", "w"])
    t.data("w", DenseIntOrFPElementsAttr.from_list(TensorType(f32, [8]), [1.0]))
    t.output("sum")
    module = t.module()

Primitives are made together with the graph: a primitive's function gets the values of its inputs
and returns an op. An id may be used before it is added. Further results of an op are named `id:1`,
`id:2`.

Source: the topology of the project's founding document (`add`, connections by id).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, ModuleOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from snippets_mlir.dialects.program.data import DataOp
from snippets_mlir.dialects.program.graph import GraphOp, OutputOp
from snippets_mlir.dialects.program.node import NodeOp, YieldOp
from snippets_mlir.dialects.snippets.attributes import ResourceAttr
from snippets_mlir.dialects.snippets.constants import Dense
from snippets_mlir.support.diagnostics import close_match, verify_module
from snippets_mlir.support.errors import CompileError, one_line

Make = Callable[..., Operation]
"""`(*values) -> op`, for as many values as the primitive has inputs."""


@dataclass(frozen=True)
class Primitive:
    """One op of the model.

    Attributes:
        make: gives the op.
        inputs: the ids of its operands, in order.
    """

    make: Make
    inputs: tuple[str, ...]


class Topology:
    """Primitives and their connections; see the module docstring."""

    def __init__(self, name: str = "main") -> None:
        self.name = name
        self._inputs: dict[str, Attribute] = {}
        self._data: dict[str, tuple[Dense | ResourceAttr, Attribute]] = {}
        self._primitives: dict[str, Primitive] = {}
        self._outputs: dict[str, str] = {}

    def input(self, id: str, type: Attribute) -> None:
        """An input of the model."""
        self._take(id, "an input")
        self._inputs[id] = type

    def data(self, id: str, value: Dense | ResourceAttr, type: Attribute | None = None) -> None:
        """A constant; a type is needed for one by reference."""
        self._take(id, "a constant")
        if type is None:
            if not isinstance(value, DenseIntOrFPElementsAttr):
                raise CompileError(f'"{id}": expected the type of a constant by reference')
            type = value.type
        self._data[id] = (value, type)

    def add(self, id: str, make: Make, inputs: Sequence[str]) -> None:
        """A primitive that reads the values called `inputs`, which may be added later.

        Raises:
            CompileError: the id is empty or there already, or `inputs` are no list of ids.
        """
        if isinstance(inputs, str) or not all(
            isinstance(name, str)  # pyright: ignore[reportUnnecessaryIsInstance]
            for name in inputs
        ):
            raise CompileError(f'"{id}": expected a list of ids as inputs, found {inputs!r}')
        self._take(id, f"a primitive on {_quoted(inputs)}")
        self._primitives[id] = Primitive(make, tuple(inputs))

    def output(self, id: str, name: str | None = None) -> None:
        """An output of the model: the value `id`, called `name`, else like the value."""
        name = id if name is None else name
        if not name:
            raise CompileError(f'the output of "{id}": expected a name, found an empty one')
        if (other := self._outputs.get(name)) is not None:
            raise CompileError(f'two outputs have the name "{name}": "{other}" and "{id}"')
        self._outputs[name] = id

    def module(self) -> ModuleOp:
        """The program at the stage `topology`, in a module of its own.

        The nodes are in the order in which they were added, as far as their inputs allow it.

        Raises:
            CompileError: no outputs, an id that nothing has, primitives that need each other, a
                function that makes no op of its inputs, an op that its verifier refuses.
        """
        block = Block(arg_types=list(self._inputs.values()))
        values: dict[str, SSAValue] = dict(zip(self._inputs, block.args, strict=True))
        for id_, (value, type_) in self._data.items():
            block.add_op(data := DataOp(id_, value, type_))
            values[id_] = data.result
        for id_ in self._ordered():
            primitive = self._primitives[id_]
            node = _node(id_, primitive, [_known(values, v, id_) for v in primitive.inputs])
            block.add_op(node)
            for index, result in enumerate(node.outputs):
                values[f"{id_}:{index}" if index else id_] = result
        if not self._outputs:
            raise CompileError(f"@{self.name}: expected at least one output, found none")
        outputs = [_known(values, id_, "the output") for id_ in self._outputs.values()]
        block.add_op(OutputOp(outputs, list(self._outputs)))
        module = ModuleOp([GraphOp(self.name, "topology", list(self._inputs), Region(block))])
        verify_module(module)
        return module

    def _take(self, id: str, what: str) -> None:
        if not id:
            raise CompileError(f"{what}: expected an id, found an empty one")
        known = {
            **dict.fromkeys(self._inputs, "an input"),
            **dict.fromkeys(self._data, "a constant"),
            **{i: f"a primitive on {_quoted(p.inputs)}" for i, p in self._primitives.items()},
        }
        if id in known:
            raise CompileError(f'two have the id "{id}": {known[id]}, and {what}')

    def _ordered(self) -> list[str]:
        """The primitives, each after those that it reads."""
        done: dict[str, None] = {}
        for first in self._primitives:
            path: list[str] = [first]
            while path:
                id_ = path[-1]
                if id_ in done:
                    path.pop()
                    continue
                read = [self._primitive_of(name) for name in self._primitives[id_].inputs]
                missing = [other for other in read if other is not None and other not in done]
                if not missing:
                    done[path.pop()] = None
                elif missing[0] in path:
                    raise CompileError(
                        f'"{missing[0]}" and "{id_}" need each other: '
                        + " reads ".join(_quoted([i]) for i in _cycle(path, missing[0]))
                    )
                else:
                    path.append(missing[0])
        return list(done)

    def _primitive_of(self, name: str) -> str | None:
        """The primitive whose value `name` is; None for an input or a constant."""
        if name in self._inputs or name in self._data:
            return None
        stem, _, number = name.rpartition(":")
        id_ = stem if stem in self._primitives and number.isdigit() else name
        return id_ if id_ in self._primitives else None


def _cycle(path: Sequence[str], first: str) -> list[str]:
    return [*path[path.index(first) :], first]


def _quoted(ids: Sequence[str]) -> str:
    return ", ".join(f'"{id_}"' for id_ in ids) or "nothing"


def _known(values: Mapping[str, SSAValue], id: str, reader: str) -> SSAValue:
    if (value := values.get(id)) is None:
        who = reader if reader == "the output" else f'"{reader}"'
        raise CompileError(
            f'{who} reads "{id}", which is not in the topology{close_match(id, list(values))}'
        )
    return value


def _node(id: str, primitive: Primitive, inputs: Sequence[SSAValue]) -> NodeOp:
    reads = list(dict.fromkeys(inputs))
    block = Block(arg_types=[v.type for v in reads])
    arguments = dict(zip(reads, block.args, strict=True))
    given = [arguments[v] for v in inputs]
    try:
        op = primitive.make(*given)
        if not isinstance(op, Operation):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise TypeError(f"expected an op, found {type(op).__name__}")
        block.add_ops([op, YieldOp(op.results)])
        op.verify()
    except CompileError:
        raise
    except Exception as error:  # of the caller's function, or of a verifier
        maker = getattr(primitive.make, "__name__", "its function")
        types = ", ".join(f'"{n}": {v.type}' for n, v in zip(primitive.inputs, given, strict=True))
        raise CompileError(
            f'"{id}": {maker} makes no op of ({types}): {one_line(str(error))}'
        ) from error
    return NodeOp(id, reads, [r.type for r in op.results], Region(block))
