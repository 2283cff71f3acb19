"""Networks: the table of steps and the memory of a request."""

from __future__ import annotations

import gc
import os
import weakref
from collections.abc import Sequence

import numpy as np
import pytest
from network_programs import COLUMNS, MIXED, ROWS, Array, mixed_arrays, mixed_results

import snippets_mlir
from snippets_mlir.runtime.memory.scratch import aligned_block
from snippets_mlir.runtime.network import Network
from snippets_mlir.runtime.parallel.threads import OwnThreads
from snippets_mlir.runtime.program import Program

FAILING = 5


def outputs() -> tuple[Array, Array]:
    return tuple(np.full((3, COLUMNS), 7, np.float32) for _ in range(2))  # pyright: ignore


@pytest.fixture(scope="module")
def mixed() -> Program:
    return snippets_mlir.compile(MIXED, num_threads=1).built().program


def same(found: Sequence[Array], expected: Sequence[Array]) -> bool:
    return [f.tobytes() for f in found] == [e.tobytes() for e in expected]


def test_sessions_run_on_the_memory_of_the_network(mixed: Program) -> None:
    """Bit for bit what the reference executor computes, and NumPy."""
    network = Network(mixed)
    for seed in range(5):
        given, out = mixed_arrays(seed), outputs()
        assert network.run(given, out) is out
        assert same(out, mixed.run_in_python(given))
        np.testing.assert_array_equal(out, mixed_results(*given))


def test_arrays_move_between_calls(mixed: Program) -> None:
    """What is bound to one array of a caller is bound again to the next one."""
    network = Network(mixed)
    (x, i), (_, j) = mixed_arrays(0), mixed_arrays(1)
    for indices in (i, j, i, i, j):
        out = outputs()
        network.run((x, indices), out)
        np.testing.assert_array_equal(out, mixed_results(x, indices))


def test_what_does_not_fit_does_nothing(mixed: Program) -> None:
    network, (x, i), out = Network(mixed), mixed_arrays(0), outputs()
    assert network.run((x[:, ::-1], i), out) is None
    assert network.run((x, i.astype(np.int32)), out) is None
    assert network.run((x, i), (out[0], out[0])) is None
    assert (out[0] == 7).all()
    assert network.run((x, i), out) is out


def test_a_failing_step_leaves_the_network_usable(mixed: Program) -> None:
    network = Network(mixed)
    for _ in range(3):
        with pytest.raises(ValueError, match=r"onnxruntime: .*indices element out of data bounds"):
            network.run(mixed_arrays(1, FAILING), outputs())
        given, out = mixed_arrays(2), outputs()
        network.run(given, out)
        np.testing.assert_array_equal(out, mixed_results(*given))


def test_a_program_says_what_its_network_says(mixed: Program) -> None:
    given = mixed_arrays(1, FAILING)
    with pytest.raises(ValueError, match="out of data bounds") as of_network:
        mixed.call(given, outputs())
    with pytest.raises(ValueError, match="out of data bounds") as of_python:
        mixed.run_in_python(given)
    assert str(of_network.value) == str(of_python.value)


def test_steps_follow_each_other(mixed: Program) -> None:
    network = Network(mixed, timed=True)
    assert network.times is not None
    network.run(mixed_arrays(0), outputs())
    kinds = [launch.step and launch.step["kind"] for launch in network.launches]
    assert kinds == ["kernel", "execute", "kernel", "execute"]
    begins, ends = network.times.T
    assert (begins > 0).all()
    assert (begins <= ends).all()
    assert (ends[:-1] <= begins[1:]).all()


COPIES = """
func.func @main(%x: tensor<3x7xf32>) -> (tensor<3x7xf32>, tensor<2xi8>, tensor<21xf32>,
                                         tensor<21xf32>, tensor<3x7xf32>) {
  %c = snippets.constant dense<[1, -2]> : tensor<2xi8>
  %0 = snippets.negative %x : tensor<3x7xf32>
  %1 = snippets.reshape %0 : (tensor<3x7xf32>) -> tensor<21xf32>
  func.return %x, %c, %1, %1, %0
    : tensor<3x7xf32>, tensor<2xi8>, tensor<21xf32>, tensor<21xf32>, tensor<3x7xf32>
}
"""


def test_what_no_step_writes_in_place_is_copied() -> None:
    """An input, a constant, a value given three times, one of them under another shape."""
    compiled = snippets_mlir.compile(COPIES, fallback="error")
    x = np.arange(21, dtype=np.float32).reshape(3, 7)
    expected = (x, np.array([1, -2], np.int8), -x.ravel(), -x.ravel(), -x)
    for _ in range(2):
        found = compiled(x)
        assert same(found, expected)
        places = {array.__array_interface__["data"][0] for array in (*found, x)}
        assert len(places) == 6
    assert compiled.built().program.call((x,), tuple(map(np.zeros_like, expected))) is not None


