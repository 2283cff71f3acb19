"""A name that is taken."""

from xdsl.ir import Dialect

SNIPPETS = Dialect("snippets")
