"""`snippets_fields`: the fields of an array, as the other stubs read them.

    void snippets_fields(const PyArrayObject_fields *array, int64_t *words) {
      words[0] = array->ob_base.ob_refcnt;
      words[1] = array->ob_base.ob_type;
      words[2] = array->data;
      ...
    }

Python compares the words with NumPy's attributes of the array (`runtime/arguments/c_function.py`)
before it uses machine code that reads arrays.
"""

from __future__ import annotations

from xdsl.ir import SSAValue

from snippets_mlir.codegen.stubs.builder import Body, Module
from snippets_mlir.codegen.stubs.expressions import I32, POINTER
from snippets_mlir.codegen.stubs.interface import ARRAY
from snippets_mlir.codegen.stubs.layout import Layout

FIELDS = "snippets_fields"


def fields_module(layout: Layout = ARRAY) -> Module:
    """`snippets_fields` for arrays of this layout."""
    module = Module()
    body = module.function(FIELDS, [POINTER, POINTER])
    array, words = body.arguments
    for place, value in enumerate(_values(body, array, layout)):
        body.set_item(words, place, value)
    body.end()
    return module


def _values(body: Body, struct: SSAValue, layout: Layout) -> list[SSAValue]:
    """The fields of a struct and of structs in it, as numbers of 64 bits."""
    values: list[SSAValue] = []
    for name, field in layout.fields.items():
        if isinstance(field, Layout):
            values += _values(body, body.field(struct, layout, name), field)
            continue
        value = body.get(struct, layout, name)
        if value.type == I32:
            value = body.widen(value, signed=True)
        elif value.type == POINTER:
            value = body.as_integer(value)
        values.append(value)
    return values
