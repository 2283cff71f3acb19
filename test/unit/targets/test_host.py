"""The one look at the computer: which target fits it, for what is compiled and what is cached."""

from __future__ import annotations

import io
import re
from collections.abc import Generator

import pytest

import snippets_mlir
from snippets_mlir.codegen.compile import compile_assembly
from snippets_mlir.codegen.host import host_cpu
from snippets_mlir.driver.cache.computer import computer
from snippets_mlir.driver.cache.stored import filled_request
from snippets_mlir.driver.settings import Settings
from snippets_mlir.passmanager.context import make_context
from snippets_mlir.support.parsing import parse_module
from snippets_mlir.targets import host
from snippets_mlir.targets.host import (
    AVX2,
    AVX512,
    cpu_facts,
    cpu_flags,
    host_target,
    host_tune,
    target_for,
    tune_for,
)
from snippets_mlir.targets.machine import TARGETS

TEXT = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  func.return %x : tensor<4xf32>
}"""


@pytest.mark.parametrize(
    ("architecture", "flags", "name"),
    [
        ("x86_64", {"sse2", "avx"}, "generic"),
        ("x86_64", AVX2, "x86-64-avx2"),
        ("x86_64", AVX2 | {"avx512f"}, "x86-64-avx2"),
        ("x86_64", AVX512, "x86-64-avx512"),
        ("x86_64", AVX512 | {"vaes"}, "x86-64-avx512"),
        *(("x86_64", AVX512 - {missing}, "generic") for missing in sorted(AVX2)),
        *(("x86_64", AVX512 - {missing}, "x86-64-avx2") for missing in sorted(AVX512 - AVX2)),
        ("x86_64", set[str](), "generic"),
        ("aarch64", set[str](), "aarch64-neon"),
        ("arm64", {"fp"}, "aarch64-neon"),
    ],
)
def test_flags_choose_the_target(architecture: str, flags: set[str], name: str) -> None:
    """A CPU without BMI2 once was `generic` to passes and `x86-64-avx2` to the cache."""
    assert target_for(architecture, flags) == name


def _facts(flags: set[str] | frozenset[str], vendor: str, family: int, model: int) -> list[str]:
    named = [f"vendor_id:{vendor}", f"cpu family:{family}", f"model:{model}"]
    return [*named, "flags:" + " ".join(sorted(flags))]


@pytest.mark.parametrize(
    ("facts", "name"),
    [
        (_facts(AVX512 | {"avx512_fp16"}, "GenuineIntel", 6, 143), "sapphirerapids"),
        (_facts(AVX512 | {"avx512_bf16"}, "GenuineIntel", 6, 106), ""),
        (_facts(AVX2 | {"avx512_fp16"}, "GenuineIntel", 6, 143), ""),
        (_facts(AVX512, "AuthenticAMD", 26, 2), "znver5"),
        (_facts(AVX512, "AuthenticAMD", 26, 0x11), "znver5"),
        (_facts(AVX512, "AuthenticAMD", 26, 0x44), "znver5"),
        (_facts(AVX512, "AuthenticAMD", 26, 0x70), "znver5"),
        (_facts(AVX512, "AuthenticAMD", 26, 0x24), ""),
        (_facts(AVX512, "AuthenticAMD", 26, 0x60), ""),
        (_facts(AVX512, "AuthenticAMD", 25, 17), ""),
        (_facts(AVX512, "GenuineIntel", 26, 2), ""),
        (_facts(AVX2, "AuthenticAMD", 26, 2), ""),
        (["flags:" + " ".join(AVX512), "model:", "cpu family:x", "vendor_id:AuthenticAMD"], ""),
        ([], ""),
    ],
)
def test_the_cpu_chooses_the_tune(facts: list[str], name: str) -> None:
    """Laptops of family 26 have units of half the width, in all but the largest model."""
    assert tune_for(facts) == name


X86 = """processor	: {number}
vendor_id	: GenuineIntel
cpu family	: 6
model		: {model}
model name	: Some CPU
stepping	: 1
cpu MHz		: {mhz}
flags		: sse2 avx  avx2
bogomips	: 5199.99

"""
ARM = """processor	: {number}
BogoMIPS	: 50.00
Features	: fp asimd sve
CPU implementer	: 0x41
CPU part	: {part}

