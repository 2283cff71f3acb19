"""Ports are read as they were written, however often they are written."""

from __future__ import annotations

from dataclasses import replace

from xdsl.dialects.builtin import ArrayAttr
from xdsl.dialects.test import TestOp as AnyOp

from snippets_mlir.dialects.lir.access import PORTS, ports, set_ports
from snippets_mlir.dialects.lir.ports import LoopPort, PortAttr, PortDescriptor


def test_ports_are_those_written_last() -> None:
    op = AnyOp()
    assert ports(op) == ()
    first, second = PortDescriptor((4, 8), subtensor=(8,)), PortDescriptor((4, 1))
    for written in ((first, first, second), (second,), (), (second, first)):
        set_ports(op, written)
        assert ports(op) == written
        assert ports(op) == written  # from what the first reading has left
        assert op.attributes[PORTS] == ArrayAttr([PortAttr(port) for port in written])
        assert ports(op.clone()) == written


def test_what_was_read_is_no_part_of_the_attribute() -> None:
    one, other = AnyOp(), AnyOp()
    for op in (one, other):
        set_ports(op, (PortDescriptor((4, 8)),))
    ports(one)
    assert one.attributes[PORTS] == other.attributes[PORTS]
    assert hash(one.attributes[PORTS]) == hash(other.attributes[PORTS])
    assert str(one.attributes[PORTS]) == str(other.attributes[PORTS])


def test_a_port_in_other_loops_keeps_its_other_facts() -> None:
    """As `dataclasses.replace` makes it; the port itself stays as it is."""
    loops = (LoopPort(3, 0, 8, -64), LoopPort(1, 1))
    port = PortDescriptor((4, 16), (1, 0), (1, 8), "vec3", loops, 0, (16, 1))
    for others in ((), loops[:1], (LoopPort(7, 2, 1, 1),)):
        moved = port.with_loops(others)
        assert moved == replace(port, loops=others)
        assert hash(moved) == hash(replace(port, loops=others))
        assert vars(moved) == vars(replace(port, loops=others))
    assert port.loops is loops
