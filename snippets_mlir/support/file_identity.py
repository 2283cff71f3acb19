"""Whether a file is unchanged, without reading its contents."""

from __future__ import annotations

from os import stat_result

Identity = tuple[int, int, int, int, int]


def identity_of(status: stat_result) -> Identity:
    """Size, times, inode and device of a file.

    A file that is rewritten and then given its old time has a later time of change, which no
    program can set.
    """
    return (
        status.st_size,
        status.st_mtime_ns,
        status.st_ctime_ns,
        status.st_ino,
        status.st_dev,
    )
