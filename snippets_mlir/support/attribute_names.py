"""Names of discardable attributes that one part of the compiler writes and others read.

module attributes {snippets.threads = 2 : i64} {
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
%0 = snippets.tanh %x {snippets.skipped = "onnxruntime is forced"} : tensor<4xf32>
"""

THREADS = "snippets.threads"
"""On a module: the number of threads that its kernels may use."""
MAX_THREADS = 1024
"""The largest such number."""
MANIFEST = "snippets.manifest"
"""On a module: the manifest of its program, as JSON, in place of the graph."""
KERNEL = "snippets.kernel"
"""On a function: it is a kernel, with these facts."""
SKIPPED = "snippets.skipped"
"""On an op: no kernel may contain it, for this reason."""
REASON = "snippets.reason"
"""On an op: why no kernel contains it."""
C_INTERFACE = "llvm.emit_c_interface"
"""On a function: external callers find it by a name with this prefix, and pass descriptors."""
C_INTERFACE_PREFIX = "_mlir_ciface_"
NO_ALIAS = "llvm.noalias"
"""On an argument: it shares no memory with other arguments."""
