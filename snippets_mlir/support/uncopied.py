"""Objects of this process alone."""

from __future__ import annotations

from typing import NoReturn, SupportsIndex


class Uncopied:
    """Base of objects that own threads, code or memory of this process: they cannot be copied or
    pickled.
    """

    def __reduce_ex__(self, protocol: SupportsIndex, /) -> NoReturn:
        """Refuse `copy`, `deepcopy` and `pickle`."""
        raise TypeError(f"a {type(self).__name__} of this process cannot be copied or pickled")
