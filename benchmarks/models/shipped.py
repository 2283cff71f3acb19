"""Models that Python wheels ship: the file of an installed package, whose code is never run."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np

from models.feeds import Feed, Feeds, Random, audio, page, tokens, uniform
from models.model import Missing, Model


def _file(name: str, path: str) -> Callable[[Path], None]:
    def make(folder: Path) -> None:
        for entry in sys.path:
            file = Path(entry, path)
            if file.is_file():
                shutil.copyfile(file, folder / f"{name}.onnx")
                return
        raise Missing(f"no file {path}")

    return make


def _shipped(name: str, path: str, feeds: Feeds) -> Model:
    return Model(name, path.partition("/")[0].replace("_", "-"), _file(name, path), feeds)


def _bytes(random: Random) -> list[Feed]:
    return [{"bytes": random.integers(0, 257, (n, 2048)).astype(np.int32)} for n in (1, 8)]


def _frame(random: Random) -> Feed:
    return {"input": audio(random, 576)[None], "state": np.zeros((2, 1, 128), np.float32)}


def _frame_at_rate(random: Random) -> list[Feed]:
    return [{**_frame(random), "sr": np.array(16000, np.int64)}]


def _frames(random: Random) -> list[Feed]:
    state = np.zeros((1, 1, 128), np.float32)
    return [
        {"input": audio(random, 576 * n).reshape(n, 576), "h": state, "c": state} for n in (20, 7)
    ]


def _pages(*shapes: tuple[int, int, int, int]) -> Feeds:
    return lambda random: [{"x": page(random, *shape)} for shape in shapes]


def _lines(random: Random) -> list[Feed]:
    return [{"input1": uniform(random, 1, 1, 64, width)} for width in (160, 224)]


def _image(random: Random) -> list[Feed]:
    return [{"images": uniform(random, 1, 3, 416, 416) * np.float32(255)}]


def _photos(random: Random) -> list[Feed]:
    return [{"images": uniform(random, *s)} for s in ((1, 3, 320, 320), (2, 3, 256, 320))]


def _music(random: Random) -> list[Feed]:
    name = "serving_default_input_2:0"
    return [{name: np.stack([audio(random, 43844)] * n)[..., None]} for n in (1, 2)]


def _arabic(random: Random) -> list[Feed]:
    return [
        {
            "char_inputs": tokens(random, 30, 1, length),
            "diac_inputs": np.zeros((1, length), np.int64),
            "input_lengths": np.array([length], np.int64),
        }
        for length in (64, 21)
    ]


_SILERO = "silero_vad/data/silero_vad_"
_RAPID = "rapidocr_onnxruntime/models/ch_"

SHIPPED = (
    _shipped("magika", "magika/models/standard_v3_3/model.onnx", _bytes),
    _shipped("silero_op15", f"{_SILERO}16k_op15.onnx", _frame_at_rate),
    _shipped("silero_ifless", f"{_SILERO}op18_ifless.onnx", _frame_at_rate),
    _shipped("silero_sequence", f"{_SILERO}16k_sequence.onnx", _frames),
    _shipped("silero_static", f"{_SILERO}openvino_16k.onnx", lambda random: [_frame(random)]),
    _shipped(
        "ocr_det", f"{_RAPID}PP-OCRv4_det_infer.onnx", _pages((1, 3, 320, 320), (1, 3, 224, 416))
    ),
    _shipped(
        "ocr_cls",
        f"{_RAPID}ppocr_mobile_v2.0_cls_infer.onnx",
        _pages((6, 3, 48, 192), (1, 3, 48, 192)),
    ),
    _shipped("ddddocr", "ddddocr/common.onnx", _lines),
    _shipped("ddddocr_det", "ddddocr/common_det.onnx", _image),
    _shipped("nudenet", "nudenet/320n.onnx", _photos),
    _shipped("basic_pitch", "basic_pitch/saved_models/icassp_2022/nmp.onnx", _music),
    _shipped("tashkeel", "piper/tashkeel/model.onnx", _arabic),
)
