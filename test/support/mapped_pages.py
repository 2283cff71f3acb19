"""What Linux says about the pages of an address of this process."""

from __future__ import annotations

from pathlib import Path


def facts_at(address: int) -> dict[str, str]:
    """The entry of /proc/self/smaps, and its permissions as `mode`; nothing if none is mapped."""
    facts: dict[str, str] = {}
    inside = False
    for line in Path("/proc/self/smaps").read_text(encoding="utf-8").splitlines():
        head, *rest = line.split()
        if not head.endswith(":"):
            begin, end = (int(text, 16) for text in head.split("-"))
            inside = begin <= address < end
            facts |= {"mode": rest[0]} if inside else {}
        elif inside:
            facts[head[:-1]] = " ".join(rest)
    return facts


def flags_at(address: int) -> list[str]:
    """The flags of the pages, as `hg` where huge pages are asked for."""
    return facts_at(address).get("VmFlags", "").split()
