"""Cycles of an iteration: by its instructions, by its chain, with several iterations in turn."""

from __future__ import annotations

from snippets_mlir.analysis.kernels.cores import Core
from snippets_mlir.analysis.kernels.dependence_chains import Chain

CORE = Core(issue=2, window=100, latency=4, division=12, load=8)


def test_short_iterations_overlap_until_their_instructions_count():
    chain = Chain(instructions=20, slots=20, path=50)
    assert chain.cycles(CORE) == 10
    assert chain.cycles(CORE, copies=4) == 10


def test_a_long_chain_counts_and_chains_side_by_side_share_it():
    chain = Chain(instructions=400, slots=400, path=1000)
    assert chain.cycles(CORE) == 1000 * 400 / 500
    assert chain.cycles(CORE, copies=2) == 1000 * 400 / 900
    assert chain.cycles(CORE, copies=8) == 200


def test_what_has_no_register_counts_for_all_iterations_together():
    chain = Chain(instructions=400, slots=400, path=400)
    assert chain.cycles(CORE, copies=4, moves=80) == (400 + 80 / 4) / 2
