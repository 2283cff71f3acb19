"""Ops, types, attributes, verifiers, and one definition of each op's value."""
