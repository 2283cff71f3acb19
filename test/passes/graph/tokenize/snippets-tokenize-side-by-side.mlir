// RUN: snippets-opt %s -p snippets-tokenize --verify-each | filecheck %s
// RUN: snippets-opt %s -p snippets-tokenize --explain=snippets-tokenize -o /dev/null 2>&1 | filecheck %s --check-prefix=PLAN

// Products of one left operand with constants of one type are one kernel.

// The gate of a gated MLP, and what it multiplies.
// PLAN: subgraph of snippets.matmul %g, snippets.swish, snippets.matmul %u, snippets.multiply
// CHECK-LABEL: func.func @gate_and_up(
// CHECK: %{{.*}} = snippets.subgraph (%x_1 = %x, %{{.*}} = %w, %{{.*}} = %v)
// CHECK-NEXT: %{{.*}} = snippets.matmul
// CHECK-NEXT: %{{.*}} = snippets.swish
// CHECK-NEXT: %{{.*}} = snippets.matmul
// CHECK-NEXT: %{{.*}} = snippets.multiply
// CHECK-NEXT: snippets.yield
// CHECK-NEXT: }
// CHECK-NEXT: func.return
func.func @gate_and_up(%x: tensor<4x8xf32>) -> tensor<4x6xf32> {
  %w = snippets.constant dense<1.0> : tensor<8x6xf32>
  %v = snippets.constant dense<2.0> : tensor<8x6xf32>
  %g = snippets.matmul %x, %w : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %0 = snippets.swish %g : tensor<4x6xf32>
  %u = snippets.matmul %x, %v : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %1 = snippets.multiply %0, %u : tensor<4x6xf32>
  func.return %1 : tensor<4x6xf32>
}

// A value that is read elsewhere, too, is a result of the kernel.
// CHECK-LABEL: func.func @gate_is_read(
// CHECK: %{{.*}}, %{{.*}} = snippets.subgraph
// CHECK: snippets.yield %{{.*}}, %{{.*}} :
// CHECK-NEXT: }
// CHECK-NEXT: func.return
func.func @gate_is_read(%x: tensor<4x8xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>) {
  %w = snippets.constant dense<1.0> : tensor<8x6xf32>
  %v = snippets.constant dense<2.0> : tensor<8x6xf32>
  %g = snippets.matmul %x, %w : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %0 = snippets.sigmoid %g : tensor<4x6xf32>
  %u = snippets.matmul %x, %v : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %1 = snippets.multiply %0, %u : tensor<4x6xf32>
  func.return %1, %0 : tensor<4x6xf32>, tensor<4x6xf32>
}

// Queries, keys and values, with biases: nothing leads from one to another.
// CHECK-LABEL: func.func @queries_keys_values(
// CHECK: %{{.*}}, %{{.*}}, %{{.*}} = snippets.subgraph
// CHECK-COUNT-3: snippets.matmul
// CHECK: snippets.yield %{{.*}}, %{{.*}}, %{{.*}} :
// CHECK-NEXT: }
// CHECK-NEXT: func.return
func.func @queries_keys_values(%x: tensor<2x4x8xf32>, %b: tensor<6xf32>) -> (tensor<2x4x6xf32>, tensor<2x4x6xf32>, tensor<2x4x6xf32>) {
  %w = snippets.constant dense<1.0> : tensor<8x6xf32>
  %v = snippets.constant dense<2.0> : tensor<8x6xf32>
  %u = snippets.constant dense<3.0> : tensor<8x6xf32>
  %q = snippets.matmul %x, %w : (tensor<2x4x8xf32>, tensor<8x6xf32>) -> tensor<2x4x6xf32>
  %0 = snippets.add %q, %b : (tensor<2x4x6xf32>, tensor<6xf32>) -> tensor<2x4x6xf32>
  %k = snippets.matmul %x, %v : (tensor<2x4x8xf32>, tensor<8x6xf32>) -> tensor<2x4x6xf32>
  %1 = snippets.add %k, %b : (tensor<2x4x6xf32>, tensor<6xf32>) -> tensor<2x4x6xf32>
  %2 = snippets.matmul %x, %u : (tensor<2x4x8xf32>, tensor<8x6xf32>) -> tensor<2x4x6xf32>
  func.return %0, %1, %2 : tensor<2x4x6xf32>, tensor<2x4x6xf32>, tensor<2x4x6xf32>
}

