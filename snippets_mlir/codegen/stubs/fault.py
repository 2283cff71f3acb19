"""`snippets_fault`: the segfault detector's signal handler.

    static Watch watch;
    struct sigaction snippets_old[2];                    the earlier actions for SEGV, BUS

    void snippets_watch(const Record *records, int64_t count, const char *const *const *sites) {
      watch.count = 0; watch.records = records; watch.sites = sites; watch.count = count;
    }

    void snippets_fault(int signal, siginfo_t *info, void *context) {
      int64_t count = watch.count;
      Record *records = watch.records;
      void *self = __builtin_thread_pointer();
      for (i = 0; i != count; i++)
        if (records[i].thread == self) { report(signal, info, &records[i]); break; }
      sigaction(signal, &snippets_old[signal == SIGBUS], NULL);
      if (info->si_code <= 0) raise(signal);
    }

`snippets_watch` sets the records that kernels write to (`runtime/fault.py`) and their sites: each
site is a null-terminated list of texts, the site and the names of its loops. `snippets_fault` looks
for the record of its own thread, writes a line to standard error with one `write`
(`fault_report.py`), restores the old handler and returns: the access faults again, and is handled
as without the detector. It calls only functions that are allowed in a handler (`write`,
`sigaction`, `raise`), takes no lock, and uses no memory except its stack. It writes no line for a
thread that is in no kernel. A signal from another process (`si_code` 0 or less) does not recur by
itself, so it is raised. Loads and stores of `watch` are sequentially consistent.
"""

from __future__ import annotations

from xdsl.dialects import llvm

from snippets_mlir.codegen.stubs.builder import Module
from snippets_mlir.codegen.stubs.expressions import I32, I64, POINTER, llvm_type
from snippets_mlir.codegen.stubs.fault_interface import RECORD, SIGACTION, SIGBUS, SIGINFO, WATCH
from snippets_mlir.codegen.stubs.fault_line import add_line_functions
from snippets_mlir.codegen.stubs.fault_report import REPORT, WATCHED, add_report

OLD, WATCH_FUNCTION, FAULT = "snippets_old", "snippets_watch", "snippets_fault"
_SIGNALS = 2


def fault_module() -> Module:
    """A module with `snippets_watch`, `snippets_fault` and the global `snippets_old`."""
    module = Module()
    old_words = _SIGNALS * SIGACTION.bytes // 8
    module.words(OLD, 64, old_words, linkage="external")
    module.words(WATCHED, 64, WATCH.bytes // 8)
    module.declare("sigaction", [I32, POINTER, POINTER], I32)
    module.declare("raise", [I32], I32)
    add_line_functions(module)
    add_report(module)
    _add_watch(module)
    _add_fault(module)
    return module


def _add_watch(module: Module) -> None:
    body = module.function(WATCH_FUNCTION, [POINTER, I64, POINTER])
    records, count, sites = body.arguments
    watch = body.address(WATCHED)
    body.set(watch, WATCH, "count", 0, atomic="seq_cst")
    body.set(watch, WATCH, "records", records, atomic="seq_cst")
    body.set(watch, WATCH, "sites", sites, atomic="seq_cst")
    body.set(watch, WATCH, "count", count, atomic="seq_cst")
    body.end()


def _add_fault(module: Module) -> None:
    body = module.function(FAULT, [I32, POINTER, POINTER])
    signal, info, _ = body.arguments
    watch = body.address(WATCHED)
    count = body.get(watch, WATCH, "count", atomic="seq_cst")
    records = body.get(watch, WATCH, "records", atomic="seq_cst")
    own = body.add_op(llvm.CallIntrinsicOp("llvm.thread.pointer.p0", [], [POINTER]))
    with body.loop(count) as loop:
        record = body.place(records, llvm_type(RECORD), loop.index)
        thread = body.get(record, RECORD, "thread", volatile=True)
        with body.when(body.same(thread, own)):
            body.call(REPORT, signal, info, record)
            body.go(loop.after)
    which = body.widen(body.compare("eq", signal, SIGBUS))
    old = body.place(body.address(OLD), llvm_type(SIGACTION), which)
    body.call_for(I32, "sigaction", signal, old, body.null())
    sent = body.compare("sle", body.get(info, SIGINFO, "si_code"), 0)
    with body.when(sent):
        body.call_for(I32, "raise", signal)
    body.end()
