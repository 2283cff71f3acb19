"""The structs of the segfault detector: its records, its line, and structs of Linux.

`siginfo_t` and `struct sigaction` are as in Linux's headers for x86-64 and AArch64.
"""

from __future__ import annotations

from snippets_mlir.codegen.stubs.layout import Layout

LINE_BYTES = 1000
"""Characters of the segfault detector's line."""

RECORD = Layout(
    "Record", thread="pointer", site="i64", pointer="i64", unused="i64", counters=("i64", 12)
)
"""The record that a kernel with the segfault detector writes (`dialects/lir/sites.py`). `site`
counts from 1; 0 is none."""

WATCH = Layout("Watch", records="pointer", count="i64", sites="pointer")
"""The records that the handler searches, and the texts of their sites."""

TEXT_LINE = Layout("TextLine", length="i64", chars=("i8", LINE_BYTES))
"""The line that the handler writes."""

SIGINFO = Layout("siginfo_t", si_signo="i32", si_errno="i32", si_code="i32", si_addr="pointer")

SIGACTION = Layout(
    "sigaction", sa_handler="pointer", sa_mask=("i64", 16), sa_flags="i32", sa_restorer="pointer"
)

SIGSEGV, SIGBUS = 11, 7
