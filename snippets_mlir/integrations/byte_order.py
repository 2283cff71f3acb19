"""Arguments in the byte order of the computer.

    native(np.ones(3, ">f4"))       an array of <f4, on x86

This module imports nothing of the compiler: workers use it, too.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def native(value: object) -> np.ndarray[Any, np.dtype[Any]]:
    """`value` as an array in native byte order, copied if it has another one."""
    array = np.asarray(value)
    return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))
