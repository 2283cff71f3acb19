"""Encoders of text of other architectures than BERT's: small ones of two to four layers."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from models.feeds import Feeds, normal, sentences
from models.model import Model, package
from models.torch_export import Build, Export, exporting, wrapped

VOCABULARY = 3000
SIZES = {"vocab_size": VOCABULARY, "num_hidden_layers": 2}

DYNAMIC: Mapping[str, Mapping[str, Any]] = {
    "albert": {
        "architecture": "Albert",
        "hidden_size": 312,
        "embedding_size": 128,
        "num_attention_heads": 12,
        "intermediate_size": 1248,
        "num_hidden_layers": 4,
    },
    "clip_text": {
        "architecture": "CLIPText",
        "hidden_size": 256,
        "num_attention_heads": 4,
        "intermediate_size": 1024,
    },
    "electra_ts": {
        "architecture": "Electra",
        "hidden_size": 256,
        "num_attention_heads": 4,
        "dynamo": False,
    },
}
"""For any number of sentences of any length."""

STATIC: Mapping[str, Mapping[str, Any]] = {
    "deberta": {
        "architecture": "DebertaV2",
        "hidden_size": 384,
        "num_attention_heads": 6,
        "intermediate_size": 1536,
        "relative_attention": True,
        "pos_att_type": ["p2c", "c2p"],
        "position_buckets": 64,
    },
    "funnel": {
        "architecture": "Funnel",
        "block_sizes": [1, 1],
        "num_decoder_layers": 1,
        "d_model": 256,
        "n_head": 4,
        "d_head": 64,
        "d_inner": 512,
        "num_hidden_layers": None,  # its blocks say how many
    },
}
"""For a sentence of 64 tokens."""


def _encoder(
    torch: Any, architecture: str, *, dynamic: bool, dynamo: bool = True, **sizes: Any
) -> Export:
    transformers = package("transformers")
    given = {name: size for name, size in (SIZES | sizes).items() if size is not None}
    config = getattr(transformers, f"{architecture}Config")(**given)

    def forward(module: Any, ids: Any, mask: Any) -> Any:
        return module(input_ids=ids, attention_mask=mask).last_hidden_state

    model = wrapped(torch, getattr(transformers, f"{architecture}Model")(config), forward)
    arguments = [torch.ones(2 if dynamic else 1, 64, dtype=torch.long)] * 2
    axes: Any = None
    if dynamic and dynamo:
        size = torch.export.Dim.DYNAMIC
        axes = (({0: size, 1: size},) * 2,)
    elif dynamic:
        both = {0: "b", 1: "s"}
        axes = {"ids": both, "mask": both, "h": both}
    return Export(model, arguments, ["ids", "mask"], ["h"], axes, dynamo)


def _perceiver(torch: Any) -> Export:
    """A set of latent vectors that reads any number of inputs."""
    transformers = package("transformers")
    config = transformers.PerceiverConfig(
        num_latents=32,
        d_latents=128,
        d_model=96,
        num_self_attends_per_block=2,
        num_self_attention_heads=4,
        num_cross_attention_heads=4,
    )

    def forward(module: Any, inputs: Any) -> Any:
        return module(inputs=inputs).last_hidden_state

    model = wrapped(torch, transformers.PerceiverModel(config), forward)
    axes = {"x": {0: "b", 1: "s"}, "h": {0: "b"}}
    return Export(model, [torch.randn(2, 50, 96)], ["x"], ["h"], axes, dynamo=False)


def _model(name: str, build: Build, feeds: Feeds) -> Model:
    return Model(name, "transformers", exporting(name, build), feeds)


ENCODERS = (
    *(
        _model(
            name, partial(_encoder, dynamic=True, **given), sentences(VOCABULARY, (1, 64), (2, 37))
        )
        for name, given in DYNAMIC.items()
    ),
    *(
        _model(name, partial(_encoder, dynamic=False, **given), sentences(VOCABULARY, (1, 64)))
        for name, given in STATIC.items()
    ),
    _model(
        "perceiver_ts",
        _perceiver,
        lambda random: [{"x": normal(random, b, s, 96)} for b, s in ((1, 100), (2, 37))],
    ),
)
