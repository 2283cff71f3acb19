"""GPT-2 of two layers and of twelve, with caches: keys and values of the tokens before go in."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from models.feeds import Feed, Random, normal, tokens
from models.model import Decoder, Model, package
from models.torch_export import Export, of_transformers, wrapped

LAYERS, BASE_LAYERS = 2, 12
VOCABULARY = 8000
HEADS, HEAD_SIZE = 12, 64


def _caches(layers: int) -> tuple[str, ...]:
    return tuple(f"{kind}{layer}" for layer in range(layers) for kind in "kv")


def _gpt2_module(torch: Any, layers: int) -> Any:
    """Takes tokens and the caches of those before them, or no caches for the first tokens."""
    transformers = package("transformers")
    cache_utils = package("transformers.cache_utils")
    config = transformers.GPT2Config(
        n_layer=layers, vocab_size=VOCABULARY, bos_token_id=None, eos_token_id=None
    )

    def forward(module: Any, ids: Any, *caches: Any) -> tuple[Any, ...]:
        cache = cache_utils.DynamicCache()
        for layer in range(len(caches) // 2):
            cache.update(caches[2 * layer], caches[2 * layer + 1], layer)
        found = module(input_ids=ids, past_key_values=cache, use_cache=True)
        kept = found.past_key_values.layers[:layers]
        return (found.logits, *(t for layer in kept for t in (layer.keys, layer.values)))

    return wrapped(torch, transformers.GPT2LMHeadModel(config), forward)


def _new(caches: tuple[str, ...]) -> list[str]:
    return ["logits", *(f"{name}_new" for name in caches)]


def _gpt2_first(torch: Any, layers: int, length: int) -> Export:
    ids = torch.ones(1, length, dtype=torch.long)
    return Export(_gpt2_module(torch, layers), [ids], ["ids"], _new(_caches(layers)))


def _gpt2(torch: Any, layers: int = LAYERS) -> Export:
    return _gpt2_after(torch, layers, 1, {})


def _gpt2_of_rows(torch: Any) -> Export:
    """Any number of tokens after any number of others, at opset 23 with ONNX's own Attention."""
    rows = torch.export.Dim("t", min=2, max=24)
    return _gpt2_after(torch, LAYERS, 3, {1: rows}, opset=23)


def _gpt2_after(
    torch: Any, layers: int, rows: int, dynamic: dict[int, Any], opset: int | None = None
) -> Export:
    past = torch.export.Dim("p", min=1, max=1000)
    caches = _caches(layers)
    return Export(
        _gpt2_module(torch, layers),
        [
            torch.ones(1, rows, dtype=torch.long),
            *(torch.randn(1, HEADS, 24, HEAD_SIZE) for _ in caches),
        ],
        ["ids", *caches],
        _new(caches),
        ((dynamic, *({2: past} for _ in caches)),),
        opset=opset,
    )


def _token(random: Random, past: int, layers: int, rows: int = 1) -> Feed:
    shape = (1, HEADS, past, HEAD_SIZE)
    caches = {name: normal(random, *shape) * np.float32(0.5) for name in _caches(layers)}
    return {"ids": tokens(random, VOCABULARY, 1, rows), **caches}


def _decoder(name: str, layers: int) -> Model:
    return of_transformers(
        name,
        partial(_gpt2, layers=layers),
        lambda random: [_token(random, past, layers) for past in (128, 129, 130)],
        decoder=Decoder("ids", VOCABULARY, _caches(layers), length_dim=2),
    )


GPT2 = (
    _decoder("gpt2_kv", LAYERS),
    of_transformers(
        "gpt2_rows_kv",
        _gpt2_of_rows,
        lambda random: [_token(random, p, LAYERS, n) for n, p in ((1, 128), (16, 64), (1, 900))],
        decoder=Decoder("ids", VOCABULARY, _caches(LAYERS), length_dim=2),
    ),
)

GPT2_BASE = (
    of_transformers(
        "gpt2_12_prefill",
        partial(_gpt2_first, layers=BASE_LAYERS, length=128),
        lambda random: [{"ids": tokens(random, VOCABULARY, 1, 128)}],
    ),
    _decoder("gpt2_12_kv", BASE_LAYERS),
)
