"""Streams tell others what came of a job when they let go of the interpreter's lock."""

from __future__ import annotations

from threading import Event

from snippets_mlir.runtime.streams import Stream, Streams


def test_news_wait_for_the_next_job_to_compute() -> None:
    """With a job that follows at once: not before that calls `tell`."""
    streams, both = Streams(1, 1), Event()
    seen: list[list[str]] = []
    news: list[str] = []

    def first(stream: Stream) -> None:
        both.wait(300)  # the second job is there
        stream.tell_later(lambda: news.append("first"))
        seen.append([*news])

    def second(stream: Stream) -> None:
        seen.append([*news])
        stream.tell()
        seen.append([*news])
        stream.tell()  # once
        stream.tell_later(lambda: news.append("second"))

    streams.submit(first)
    streams.submit(second)
    both.set()
    streams.close()
    assert seen == [[], [], ["first"]]
    assert news == ["first", "second"]


def test_news_are_told_before_a_stream_waits() -> None:
    """Without a job that follows: at once, though the stream goes on to live."""
    streams, told = Streams(1, 1), Event()
    try:
        streams.submit(lambda stream: stream.tell_later(told.set))
        assert told.wait(300)
    finally:
        streams.close()
