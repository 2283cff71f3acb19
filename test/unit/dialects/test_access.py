"""Ports are read as they were written, however often they are written."""

from __future__ import annotations

from xdsl.dialects.builtin import ArrayAttr
from xdsl.dialects.test import TestOp as AnyOp

from snippets_mlir.dialects.lir.access import PORTS, ports, set_ports
from snippets_mlir.dialects.lir.ports import PortAttr, PortDescriptor


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
