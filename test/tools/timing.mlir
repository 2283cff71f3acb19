// RUN: snippets-opt %s -p canonicalize,cse --mlir-timing -o %t 2>&1 | filecheck %s
// RUN: snippets-opt %s -p canonicalize --time-passes 2>/dev/null | filecheck %s --check-prefix STDOUT

func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  func.return %x : tensor<4xf32>
}

// CHECK:      ... Execution time report ...
// CHECK:      Total Execution Time: {{[0-9.]+}} seconds
// CHECK:      ----Wall Time----  ----Name----
// CHECK-NEXT: {{[0-9.]+ \( *[0-9.]+%\)}}  Parser
// CHECK-NEXT: {{[0-9.]+ \( *[0-9.]+%\)}}  canonicalize
// CHECK-NEXT: {{[0-9.]+ \( *[0-9.]+%\)}}  cse
// CHECK-NEXT: {{[0-9.]+ \( *[0-9.]+%\)}}  Output
// CHECK-NEXT: {{[0-9.]+}} (100.0%)  Total

// STDOUT-NOT: Execution time
// STDOUT:     builtin.module
// STDOUT-NOT: Execution time
