// RUN: snippets-opt %S/../../docs/examples/mlp.onnx | filecheck %s
// RUN: snippets-opt %S/../../docs/examples/mlp.onnx | snippets-opt - | filecheck %s
// RUN: echo nonsense > %t.onnx && not snippets-opt %t.onnx 2>&1 | filecheck %s --check-prefix NONSENSE
// RUN: touch %t.empty.onnx && not snippets-opt %t.empty.onnx 2>&1 | filecheck %s --check-prefix EMPTY
// RUN: not snippets-opt -f onnx - < %s 2>&1 | filecheck %s --check-prefix STDIN
// RUN: not snippets-opt %S/inputs/missing.onnx 2>&1 | filecheck %s --check-prefix MISSING

// CHECK:     builtin.module
// CHECK:       func.func @main
// CHECK:       snippets.matmul

// NONSENSE:  error:
// NONSENSE-NOT: Traceback
// EMPTY:     error:
// EMPTY-NOT: Traceback
// STDIN:     error: an ONNX model has to be a file, it may refer to files beside it
// MISSING:   error: cannot read '{{.*}}missing.onnx': No such file or directory