// Grouped queries: those of keys and values are one, that of the queries has other columns.
// CHECK-LABEL: func.func @grouped_queries(
// CHECK: %{{.*}} = snippets.subgraph
// CHECK-NEXT: %{{.*}} = snippets.matmul
// CHECK-NEXT: snippets.yield
// CHECK: %{{.*}}, %{{.*}} = snippets.subgraph
// CHECK-NEXT: %{{.*}} = snippets.matmul
// CHECK-NEXT: %{{.*}} = snippets.matmul
// CHECK-NEXT: snippets.yield
func.func @grouped_queries(%x: tensor<4x8xf32>) -> (tensor<4x24xf32>, tensor<4x6xf32>, tensor<4x6xf32>) {
  %w = snippets.constant dense<1.0> : tensor<8x24xf32>
  %v = snippets.constant dense<2.0> : tensor<8x6xf32>
  %u = snippets.constant dense<3.0> : tensor<8x6xf32>
  %q = snippets.matmul %x, %w : (tensor<4x8xf32>, tensor<8x24xf32>) -> tensor<4x24xf32>
  %k = snippets.matmul %x, %v : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %2 = snippets.matmul %x, %u : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  func.return %q, %k, %2 : tensor<4x24xf32>, tensor<4x6xf32>, tensor<4x6xf32>
}

// Twins. Weights that are no constants are not packed: two kernels.
// CHECK-LABEL: func.func @variable(
// CHECK-COUNT-2: = snippets.subgraph
// CHECK-NOT: snippets.subgraph
// CHECK: func.return
func.func @variable(%x: tensor<4x8xf32>, %v: tensor<8x6xf32>) -> tensor<4x6xf32> {
  %w = snippets.constant dense<1.0> : tensor<8x6xf32>
  %g = snippets.matmul %x, %w : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %0 = snippets.swish %g : tensor<4x6xf32>
  %u = snippets.matmul %x, %v : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %1 = snippets.multiply %0, %u : tensor<4x6xf32>
  func.return %1 : tensor<4x6xf32>
}

// Two left operands.
// CHECK-LABEL: func.func @two_inputs(
// CHECK-COUNT-2: = snippets.subgraph
// CHECK-NOT: snippets.subgraph
// CHECK: func.return
func.func @two_inputs(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> tensor<4x6xf32> {
  %w = snippets.constant dense<1.0> : tensor<8x6xf32>
  %v = snippets.constant dense<2.0> : tensor<8x6xf32>
  %g = snippets.matmul %x, %w : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %u = snippets.matmul %y, %v : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %1 = snippets.multiply %g, %u : tensor<4x6xf32>
  func.return %1 : tensor<4x6xf32>
}

// The columns of one lie side by side, those of the other one do not.
// CHECK-LABEL: func.func @one_transposed(
// CHECK-COUNT-2: = snippets.subgraph
// CHECK-NOT: snippets.subgraph
// CHECK: func.return
func.func @one_transposed(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %w = snippets.constant dense<1.0> : tensor<6x6xf32>
  %v = snippets.constant dense<2.0> : tensor<6x6xf32>
  %g = snippets.matmul %x, %w : (tensor<4x6xf32>, tensor<6x6xf32>) -> tensor<4x6xf32>
  %u = snippets.matmul %x, %v {transpose_b} : (tensor<4x6xf32>, tensor<6x6xf32>) -> tensor<4x6xf32>
  %1 = snippets.multiply %g, %u : tensor<4x6xf32>
  func.return %1 : tensor<4x6xf32>
}

// What is between them is computed outside: one kernel would have to run before and after it (T1).
// CHECK-LABEL: func.func @one_after_the_other(
// CHECK-COUNT-3: = snippets.subgraph
// CHECK-NOT: snippets.subgraph
// CHECK: func.return
func.func @one_after_the_other(%x: tensor<4x8xf32>) -> tensor<4x6xf32> {
  %w = snippets.constant dense<1.0> : tensor<8x6xf32>
  %v = snippets.constant dense<2.0> : tensor<8x6xf32>
  %g = snippets.matmul %x, %w : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %s = snippets.reduce_sum %g {axes = array<i64: 1>, keep_dims} : (tensor<4x6xf32>) -> tensor<4x1xf32>
  %u = snippets.matmul %x, %v : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %1 = snippets.multiply %u, %s : (tensor<4x6xf32>, tensor<4x1xf32>) -> tensor<4x6xf32>
  func.return %1 : tensor<4x6xf32>
}

// Three are the most: the fourth is a kernel of its own.
// CHECK-LABEL: func.func @four(
// CHECK: %{{.*}}, %{{.*}}, %{{.*}} = snippets.subgraph
// CHECK: %{{.*}} = snippets.subgraph
// CHECK-NEXT: %{{.*}} = snippets.matmul
// CHECK-NEXT: snippets.yield
func.func @four(%x: tensor<4x8xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>) {
  %w = snippets.constant dense<1.0> : tensor<8x6xf32>
  %v = snippets.constant dense<2.0> : tensor<8x6xf32>
  %u = snippets.constant dense<3.0> : tensor<8x6xf32>
  %t = snippets.constant dense<4.0> : tensor<8x6xf32>
  %0 = snippets.matmul %x, %w : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %1 = snippets.matmul %x, %v : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %2 = snippets.matmul %x, %u : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %3 = snippets.matmul %x, %t : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  func.return %0, %1, %2, %3 : tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>
}
