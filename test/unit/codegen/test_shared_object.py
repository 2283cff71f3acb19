"""Shared objects without a linker: the loader takes them, and their function jumps."""

from __future__ import annotations

import ctypes
import os
import platform
import struct
from collections.abc import Iterator
from pathlib import Path

import pytest

from snippets_mlir.codegen.elf import MACHINES, is_object_for
from snippets_mlir.codegen.shared_object import shared_object

FUNCTION = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_double, ctypes.c_int64)
MACHINE = platform.machine()
loads = pytest.mark.skipif(
    MACHINE not in MACHINES or not Path("/proc/self/maps").exists(), reason="not Linux"
)


def mixed(a: int, b: float, c: int) -> int:
    return int(a * b) - c


def segments(image: bytes) -> Iterator[tuple[int, ...]]:
    """(type, flags, offset, address, size in file, alignment) of each program header."""
    start, size, count = (
        *struct.unpack_from("<Q", image, 32),
        *struct.unpack_from("<2H", image, 54),
    )
    for at in range(start, start + size * count, size):
        kind, flags, offset, place, _, file, memory, align = struct.unpack_from(
            "<IIQQQQQQ", image, at
        )
        assert file == memory
        yield kind, flags, offset, place, file, align


@loads
@pytest.mark.parametrize("symbol", ["f", "RegisterCustomOps", "a_name" * 50])
def test_the_function_gets_its_arguments(tmp_path: Path, symbol: str) -> None:
    callback = FUNCTION(mixed)
    address = ctypes.cast(callback, ctypes.c_void_p).value
    assert address is not None
    file = tmp_path / "jump.so"
    file.write_bytes(shared_object(symbol, address, MACHINE))
    library = ctypes.CDLL(str(file))
    function = FUNCTION((symbol, library))
    assert function(3, 2.5, -(1 << 40)) == 7 + (1 << 40)
    with pytest.raises(AttributeError):
        getattr(library, symbol + "x")


@loads
def test_it_loads_from_memory_and_is_neither_writable_nor_a_lasting_file() -> None:
    callback = FUNCTION(mixed)
    address = ctypes.cast(callback, ctypes.c_void_p).value
    assert address is not None
    file = os.memfd_create("jump_to_a_callback")
    os.write(file, shared_object("f", address, MACHINE))
    library = ctypes.CDLL(f"/proc/self/fd/{file}")
    os.close(file)
    assert FUNCTION(("f", library))(5, 3.0, 1) == 14
    maps = Path("/proc/self/maps").read_text().splitlines()
    modes = {line.split()[1] for line in maps if "jump_to_a_callback" in line}
    assert "r-xp" in modes
    assert not any("w" in mode and "x" in mode for mode in modes)


@pytest.mark.parametrize("machine", MACHINES)
def test_headers_are_those_of_the_abi(machine: str) -> None:
    image = shared_object("f", 0x1122334455667788, machine)
    assert image[:7] == b"\x7fELF\2\1\1"
    assert struct.unpack_from("<HHI", image, 16) == (3, MACHINES[machine], 1)
    assert not is_object_for(image, f"{machine}-unknown-linux-gnu")  # it is not relocatable
    found = list(segments(image))
    assert [kind for kind, *_ in found] == [1, 1, 2, 0x6474E551]
    assert [flags for _, flags, *_ in found] == [5, 6, 6, 6]
    for _, _, offset, place, size, align in found[:3]:
        assert (place - offset) % align == 0
        assert offset + size <= len(image)
    assert found[0][3] + found[0][4] <= found[1][3] // 0x10000 * 0x10000  # in pages of their own


@pytest.mark.parametrize("machine", MACHINES)
def test_tables_of_the_dynamic_section(machine: str) -> None:
    image = shared_object("name", 0x1122334455667788, machine)
    offset, size = next((o, s) for kind, _, o, _, s, _ in segments(image) if kind == 2)
    pairs = [struct.unpack_from("<qQ", image, at) for at in range(offset, offset + size, 16)]
    assert pairs[-1] == (0, 0)
    tags = dict(pairs)
    assert tags.keys() == {4, 5, 6, 10, 11, 0}
    assert struct.unpack_from("<5I", image, tags[4]) == (1, 2, 1, 0, 0)
    assert image[tags[5] : tags[5] + tags[10]] == b"\0name\0"
    null, entry = (struct.unpack_from("<IBBHQQ", image, tags[6] + 24 * i) for i in (0, 1))
    assert null == (0,) * 6
    assert tags[11] == 24
    assert entry[:4] == (1, 0x12, 0, 1)  # a global function in a section
    code = image[entry[4] : entry[4] + entry[5]]
    assert (
        code
        == {
            "x86_64": bytes.fromhex("48b88877665544332211ffe0"),
            "aarch64": bytes.fromhex("50000058") + bytes.fromhex("00021fd6") + code[8:],
        }[machine]
    )
    assert bytes.fromhex("8877665544332211") in code


def test_what_there_is_no_code_for_is_an_error() -> None:
    with pytest.raises(ValueError, match="no code for the machine 'riscv64'"):
        shared_object("f", 1, "riscv64")
    for name in ("", "naïve", "a\0b"):
        with pytest.raises(ValueError, match="cannot be the name of a symbol"):
            shared_object(name, 1, "x86_64")