@pytest.mark.parametrize("shape", ["0", "1", "3x0", ""])
def test_sizes_of_0_and_1(shape: str) -> None:
    """A session with nothing to compute, and rank 0."""
    type = f"tensor<{shape}{'x' if shape else ''}f32>"
    text = f"""func.func @main(%x: {type}) -> ({type}, {type}) {{
      %0 = onnx.node "Floor"(%x) {{domain = "", version = 13 : i64}} : ({type}) -> {type}
      %1 = snippets.negative %0 : {type}
      func.return %0, %1 : {type}, {type}
    }}"""
    compiled = snippets_mlir.compile(text, num_threads=1, mark_skipped="none")
    x = np.full(compiled.inputs[0].static_shape, 1.5, np.float32)
    out = np.zeros_like(x), np.zeros_like(x)
    network = Network(compiled.built().program)
    assert network.run((x,), out) is out
    np.testing.assert_array_equal(out, (np.floor(x), -np.floor(x)))


def test_memory_may_be_given() -> None:
    program = snippets_mlir.compile(MIXED, num_threads=1).built().program
    block = aligned_block(program.storage.arena)
    block[1][:] = 255  # NaN, where a step reads what no step has written
    network, given, out = Network(program, block=block), mixed_arrays(0), outputs()
    network.run(given, out)
    np.testing.assert_array_equal(out, mixed_results(*given))
    assert (block[1] != 255).any()


def test_two_networks_share_all_but_the_arena(mixed: Program) -> None:
    one, two = Network(mixed), Network(mixed)
    for network, seed in ((one, 0), (two, 1), (one, 1)):
        given, out = mixed_arrays(seed), outputs()
        network.run(given, out)
        np.testing.assert_array_equal(out, mixed_results(*given))
    assert [a.kernel for a in one.launches if isinstance(a.kernel, int)] == [
        b.kernel for b in two.launches if isinstance(b.kernel, int)
    ]


def test_a_network_dies_with_its_last_reference(mixed: Program) -> None:
    network = Network(mixed)
    network.run(mixed_arrays(0), outputs())
    watched = [weakref.ref(network), weakref.ref(network.launches[1].kernel)]
    del network
    gc.collect()
    assert [ref() for ref in watched] == [None, None]


TEAM = """
func.func @main(%x: tensor<{n}x300xf64>) -> tensor<{n}x300xf64> {{
  %0 = snippets.exp %x : tensor<{n}x300xf64>
  %1 = onnx.node "Floor"(%0) {{domain = "", version = 13 : i64}}
    : (tensor<{n}x300xf64>) -> tensor<{n}x300xf64>
  %2 = snippets.negative %1 : tensor<{n}x300xf64>
  func.return %2 : tensor<{n}x300xf64>
}}
"""


def test_teams_of_their_own_rest_before_a_session() -> None:
    text = TEAM.format(n=300)
    program = snippets_mlir.compile(text, num_threads=2, mark_skipped="none").built().program
    x = np.linspace(-1, 5, 300 * 300).reshape(300, 300)
    expected = -np.floor(np.exp(x))
    for team in (None, OwnThreads(2)):
        network, out = Network(program, team=team), np.zeros_like(x)
        for _ in range(3):
            assert network.run((x,), out) is out
            np.testing.assert_array_equal(out, expected)
        assert [bool(launch.step) for launch in network.launches] == [
            True,
            False,
            True,
            True,
            False,
        ]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_child_opens_its_own_sessions() -> None:
    text = TEAM.format(n=300)
    compiled = snippets_mlir.compile(text, num_threads=2, mark_skipped="none")
    x = np.linspace(-1, 5, 300 * 300).reshape(300, 300)
    expected = compiled(x)
    np.testing.assert_array_equal(compiled(x), expected)
    pid = os.fork()
    if pid == 0:
        os._exit(0 if np.array_equal(compiled(x), expected) else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


def test_shapes_of_a_template_have_networks_of_their_own() -> None:
    text = MIXED.replace(f"tensor<{ROWS}x", "tensor<?x")
    compiled = snippets_mlir.compile(text, num_threads=1, mark_skipped="none")
    for rows in (3, 5, 3, 9, 3):
        x, i = np.full((rows, COLUMNS), rows, np.float32), np.array([2, 1, 0])
        np.testing.assert_array_equal(compiled(x, i), mixed_results(x, i))
