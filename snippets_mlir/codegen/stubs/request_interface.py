"""The structs of requests of streams, which `take_requests.py` runs, and their packed words."""

from __future__ import annotations

from snippets_mlir.codegen.stubs.layout import Layout

TICKET = Layout(
    "Ticket",
    next="pointer",
    state="i64",
    key="i64",
    inputs="pointer",
    outputs="pointer",
    counter="pointer",
)
"""One request of a program's streams. `next`: the next request. `state`: `ENDED` and `WANTED`.
`key`: the number of its build; 0 if Python runs it. `inputs`, `outputs`: tuples
of arrays, which live until the request has ended. `counter`: the `Counter` of its queue; null for
none."""

ENDED, WANTED = 1, 2
"""Bits of `Ticket.state`. `ENDED`: it has run. `WANTED`: the stream that ends it calls Python."""

COUNTER = Layout("Counter", ended="i64", target="i64", left="i64", semaphore=("i64", 4))
"""The number of ended requests of a queue. The stream that ends number `target` posts `semaphore`.
`left`: the number of these streams that no longer use the counter."""

SUBMITTED = Layout(
    "Submitted", first="pointer", last="pointer", mutex=("i64", 8), semaphore=("i64", 4)
)
"""The requests that no stream has taken, in order. `mutex`: a `pthread_mutex_t`, for both ends.
`semaphore`: counts them, and the streams that are to end."""

KNOWN = 16
"""The most tables of a stream for machine code, one for each build."""

STREAM = Layout(
    "Stream",
    submitted="pointer",
    plan="pointer",
    key="i64",
    ticket="i64",
    ran="i64",
    keys=("i64", KNOWN),
    plans=("pointer", KNOWN),
)
"""One stream. `plan`: the table that runs requests of `key`. `ticket`: the address of the request
that it has taken, 0 for none. `ran`: the number of requests that it has run since Python last
processed them. `keys`: the builds whose tables are in `plans`, 0 for none."""

RUN, TELL, IDLE, END = 0, 1, 2, 3
"""Results of `snippets_take`. `RUN`: Python has to run the request. `TELL`: Python has to report
that it has ended. `IDLE`: there has been no request for a while. `END`: there will be none."""
