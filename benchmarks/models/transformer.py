"""Networks of transformers: two layers each; BERT and GPT-2 with twelve, too, their base size."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from models.feeds import Feed, Random, normal_of, sentence, sentences, tokens
from models.gpt2 import BASE_LAYERS, GPT2, GPT2_BASE, LAYERS
from models.model import HALF, package
from models.torch_export import Export, of_transformers, wrapped

BERT_VOCABULARY, LLAMA_VOCABULARY = 3000, 4000
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


TRANSFORMER = (
    of_transformers(
        "bert2",
        _bert_dynamic,
        sentences(BERT_VOCABULARY, (1, 128), (2, 37)),
        many_shapes=_sentences_of_many_shapes,
    ),
    of_transformers("bert2_static", _bert_static, sentences(BERT_VOCABULARY, (1, 128))),
    of_transformers(
        "bert2_f16",
        partial(_bert_static, half=True),
        sentences(BERT_VOCABULARY, (1, 128)),
        tolerance=HALF,
    ),
    of_transformers(
        "bert2_ts", _bert_by_torchscript, sentences(BERT_VOCABULARY, (1, 128), (2, 37))
    ),
    *GPT2,
    *(
        of_transformers(
            name,
            partial(_llama, opset=opset),
            lambda random: [{"ids": tokens(random, LLAMA_VOCABULARY, 1, n)} for n in (64, 45)],
        )
        for name, opset in {"llama2l": None, "llama2l_23": 23}.items()
    ),
    *(
        of_transformers(
            name,
            partial(_decoder_by_torchscript, **config),
            sentences(BERT_VOCABULARY, (1, 64), (2, 37)),
        )
        for name, config in {
            "qwen3_ts": {"architecture": "Qwen3", "num_key_value_heads": 4, "head_dim": 32},
            "neox_ts": {"architecture": "GPTNeoX"},
        }.items()
    ),
    of_transformers("vit2", _vit, normal_of("x", (1, 3, 224, 224))),
    *(
        of_transformers(
            f"bert12_{length}",
            partial(_bert_static, layers=BASE_LAYERS, length=length),
            sentences(BERT_VOCABULARY, (1, length)),
        )
        for length in (128, 384)
    ),
    *GPT2_BASE,
)
