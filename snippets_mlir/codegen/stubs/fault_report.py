r"""The part of the segfault detector that writes its line.

    static void report(int signal, siginfo_t *info, Record *record) {
      TextLine line; line.length = 0;
      if (record->site == 0) return;
      add_text(&line, signal == SIGBUS ? bus : segv);    "snippets_mlir: SIGSEGV in "
      const char *const *site = watch.sites[record->site - 1];
      add_text(&line, site[0]);
      for (i = 0; site[i + 1]; i++) {
        add_text(&line, ", iteration "); add_number(&line, record->counters[i], 10);
        add_text(&line, " of "); add_text(&line, site[i + 1]);
      }
      add_text(&line, ", pointer 0x"); add_number(&line, record->pointer, 16);
      add_text(&line, ", faulting address 0x"); add_number(&line, info->si_addr, 16);
      add_text(&line, "\n");
      write(2, line.chars, line.length);
    }

The records are volatile: a kernel writes them between its other accesses.
"""

from __future__ import annotations

from snippets_mlir.codegen.stubs.builder import Module
from snippets_mlir.codegen.stubs.expressions import I32, I64, POINTER, llvm_type
from snippets_mlir.codegen.stubs.fault_interface import RECORD, SIGBUS, SIGINFO, TEXT_LINE, WATCH
from snippets_mlir.codegen.stubs.fault_line import ADD_NUMBER, ADD_TEXT

REPORT, WATCHED = "report", "watch"
_TEXTS = {
    "segv": "snippets_mlir: SIGSEGV in ",
    "bus": "snippets_mlir: SIGBUS in ",
    "iteration": ", iteration ",
    "of": " of ",
    "pointer": ", pointer 0x",
    "address": ", faulting address 0x",
    "newline": "\n",
}


def add_report(module: Module) -> None:
    """Add `report`; the module has `watch` and the functions of `fault_line.py`."""
    for name, text in _TEXTS.items():
        module.text(name, text)
    module.declare("write", [I32, POINTER, I64], I64)
    body = module.function(REPORT, [I32, POINTER, POINTER], linkage="internal")
    signal, info, record = body.arguments
    line = body.local(llvm_type(TEXT_LINE))
    body.set(line, TEXT_LINE, "length", 0)
    number = body.get(record, RECORD, "site", volatile=True)
    with body.when(body.compare("eq", number, 0)):
        body.end()
    is_bus = body.compare("eq", signal, SIGBUS)
    body.call(ADD_TEXT, line, body.select(is_bus, body.address("bus"), body.address("segv")))
    sites = body.get(body.address(WATCHED), WATCH, "sites", atomic="seq_cst")
    site = body.item(sites, POINTER, body.subtract(number, 1))
    body.call(ADD_TEXT, line, body.item(site, POINTER, 0))
    counters = body.field(record, RECORD, "counters")
    with body.loop(None) as loop:
        name = body.item(site, POINTER, body.add(loop.index, 1))
        loop.leave_if(body.same(name, body.null()))
        body.call(ADD_TEXT, line, body.address("iteration"))
        counter = body.load(body.place(counters, I64, loop.index), I64, volatile=True)
        body.call(ADD_NUMBER, line, counter, 10)
        body.call(ADD_TEXT, line, body.address("of"))
        body.call(ADD_TEXT, line, name)
    body.call(ADD_TEXT, line, body.address("pointer"))
    pointer = body.get(record, RECORD, "pointer", volatile=True)
    body.call(ADD_NUMBER, line, pointer, 16)
    body.call(ADD_TEXT, line, body.address("address"))
    body.call(ADD_NUMBER, line, body.as_integer(body.get(info, SIGINFO, "si_addr")), 16)
    body.call(ADD_TEXT, line, body.address("newline"))
    length = body.get(line, TEXT_LINE, "length")
    stderr = body.integer(2, I32)
    body.call_for(I64, "write", stderr, body.field(line, TEXT_LINE, "chars"), length)
    body.end()
