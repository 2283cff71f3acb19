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
"""One request of a program's streams. `next`: the one after it. `state`: `ENDED` and `WANTED`.
`key`: the number of the build that it is for; 0 for what Python runs. `inputs`, `outputs`: tuples
of arrays, which live until the request has ended. `counter`: that of its queue; null for none."""

ENDED, WANTED = 1, 2
"""Bits of `Ticket.state`: its run is over; a stream that ends it calls Python."""

COUNTER = Layout("Counter", ended="i64", target="i64", left="i64", semaphore=("i64", 4))
"""How many requests of a queue have ended. The stream that ends number `target` posts `semaphore`.
`left`: how many of these streams have done all that they do with the counter."""

SUBMITTED = Layout(
    "Submitted", first="pointer", last="pointer", mutex=("i64", 8), semaphore=("i64", 4)
)
"""The requests that no stream has taken, in order. `mutex`: a `pthread_mutex_t`, for both ends.
`semaphore`: counts them, and the streams that are to end."""

KNOWN = 16
"""Tables that a stream has for machine code, one for each build."""

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
that it has taken, 0 for none. `ran`: how many it has run since Python has looked at it. `keys`: the
builds whose tables are in `plans`, 0 for none."""

RUN, TELL, IDLE, END = 0, 1, 2, 3
"""What `snippets_take` gives: Python has to run the request, or is to tell that it has ended; there
has been none for a while; there will be none."""
