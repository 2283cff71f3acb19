"""Networks of transformers: two layers each; BERT and GPT-2 with twelve, too, their base size."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from models.feeds import Feed, Feeds, Random, normal, normal_of, sentence, sentences, tokens
from models.model import HALF, Decoder, Model, package
from models.torch_export import Build, Export, exporting, wrapped

LAYERS, BASE_LAYERS = 2, 12
BERT_VOCABULARY, GPT_VOCABULARY, LLAMA_VOCABULARY = 3000, 8000, 4000
GPT_HEADS, GPT_HEAD_SIZE = 12, 64
BERT_OUTPUTS = ["h", "p"]


# BERT: token numbers and a mask go in, hidden states and the pooled first one come out.


def _bert(torch: Any, attention: str, layers: int = LAYERS) -> Any:
    transformers = package("transformers")
    config = transformers.BertConfig(num_hidden_layers=layers, attn_implementation=attention)

    def forward(module: Any, ids: Any, mask: Any) -> tuple[Any, Any]:
        found = module(input_ids=ids, attention_mask=mask)
        return found.last_hidden_state, found.pooler_output

    return wrapped(torch, transformers.BertModel(config, add_pooling_layer=True), forward)


def _ones(torch: Any, *shape: int) -> list[Any]:
    return [torch.ones(*shape, dtype=torch.long)] * 2


def _bert_dynamic(torch: Any) -> Export:
    batch = torch.export.Dim("b", min=1, max=64)
    length = torch.export.Dim("s", min=2, max=512)
    dynamic = (({0: batch, 1: length},) * 2,)
    model = _bert(torch, "sdpa")
    return Export(model, _ones(torch, 2, 16), ["ids", "mask"], BERT_OUTPUTS, dynamic)


def _bert_static(
    torch: Any, layers: int = LAYERS, length: int = 128, *, half: bool = False
) -> Export:
    model = _bert(torch, "sdpa", layers)
    model = model.half() if half else model
    return Export(model, _ones(torch, 1, length), ["ids", "mask"], BERT_OUTPUTS)


def _bert_by_torchscript(torch: Any) -> Export:
    both = {0: "b", 1: "s"}
    axes = {"ids": both, "mask": both, "h": both, "p": {0: "b"}}
    model = _bert(torch, "eager")
    return Export(model, _ones(torch, 2, 16), ["ids", "mask"], BERT_OUTPUTS, axes, dynamo=False)


def _sentences_of_many_shapes(random: Random) -> Iterator[Feed]:
    """Shapes of up to 512 tokens in up to 8 sentences, each once."""
    shapes = [(batch, length) for batch in range(1, 9) for length in range(2, 512 // batch + 1)]
    yield sentence(random, BERT_VOCABULARY, 8, 64)
    yield sentence(random, BERT_VOCABULARY, 1, 512)
    random.shuffle(shapes)
    for batch, length in shapes:
        yield sentence(random, BERT_VOCABULARY, batch, length)


# GPT-2: a token and the keys and values of those before it go in.


def _caches(layers: int) -> tuple[str, ...]:
    return tuple(f"{kind}{layer}" for layer in range(layers) for kind in "kv")


def _gpt2_module(torch: Any, layers: int) -> Any:
    """Takes tokens and the caches of those before them, or no caches for the first tokens."""
    transformers = package("transformers")
    cache_utils = package("transformers.cache_utils")
    config = transformers.GPT2Config(
        n_layer=layers, vocab_size=GPT_VOCABULARY, bos_token_id=None, eos_token_id=None
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
    past = torch.export.Dim("p", min=1, max=1000)
    caches = _caches(layers)
    return Export(
        _gpt2_module(torch, layers),
        [
            torch.ones(1, 1, dtype=torch.long),
            *(torch.randn(1, GPT_HEADS, 24, GPT_HEAD_SIZE) for _ in caches),
        ],
        ["ids", *caches],
        _new(caches),
        (({}, *({2: past} for _ in caches)),),
    )


def _token(random: Random, past: int, layers: int) -> Feed:
    shape = (1, GPT_HEADS, past, GPT_HEAD_SIZE)
    caches = {name: normal(random, *shape) * np.float32(0.5) for name in _caches(layers)}
    return {"ids": tokens(random, GPT_VOCABULARY, 1, 1), **caches}


def _gpt2_model(name: str, layers: int) -> Model:
    return _model(
        name,
        partial(_gpt2, layers=layers),
        lambda random: [_token(random, past, layers) for past in (128, 129, 130)],
        decoder=Decoder("ids", GPT_VOCABULARY, _caches(layers), length_dim=2),
    )


# Llama, Qwen3 and GPT-NeoX without caches, and ViT.


def _llama(torch: Any, opset: int | None = None) -> Export:
    """At opset 23 with ONNX's own operators for norms, rotary positions and attention."""
    transformers = package("transformers")
    config = transformers.LlamaConfig(
        hidden_size=512,
        intermediate_size=1376,
        num_hidden_layers=LAYERS,
        num_attention_heads=8,
        num_key_value_heads=4,
        vocab_size=LLAMA_VOCABULARY,
        max_position_embeddings=512,
    )

    def forward(module: Any, ids: Any) -> Any:
        return module(input_ids=ids, use_cache=False).logits

    length = torch.export.Dim("s", min=2, max=512)
    model = wrapped(torch, transformers.LlamaForCausalLM(config), forward)
    ids = torch.ones(1, 16, dtype=torch.long)
    return Export(model, [ids], ["ids"], ["logits"], (({1: length},),), opset=opset)


