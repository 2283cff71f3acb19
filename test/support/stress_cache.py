"""What happens to the files of a cache while programs use it; for `stress.py`."""

from __future__ import annotations

import os
import resource
import shutil
from contextlib import suppress
from pathlib import Path
from random import Random

from snippets_mlir.codegen import cache
from snippets_mlir.codegen.compile import compile_object
from snippets_mlir.codegen.host import host_cpu
from snippets_mlir.driver.cache.sealed import sealed

FOREIGN = (
    b"",
    b"x" * 99,
    sealed(b"SNP4", (200_000).to_bytes(8, "little") + b"[" * 200_000),
    sealed(b"SNP4", (2).to_bytes(8, "little") + b"{}"),
    b"\x7fELF\x02\x01" + bytes(58),
)


def random_directory(directory: Path, rng: Random) -> None:
    """Set the cache of this process: a directory, none, one that cannot be, or one that is full."""
    kind = rng.choice(["empty"] * 6 + ["off", "nowhere", "full"])
    os.environ["SNIPPETS_CACHE_DIR"] = {"off": "", "nowhere": "/proc/self/no"}.get(
        kind, str(directory)
    )
    if kind == "full":
        resource.setrlimit(resource.RLIMIT_FSIZE, (rng.choice([0, 100, 1000]), -1))


def damage(directory: Path, rng: Random) -> None:
    """Damage one file, or remove some; others may write and remove them at the same time."""
    with suppress(OSError):
        files = [path for path in directory.rglob("*") if path.is_file()]
        if rng.random() < 0.1:
            shutil.rmtree(directory, ignore_errors=True)
        elif files:
            damage_file(rng.choice(files), rng)


def damage_file(path: Path, rng: Random) -> None:
    """Truncate, flip, replace, move or remove it."""
    raw = path.read_bytes()
    match rng.choice(["truncate", "flip", "foreign", "object", "remove", "directory", "rename"]):
        case "truncate":
            path.write_bytes(raw[: rng.randrange(len(raw) + 1)])
        case "flip":
            at = rng.randrange(len(raw))
            path.write_bytes(raw[:at] + bytes([raw[at] ^ 1 << rng.randrange(8)]) + raw[at + 1 :])
        case "foreign":
            cache.write_entry(path, rng.choice(FOREIGN))
        case "object":
            cache.write_entry(path, other_object())
        case "remove":
            path.unlink()
        case "directory":
            path.unlink()
            path.mkdir()
        case _:
            others = [other for other in path.parent.iterdir() if other.is_file()]
            os.replace(path, rng.choice(others))


def other_object() -> bytes:
    """An object of this machine without any kernel."""
    triple, cpu, features = host_cpu()
    text = "define void @nothing() {\n  ret void\n}\n"
    return compile_object(text, triple=triple, cpu=cpu, features=features)
