"""Messages between processes: texts and objects, through pipes.

A message is its length in 8 bytes, least significant first, and its bytes. A task is JSON. An
answer is JSON in one message, and the object in the next message.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import IO, Any

from snippets_mlir.codegen.cache import digest_of, package_versions
from snippets_mlir.codegen.stamps import PACKAGE, files_stamp
from snippets_mlir.driver.reports.kernel_entry import KernelFacts
from snippets_mlir.support.spans import Span

_LENGTH = 8
_MAX = 1 << 30
"""Maximal bytes of a message; a larger length is invalid."""


@dataclass(frozen=True)
class Task:
    """A batch of kernels to compile.

    Attributes:
        text: a module of kernels in the linear IR.
        passes: the passes that it still needs, as text.
        how: triple, CPU and features for LLVM.
        cache: the directory of the cache, empty for none.
        traced: whether to record the spans of the work.
    """

    text: str
    passes: str
    how: dict[str, Any]
    cache: str
    traced: bool


@dataclass(frozen=True)
class Answer:
    """The result of a task.

    Attributes:
        text: a module of declarations of its kernels.
        facts: their facts for reports, by symbol.
        spans: the time spans of the work.
        code: their object.
    """

    text: str
    facts: dict[str, KernelFacts]
    spans: list[Span]
    code: bytes


def greeting() -> bytes:
    """The first message of a worker: answers of another version are useless."""
    return digest_of((*package_versions(), files_stamp(PACKAGE)[0])).encode()


def encoded(task: Task) -> bytes:
    """The message of a task."""
    return json.dumps(asdict(task)).encode()


def receive_task(stream: IO[bytes]) -> Task:
    """Read a task; EOFError after the last one."""
    return Task(**json.loads(receive(stream)))


def send_answer(answer: Answer | None, stream: IO[bytes]) -> None:
    """Write an answer, None for a task that could not be done."""
    if answer is None:
        send(b"null", stream)
        return
    facts = {name: asdict(fact) for name, fact in answer.facts.items()}
    spans = [asdict(span) for span in answer.spans]
    send(json.dumps([answer.text, facts, spans]).encode(), stream)
    send(answer.code, stream)


def receive_answer(stream: IO[bytes]) -> Answer | None:
    """Read an answer; EOFError when the worker is gone."""
    found: Any = json.loads(receive(stream))
    if found is None:
        return None
    text, facts, spans = found
    return Answer(
        text,
        {name: KernelFacts(**fact) for name, fact in facts.items()},
        [Span(**span) for span in spans],
        receive(stream),
    )


def send(data: bytes, stream: IO[bytes]) -> None:
    """Write a message; OSError if the other end is closed."""
    stream.write(len(data).to_bytes(_LENGTH, "little"))
    stream.write(data)
    stream.flush()


def receive(stream: IO[bytes]) -> bytes:
    """Read a message; EOFError if it is incomplete or invalid."""
    length = int.from_bytes(_exactly(stream, _LENGTH), "little")
    if length > _MAX:
        raise EOFError
    return _exactly(stream, length)


def _exactly(stream: IO[bytes], count: int) -> bytes:
    data = stream.read(count)
    if len(data) < count:
        raise EOFError
    return data
