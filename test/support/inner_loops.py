"""The inner loops of products in assembly of x86, and what must not be in them."""

from __future__ import annotations


def inner_loops(text: str) -> list[list[str]]:
    """The innermost loops of an assembly text that multiply and add."""
    lines = text.splitlines()
    labels = {line[:-1]: at for at, line in enumerate(lines) if line.startswith(".LBB")}
    found: list[list[str]] = []
    for at, line in enumerate(lines):
        target = line.split()[-1] if line.strip().startswith("j") else ""
        body = lines[labels.get(target, at) : at]
        if not any(line.startswith(".LBB") for line in body[1:]):
            if any("vfmadd" in line for line in body):
                found.append(body)
    return found


def assert_no_spills(text: str, *, copies: bool = False) -> None:
    """LLVM neither spills in the loops over the sum nor, without `copies`, copies accumulators."""
    loops = inner_loops(text)
    assert loops
    for line in (line for loop in loops for line in loop):
        words = line.replace(",", "").split()
        copied = words[0].startswith("vmova") and all("mm" in word for word in words[1:])
        assert "(%rsp" not in line, line
        assert copies or not copied, line
