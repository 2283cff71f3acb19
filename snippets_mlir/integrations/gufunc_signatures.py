"""Signatures of generalised ufuncs, such as `(m,n),(n,p)->(m,p)`."""

from __future__ import annotations

import re

_GROUPS = r"\((?:\w+(?:,\w+)*)?\)"

_SIGNATURE = re.compile(rf"({_GROUPS}(?:,{_GROUPS})*)->({_GROUPS}(?:,{_GROUPS})*)")


def parse_signature(signature: str) -> tuple[list[tuple[str, ...]], list[tuple[str, ...]]]:
    """The axes of the arguments and of the results."""
    match = _SIGNATURE.fullmatch(signature.replace(" ", ""))
    if match is None:
        raise ValueError(f"'{signature}' is not a signature such as '(i),()->(i)'")
    left, right = (
        [tuple(names.split(",")) if names else () for names in re.findall(r"\(([^)]*)\)", side)]
        for side in match.groups()
    )
    return left, right
