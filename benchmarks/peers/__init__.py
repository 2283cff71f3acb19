"""The contenders, ours first. A peer whose package is missing is left out, with a message."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module

from peers.base import Peer

PEERS: dict[str, str] = {
    "snippets_mlir": "peers.snippets_peer:Snippets",
    "NumPy": "peers.numpy_peer:NumPy",
    "numexpr": "peers.numexpr_peer:NumExpr",
    "numba": "peers.numba_peer:Numba",
    "JAX": "peers.jax_peer:Jax",
    "onnxruntime": "peers.onnxruntime_peer:OnnxRuntime",
    "OpenVINO": "peers.openvino_peer:OpenVino",
    "torch eager": "peers.torch_peer:TorchEager",
    "torch inductor": "peers.torch_peer:TorchInductor",
}
OURS = "snippets_mlir"


def load(name: str, threads: int) -> Peer:
    """The peer, ready for use; ImportError when its package is not installed."""
    module, _, member = PEERS[name].partition(":")
    return getattr(import_module(module), member)(threads)


def load_installed(names: Sequence[str], threads: int) -> tuple[list[Peer], dict[str, str]]:
    """The peers that can be used, and why the others cannot, by name."""
    peers: list[Peer] = []
    missing: dict[str, str] = {}
    for name in names:
        try:
            peers.append(load(name, threads))
        except ImportError as error:
            missing[name] = f"not installed ({error})"
    return peers, missing
