"""Processes that fork while onnxruntime works; each prints what its children ended with."""

from __future__ import annotations

import os

from warm_process import run_warm

SECONDS = 300
"""A process that takes longer hangs."""

START = """
import ctypes, faulthandler, gc, os, signal, sys, threading, time
import numpy as np, numpy.testing, onnx
from onnx import TensorProto, helper
import snippets_mlir
from snippets_mlir.runtime.parallel.threads import default_threads, forked_flag
faulthandler.register(signal.SIGALRM, chain=True)
X = np.arange(64, dtype=np.float32).reshape(8, 8) % 5

def model(steps=1):
    nodes, name = [], "x"
    for i in range(steps):
        nodes.append(helper.make_node("MatMul", [name, "x"], [f"y{i}"]))
        name = f"y{i}"
    ends = [helper.make_tensor_value_info(n, TensorProto.FLOAT, ["n", "n"]) for n in ("x", name)]
    graph = helper.make_graph(nodes, "g", ends[:1], ends[1:])
    opsets = [helper.make_opsetid("", 17)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8)

REGION = '''
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = snippets.add %x, %x : tensor<8x8xf32>
  %1 = onnx.node "MatMul"(%0, %x) {domain = "", version = 13 : i64}
      : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = snippets.maximum %1, %x : tensor<8x8xf32>
  func.return %2 : tensor<8x8xf32>
}'''

def check(program, expected):
    for _ in range(3):
        np.testing.assert_array_equal(program(X), expected)

def child(work, leave=os._exit):
    pid = os.fork()
    if pid == 0:
        signal.alarm(200)  # which ends a child that hangs, and says where
        try:
            work()
        except BaseException as error:
            print(type(error).__name__, error, flush=True)
            os._exit(1)
        leave(7)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
"""

OLD = """
codes = []
for threads in (1, 3):
    programs = [
        (snippets_mlir.compile(model(), num_threads=threads), X @ X),
        (snippets_mlir.compile(REGION, num_threads=threads), np.maximum(2 * X @ X, X)),
    ]
    def calls():
        for program, expected in programs:
            check(program, expected)
        alone = ctypes.c_int32.from_address(forked_flag()).value
        assert threads == 1 or default_threads() == 1 or not alone
    def drops():
        programs.clear()
        gc.collect()
    def twice():
        calls()
        assert child(calls) == 7
    def in_threads():
        problems = []
        def work():
            try:
                calls()
            except BaseException as error:
                problems.append(error)
        workers = [threading.Thread(target=work) for _ in range(4)]
        for one in workers: one.start()
        for one in workers: one.join()
        assert not problems, problems
    for work in (calls, twice, in_threads, drops, lambda: (calls(), drops())):
        codes.append(child(work))
        if threads > 1 and work in (calls, drops):  # an interpreter ends for half a second
            codes.append(child(work, sys.exit))
    calls()
print(codes == [7] * 12 or codes)
"""

EXIT = """
snippets_mlir.compile(model(), num_threads=2)
def says():
    print('said', end='')
sys.stdout.flush()
print(child(says, sys.exit))
"""

CHANGED = """
path = sys.argv[1]
onnx.save(model(), path)
program = snippets_mlir.compile(path, num_threads=2)
check(program, X @ X)
same = lambda: check(program, X @ X)
print(child(same), flush=True)
time.sleep(0.02)
onnx.save(model(2), path)
print(child(same))
"""

TABLES = """
from snippets_mlir.runtime.network import Network
import snippets_mlir.analysis.graph.products as products
products.HELD = False
table, v = np.random.default_rng(0).random((5000, 64), np.float32), np.ones((64, 1), np.float32)
nodes = [
    helper.make_node("Gather", ["w", "x"], ["a"]),
    helper.make_node("Softplus", ["a"], ["b"]),
    helper.make_node("Mul", ["a", "b"], ["c"]),
    helper.make_node("MatMul", ["c", "v"], ["y"]),
]
x = helper.make_tensor_value_info("x", TensorProto.INT64, [700])
y = helper.make_tensor_value_info("y", TensorProto.FLOAT, [700, 1])
weights = [onnx.numpy_helper.from_array(*pair) for pair in ((table, "w"), (v, "v"))]
made = helper.make_model(
    helper.make_graph(nodes, "g", [x], [y], weights),
    opset_imports=[helper.make_opsetid("", 17)], ir_version=8,
)
program = snippets_mlir.compile(made, num_threads=2)
built = program.built().program
assert any(getattr(executor, "tables", {}) for executor in built.executors.values())
ids = np.arange(700) * 7
rows = table[ids]
expected = (rows * np.log1p(np.exp(rows))) @ v
bound = Network(built)
out = np.zeros((700, 1), np.float32)
def runs():
    bound.run((ids,), out)
    for found in (out, program(ids), *built.run_in_python([ids], None)):
        np.testing.assert_allclose(found, expected, rtol=1e-4)
runs()
print(child(runs))
"""

BUSY = """
stop = threading.Event()
kind, threads = sys.argv[1], int(sys.argv[2])
shared = snippets_mlir.compile(model(), num_threads=threads)
bytes_ = model().SerializeToString()
from snippets_mlir.runtime.engine.opening import open_session
def works():
    while not stop.is_set():
        if kind == 'run':
            check(shared, X @ X)
        elif kind == 'open':
            open_session(bytes_, threads)
        else:
            check(snippets_mlir.compile(model(), num_threads=threads), X @ X)
workers = [threading.Thread(target=works) for _ in range(2)]
for one in workers: one.start()
def calls():
    check(shared, X @ X)
    check(snippets_mlir.compile(model(2), num_threads=2), X @ X @ X)
codes = []
for trial in range(int(sys.argv[3])):
    time.sleep(0.01)
    codes.append(child(calls))
stop.set()
for one in workers: one.join()
print({*codes})
"""


def said_by(code: str, *arguments: str) -> str:
    """What a process prints that runs `code`; it has to end well."""
    environment = {**os.environ, "SNIPPETS_CACHE_DIR": ""}
    done = run_warm("-c", START + code, *arguments, env=environment, timeout=SECONDS)
    assert done.returncode == 0, done.stdout + done.stderr
    assert not done.stderr
    return done.stdout