def _decoder_by_torchscript(torch: Any, architecture: str, **sizes: int) -> Export:
    """A decoder without a cache, for any number of sentences of any length."""
    transformers = package("transformers")
    config = getattr(transformers, f"{architecture}Config")(
        hidden_size=256,
        intermediate_size=768,
        num_hidden_layers=LAYERS,
        num_attention_heads=8,
        vocab_size=LLAMA_VOCABULARY,
        attn_implementation="eager",
        **sizes,
    )

    def forward(module: Any, ids: Any, mask: Any) -> Any:
        return module(input_ids=ids, attention_mask=mask, use_cache=False).logits

    both = {0: "b", 1: "s"}
    axes = {"ids": both, "mask": both, "logits": both}
    model = wrapped(torch, getattr(transformers, f"{architecture}ForCausalLM")(config), forward)
    return Export(model, _ones(torch, 2, 16), ["ids", "mask"], ["logits"], axes, dynamo=False)


def _vit(torch: Any) -> Export:
    transformers = package("transformers")
    config = transformers.ViTConfig(num_hidden_layers=LAYERS)

    def forward(module: Any, pixels: Any) -> Any:
        return module(pixel_values=pixels).last_hidden_state

    model = wrapped(torch, transformers.ViTModel(config, add_pooling_layer=False), forward)
    return Export(model, [torch.randn(1, 3, 224, 224)], ["x"], ["h"])


def _model(name: str, build: Build, feeds: Feeds, **more: Any) -> Model:
    return Model(name, "transformers", exporting(name, build), feeds, **more)


TRANSFORMER = (
    _model(
        "bert2",
        _bert_dynamic,
        sentences(BERT_VOCABULARY, (1, 128), (2, 37)),
        many_shapes=_sentences_of_many_shapes,
    ),
    _model("bert2_static", _bert_static, sentences(BERT_VOCABULARY, (1, 128))),
    _model(
        "bert2_f16",
        partial(_bert_static, half=True),
        sentences(BERT_VOCABULARY, (1, 128)),
        tolerance=HALF,
    ),
    _model("bert2_ts", _bert_by_torchscript, sentences(BERT_VOCABULARY, (1, 128), (2, 37))),
    _gpt2_model("gpt2_kv", LAYERS),
    *(
        _model(
            name,
            partial(_llama, opset=opset),
            lambda random: [{"ids": tokens(random, LLAMA_VOCABULARY, 1, n)} for n in (64, 45)],
        )
        for name, opset in {"llama2l": None, "llama2l_23": 23}.items()
    ),
    *(
        _model(
            name,
            partial(_decoder_by_torchscript, **config),
            sentences(BERT_VOCABULARY, (1, 64), (2, 37)),
        )
        for name, config in {
            "qwen3_ts": {"architecture": "Qwen3", "num_key_value_heads": 4, "head_dim": 32},
            "neox_ts": {"architecture": "GPTNeoX"},
        }.items()
    ),
    _model("vit2", _vit, normal_of("x", (1, 3, 224, 224))),
    *(
        _model(
            f"bert12_{length}",
            partial(_bert_static, layers=BASE_LAYERS, length=length),
            sentences(BERT_VOCABULARY, (1, length)),
        )
        for length in (128, 384)
    ),
    _model(
        "gpt2_12_prefill",
        partial(_gpt2_first, layers=BASE_LAYERS, length=128),
        lambda random: [{"ids": tokens(random, GPT_VOCABULARY, 1, 128)}],
    ),
    _gpt2_model("gpt2_12_kv", BASE_LAYERS),
)
