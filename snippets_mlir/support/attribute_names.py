"""Names of discardable attributes that one part of the compiler writes and others read.

module attributes {snippets.threads = 2 : i64} {
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
%0 = snippets.tanh %x {snippets.skipped = "onnxruntime is forced"} : tensor<4xf32>
"""

THREADS = "snippets.threads"
"""Of a module: how many threads its kernels may use."""
MAX_THREADS = 1024
"""The largest such number."""
MANIFEST = "snippets.manifest"
"""Of a module: the manifest of its program, as JSON, in place of the graph."""
KERNEL = "snippets.kernel"
"""Of a function: it is a kernel, with these facts."""
SKIPPED = "snippets.skipped"
"""Of an op: it may be in no kernel, for this reason."""
REASON = "snippets.reason"
"""Of an op: why it is in no kernel."""
C_INTERFACE = "llvm.emit_c_interface"
"""Of a function: callers outside find it by a name with this prefix, and pass descriptors."""
C_INTERFACE_PREFIX = "_mlir_ciface_"
NO_ALIAS = "llvm.noalias"
"""Of an argument: no other argument has memory in common with it."""
