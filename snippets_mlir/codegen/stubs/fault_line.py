"""The line of the segfault detector, with code that is allowed in a signal handler.

struct TextLine { int64_t length; char chars[LINE_BYTES]; };

static void add_text(TextLine *line, const char *text) {
for (i = 0; text[i] && line->length < LINE_BYTES; i++) line->chars[line->length++] = text[i];
}

static void add_number(TextLine *line, uint64_t number, uint64_t base) {
char buffer[32], *place = buffer + 31;
*place = 0;
do {
uint64_t digit = number % base;
*--place = digit + (digit < 10 ? '0' : 'a' - 10);
number /= base;
} while (number);
add_text(line, place);
}
"""

from __future__ import annotations

from snippets_mlir.codegen.stubs.builder import Module
from snippets_mlir.codegen.stubs.expressions import I8, I64, POINTER
from snippets_mlir.codegen.stubs.fault_interface import LINE_BYTES, TEXT_LINE

ADD_TEXT, ADD_NUMBER = "add_text", "add_number"
_DIGITS = 32


def add_line_functions(module: Module) -> None:
    """Add `add_text` and `add_number`, which append to a line of text."""
    _add_text(module)
    _add_number(module)


def _add_text(module: Module) -> None:
    body = module.function(ADD_TEXT, [POINTER, POINTER], linkage="internal")
    line, text = body.arguments
    with body.loop(None) as loop:
        char = body.item(text, I8, loop.index)
        length = body.get(line, TEXT_LINE, "length")
        full = body.compare("uge", length, LINE_BYTES)
        loop.leave_if(body.either(body.compare("eq", char, 0), full))
        body.set_item(body.field(line, TEXT_LINE, "chars"), length, char)
        body.set(line, TEXT_LINE, "length", body.add(length, 1))
    body.end()


def _add_number(module: Module) -> None:
    body = module.function(ADD_NUMBER, [POINTER, I64, I64], linkage="internal")
    line, number, base = body.arguments
    buffer = body.locals(I8, _DIGITS)
    last = body.place(buffer, I8, _DIGITS - 1)
    body.store(body.integer(0, I8), last)
    with body.loop(None, number, last) as loop:
        rest, end = loop.values
        digit = body.remainder(rest, base)
        small = body.compare("ult", digit, 10)
        char = body.add(digit, body.select(small, ord("0"), ord("a") - 10))
        place = body.place(end, I8, body.integer(-1))
        body.store(body.narrow(char, I8), place)
        quotient = body.divide(rest, base)
        loop.leave_if(body.compare("eq", quotient, 0))
        loop.next = [quotient, place]
    body.call(ADD_TEXT, line, place)
    body.end()
