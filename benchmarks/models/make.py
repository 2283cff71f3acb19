"""Export a model into the folder of models: `python -m models.make NAME`."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from models import child, store


def make(say: child.Say, arguments: Sequence[str]) -> None:
    """Write the two files."""
    (name,) = arguments
    say({"stage": "make"})
    store.make_files(name)


if __name__ == "__main__":
    sys.exit(child.main(make, sys.argv[1:]))
