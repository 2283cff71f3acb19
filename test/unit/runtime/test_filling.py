"""A template's manifest is as it was after calls have filled it in."""

from __future__ import annotations

from copy import deepcopy
from typing import Any, cast

from snippets_mlir.runtime.manifests.filling import filled_in
from snippets_mlir.runtime.manifests.manifest import Manifest


def test_a_template_is_filled_in_for_each_call() -> None:
    manifest: Any = {"values": [{"shape": [4, None], "dtype": "float32"}], "entry": "main"}
    manifest |= {"inputs": [{"shape": [4], "value": 0}], "outputs": [{"shape": None, "value": 0}]}
    manifest["steps"] = [
        {
            "kind": "kernel",
            "domain": 3,
            "scratch": 64,
            "space": "?0*3",
            "clusters": [],
            "inputs": [0],
        },
        {"kind": "execute", "inputs": [0]},
    ]
    before = deepcopy(manifest)
    filled = cast("dict[str, Any]", filled_in(cast("Manifest", manifest), [7]))
    assert manifest == before
    assert filled["steps"][0]["rt"][:1] == [7]
    assert filled["steps"][0]["space"] == 21
    assert "clusters" not in filled["steps"][0]
    assert filled["values"] == before["values"]
    filled["values"][0]["shape"] = [1]
    filled["steps"][1]["kind"] = "view"
    assert manifest == before
