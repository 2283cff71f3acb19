"""Objects of this process alone."""

from __future__ import annotations

from typing import NoReturn, SupportsIndex


class Uncopied:
    """What has threads, code or memory of this process: it is neither copied nor pickled."""

    def __reduce_ex__(self, protocol: SupportsIndex, /) -> NoReturn:
        """Refuse `copy`, `deepcopy` and `pickle`."""
        raise TypeError(f"a {type(self).__name__} of this process cannot be copied or pickled")