"""


@pytest.fixture
def says(monkeypatch: pytest.MonkeyPatch) -> Generator[list[str]]:
    """A list whose last text is what /proc/cpuinfo says; while it is empty, there is no file."""
    texts: list[str] = []

    def opened(path: str, **_: object) -> io.TextIOBase:
        if path != "/proc/cpuinfo":
            return open(path, encoding="utf-8")
        if not texts:
            raise FileNotFoundError(path)
        return io.StringIO(texts[-1])

    monkeypatch.setattr(host, "open", opened, raising=False)
    cpu_facts.cache_clear()
    computer.cache_clear()
    yield texts
    cpu_facts.cache_clear()
    computer.cache_clear()


def test_facts_are_those_of_the_kind_of_cpu(says: list[str]) -> None:
    says.append(X86.format(number=0, model=7, mhz=800) + X86.format(number=1, model=7, mhz=3000))
    kind = ("vendor_id:GenuineIntel", "cpu family:6", "model:7", "stepping:1")
    assert cpu_facts() == (*kind, "flags:sse2 avx  avx2")
    assert cpu_flags() == {"sse2", "avx", "avx2"}


def test_cores_of_several_kinds_are_all_facts(says: list[str]) -> None:
    says.append("".join(ARM.format(number=n, part=f"0xd0{n // 2}") for n in range(4)))
    parts = ("CPU part:0xd00", "CPU part:0xd01")
    assert cpu_facts() == ("Features:fp asimd sve", "CPU implementer:0x41", *parts)
    assert not cpu_flags()


def test_the_computer_is_told_by_its_cpu(says: list[str]) -> None:
    """Other clocks are the same computer, other models another one; LLVM is asked for the rest."""
    found: list[tuple[str, ...]] = []
    for model, mhz in ((7, 800), (7, 900), (8, 800)):
        says.append(X86.format(number=0, model=model, mhz=mhz))
        cpu_facts.cache_clear()
        computer.cache_clear()
        found.append(computer())
    assert found[0] == found[1] != found[2]
    says.append("vendor_id: IBM/S390\nfeatures: esan3 zarch\n")
    cpu_facts.cache_clear()
    assert cpu_facts() == ()
    says.clear()
    cpu_facts.cache_clear()
    computer.cache_clear()
    assert set(host_cpu()) < set(computer())


def test_the_host_is_one_of_our_targets() -> None:
    assert host_target() in TARGETS
    assert not host_tune() or host_tune() in TARGETS[host_target()].tunes


def test_programs_for_the_host_have_its_tune(monkeypatch: pytest.MonkeyPatch) -> None:
    facts = _facts(AVX512 | {"avx512_fp16"}, "GenuineIntel", 6, 143)
    monkeypatch.setattr(host, "cpu_facts", lambda: facts)
    assert Settings.filled().tune == "sapphirerapids"
    assert Settings.filled(target="x86-64-avx2").tune == ""
    assert "tune=sapphirerapids" in Settings.filled().passes_for(parse_module(TEXT, make_context()))


@pytest.mark.parametrize("missing", ["bmi2", "f16c", "avx512f"])
def test_every_user_sees_the_same_host(monkeypatch: pytest.MonkeyPatch, missing: str) -> None:
    facts = _facts(AVX512 - {missing}, "AuthenticAMD", 26, 2)
    monkeypatch.setattr(host, "cpu_facts", lambda: facts)
    expected = "x86-64-avx2" if missing == "avx512f" else "generic"
    assert host_target() == expected
    assert Settings.filled().target == expected
    assert filled_request(None, {}).options["target"] == expected
    for target in (None, "host"):
        assert snippets_mlir.compile(TEXT, target=target).manifest["target"] == expected
    program = snippets_mlir.compile(TEXT, pipeline="snippets-set-target,snippets-to-llvm")
    assert program.manifest["target"] == expected


@pytest.mark.parametrize(("target", "needed"), [("x86-64-avx2", AVX2), ("x86-64-avx512", AVX512)])
def test_the_flags_are_those_that_llvm_may_use(target: str, needed: frozenset[str]) -> None:
    """LLVM selects instructions of each feature for the target's CPU."""
    machine = TARGETS[target]
    uses = {
        "bmi2": "define i64 @f(i64 %x, i64 %y) {\n  %a = shl i64 %x, %y\n  ret i64 %a\n}",
        "abm": "declare i64 @llvm.ctlz.i64(i64, i1)\ndefine i64 @f(i64 %x) {\n"
        "  %a = call i64 @llvm.ctlz.i64(i64 %x, i1 false)\n  ret i64 %a\n}",
        "movbe": "declare i64 @llvm.bswap.i64(i64)\ndefine i64 @f(ptr %p) {\n"
        "  %x = load i64, ptr %p\n  %a = call i64 @llvm.bswap.i64(i64 %x)\n  ret i64 %a\n}",
        "f16c": "define float @f(half %x) {\n  %a = fpext half %x to float\n  ret float %a\n}",
        "bmi1": "define i64 @f(i64 %x, i64 %y) {\n  %n = xor i64 %y, -1\n"
        "  %a = and i64 %x, %n\n  ret i64 %a\n}",
    }
    words = {"bmi2": "shlx", "abm": "lzcnt", "movbe": "movbe", "f16c": "vcvtph2ps", "bmi1": "andn"}
    assert needed >= uses.keys()
    for flag, text in uses.items():
        code = compile_assembly(
            text, triple=machine.triple, cpu=machine.cpu, features=machine.features
        )
        assert re.search(words[flag], code), flag
