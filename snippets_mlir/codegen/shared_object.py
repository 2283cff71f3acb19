"""A shared object that exports one function, whose code is elsewhere in the process.

`dlopen` needs a file, and its caller looks up a function in the file by name. LLVM loads the code
of stubs into memory, and it is in no file. So the file has a jump:

    offset  what                    size
    0       ELF header              64
    64      program headers         4 * 56      PT_LOAD R X, PT_LOAD R W, PT_DYNAMIC, PT_GNU_STACK
    288     DT_SYMTAB               2 * 24      the null symbol, `symbol`
    336     DT_HASH                 5 * 4       one bucket, so no hash of the name is needed
    356     DT_STRTAB               2 + len     an empty name, `symbol`
    ...     code, at a multiple of 16           x86-64:   movabs rax, ADDRESS; jmp rax
                                                AArch64:  ldr x16, #8; br x16; ADDRESS
    ...     the dynamic section, at a multiple of 16

Everything is in the first segment, which is not writable. The second segment is the dynamic
section, 64 KiB further in memory, because glibc's loader writes to it. There are no sections,
relocations or needed libraries, and the stack has no execute permission. Sources: the System V ABI,
`elf.h`.
"""

from __future__ import annotations

import struct

from snippets_mlir.codegen.elf import HEADER, MACHINES, MAGIC, SYMBOL

_SEGMENT = struct.Struct("<IIQQQQQQ")
_TAG = struct.Struct("<qQ")
_HASH = struct.pack("<5I", 1, 2, 1, 0, 0)
"""One bucket, two symbols: the bucket begins at symbol 1, and neither symbol has a next one."""

_SHARED, _VERSION = 3, 1
_LOAD, _DYNAMIC, _STACK = 1, 2, 0x6474E551
_X, _W, _R = 1, 2, 4
_FUNCTION = 1 << 4 | 2  # STB_GLOBAL, STT_FUNC
_NULL, _HASH_TAG, _STRTAB, _SYMTAB, _STRSZ, _SYMENT = 0, 4, 5, 6, 10, 11
_PAGE = 0x10000
"""The largest page of x86-64 and AArch64 Linux."""


def shared_object(symbol: str, address: int, machine: str) -> bytes:
    """A shared object whose function `symbol` jumps to `address`.

    Args:
        symbol: the name of the function.
        address: of code in the process that will load the object.
        machine: the processor, as in a target triple: `x86_64` or `aarch64`.

    Raises:
        ValueError: there is no code for `machine`, or `symbol` is not an ASCII name.
    """
    if not symbol.isascii() or not symbol or "\0" in symbol:
        raise ValueError(f"{symbol!r} cannot be the name of a symbol")
    names = b"\0" + symbol.encode() + b"\0"
    jump = _jump(address, machine)
    symbols = HEADER.size + 4 * _SEGMENT.size
    hash = symbols + 2 * SYMBOL.size
    strings = hash + len(_HASH)
    code = _round_up(strings + len(names))
    dynamic = _round_up(code + len(jump))
    tags = {
        _HASH_TAG: hash,
        _STRTAB: strings,
        _SYMTAB: symbols,
        _STRSZ: len(names),
        _SYMENT: SYMBOL.size,
        _NULL: 0,
    }
    table = b"".join(_TAG.pack(tag, value) for tag, value in tags.items())
    end, place = dynamic + len(table), dynamic + _PAGE
    parts = {
        0: _header(machine),
        HEADER.size: (
            _segment(_LOAD, _R | _X, 0, 0, end, _PAGE)
            + _segment(_LOAD, _R | _W, dynamic, place, len(table), _PAGE)
            + _segment(_DYNAMIC, _R | _W, dynamic, place, len(table), 8)
            + _segment(_STACK, _R | _W, 0, 0, 0, 16)
        ),
        symbols: bytes(SYMBOL.size) + SYMBOL.pack(1, _FUNCTION, 0, 1, code, len(jump)),
        hash: _HASH,
        strings: names,
        code: jump,
        dynamic: table,
    }
    image = bytearray(end)
    for start, part in parts.items():
        image[start : start + len(part)] = part
    return bytes(image)


def _jump(address: int, machine: str) -> bytes:
    """The code of the jump; it changes a register that is free at the start of a function."""
    match machine:
        case "x86_64":
            return b"\x48\xb8" + struct.pack("<Q", address) + b"\xff\xe0"
        case "aarch64":
            return struct.pack("<IIQ", 0x58000050, 0xD61F0200, address)
        case _:
            raise ValueError(f"no code for the machine {machine!r}")


def _header(machine: str) -> bytes:
    kind = (_SHARED, MACHINES[machine], _VERSION)
    sizes = (HEADER.size, _SEGMENT.size, 4, 0, 0, 0)
    return HEADER.pack(MAGIC + b"\x01", *kind, 0, HEADER.size, 0, 0, *sizes)


def _segment(kind: int, flags: int, offset: int, place: int, size: int, align: int) -> bytes:
    return _SEGMENT.pack(kind, flags, offset, place, place, size, size, align)


def _round_up(offset: int) -> int:
    return -(-offset // 16) * 16
