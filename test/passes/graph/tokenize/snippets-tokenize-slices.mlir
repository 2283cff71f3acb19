// RUN: snippets-opt %s -p snippets-tokenize | filecheck %s
// RUN: snippets-opt %s -p snippets-tokenize --explain-plan snippets-tokenize 2>&1 | filecheck %s --check-prefix=PLAN

// A slice of an input is read in the kernel of its reader.
// CHECK-LABEL: @neighbours
// CHECK-NEXT: snippets.subgraph
// CHECK-NEXT: snippets.slice
// CHECK-NEXT: snippets.slice
// CHECK-NEXT: snippets.subtract
func.func @neighbours(%x: tensor<9xf32>) -> tensor<8xf32> {
  %0 = snippets.slice %x {starts = array<i64: 1>, steps = array<i64: 1>} : (tensor<9xf32>) -> tensor<8xf32>
  %1 = snippets.slice %x {starts = array<i64: 0>, steps = array<i64: 1>} : (tensor<9xf32>) -> tensor<8xf32>
  %2 = snippets.subtract %0, %1 : tensor<8xf32>
  func.return %2 : tensor<8xf32>
}

// What a slice reads is not computed in its kernel (T6).
// CHECK-LABEL: @computed
// CHECK: snippets.subgraph
// CHECK: snippets.exp
// CHECK: snippets.subgraph
// CHECK: snippets.slice
// CHECK: snippets.abs
func.func @computed(%x: tensor<9xf32>) -> tensor<8xf32> {
  %0 = snippets.exp %x : tensor<9xf32>
  %1 = snippets.slice %0 {starts = array<i64: 1>, steps = array<i64: 1>} : (tensor<9xf32>) -> tensor<8xf32>
  %2 = snippets.abs %1 : tensor<8xf32>
  func.return %2 : tensor<8xf32>
}

// Slices that the caller alone reads are no kernel.
// CHECK-LABEL: @alone
// CHECK-NOT: snippets.subgraph
// CHECK: func.return
// PLAN: snippets.slice{{.*}}: a slice that no kernel reads is a view
func.func @alone(%x: tensor<9xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = snippets.slice %x {starts = array<i64: 1>, steps = array<i64: 1>} : (tensor<9xf32>) -> tensor<8xf32>
  %1 = snippets.slice %x {starts = array<i64: 0>, steps = array<i64: 1>} : (tensor<9xf32>) -> tensor<8xf32>
  func.return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

// A kernel copies a slice of what a kernel computes.
// CHECK-LABEL: @result
// CHECK: snippets.subgraph
// CHECK: snippets.exp
// CHECK: snippets.subgraph
// CHECK-NEXT: snippets.slice
// CHECK: func.return
func.func @result(%x: tensor<9xf32>) -> tensor<8xf32> {
  %0 = snippets.exp %x : tensor<9xf32>
  %1 = snippets.slice %0 {starts = array<i64: 1>, steps = array<i64: 1>} : (tensor<9xf32>) -> tensor<8xf32>
  func.return %1 : tensor<8xf32>
}

// So it does for a node that no kernel holds.
// CHECK-LABEL: @for_a_node
// CHECK: snippets.subgraph
// CHECK: snippets.exp
// CHECK: snippets.subgraph
// CHECK-NEXT: snippets.slice
// CHECK: onnx.node
func.func @for_a_node(%x: tensor<1x1x9x9xf32>) -> tensor<1x1x4x4xf32> {
  %0 = snippets.exp %x : tensor<1x1x9x9xf32>
  %1 = snippets.slice %0 {starts = array<i64: 0, 0, 0, 1>, steps = array<i64: 1, 1, 1, 1>} : (tensor<1x1x9x9xf32>) -> tensor<1x1x8x8xf32>
  %2 = onnx.node "MaxPool"(%1) {domain = "", version = 11 : i64} : (tensor<1x1x8x8xf32>) -> tensor<1x1x4x4xf32>
  func.return %2 : tensor<1x1x4x4xf32>
}

// Also where it does not know the result of the node.
// CHECK-LABEL: @node(
// CHECK: snippets.exp
// CHECK: snippets.subgraph
// CHECK-NEXT: snippets.slice
// CHECK-NEXT: snippets.yield
// CHECK: onnx.node
func.func @node(%x: tensor<9xf32>) -> tensor<?xi64> {
  %0 = snippets.exp %x : tensor<9xf32>
  %1 = snippets.slice %0 {starts = array<i64: 1>, steps = array<i64: 1>} : (tensor<9xf32>) -> tensor<8xf32>
  %2 = onnx.node "NonZero"(%1) {domain = "", version = 13 : i64} : (tensor<8xf32>) -> tensor<?xi64>
  func.return %2 : tensor<?xi64>
}

// Also beside the kernel of a product.
// CHECK-LABEL: @node_and_product
// CHECK: snippets.exp
// CHECK: snippets.subgraph
// CHECK-NEXT: snippets.slice
// CHECK-NEXT: snippets.yield
// CHECK: func.return
func.func @node_and_product(%x: tensor<9x9xf32>, %y: tensor<9x9xf32>) -> (tensor<2x?xi64>, tensor<8x9xf32>) {
  %0 = snippets.exp %x : tensor<9x9xf32>
  %1 = snippets.slice %0 {starts = array<i64: 1, 0>, steps = array<i64: 1, 1>} : (tensor<9x9xf32>) -> tensor<8x9xf32>
  %2 = onnx.node "NonZero"(%1) {domain = "", version = 13 : i64} : (tensor<8x9xf32>) -> tensor<2x?xi64>
  %3 = snippets.matmul %1, %y : (tensor<8x9xf32>, tensor<9x9xf32>) -> tensor<8x9xf32>
  func.return %2, %3 : tensor<2x?xi64>, tensor<8x9xf32>
}

// A product reads whole operands: a kernel of its own copies the slice.
// CHECK-LABEL: @product
// CHECK-NEXT: snippets.subgraph
// CHECK-NEXT: snippets.slice
// CHECK-NEXT: snippets.yield
// CHECK-NEXT: }
// CHECK-NEXT: snippets.subgraph
// CHECK-NEXT: snippets.matmul
func.func @product(%x: tensor<9x9xf32>, %y: tensor<9x9xf32>) -> tensor<8x9xf32> {
  %0 = snippets.slice %x {starts = array<i64: 1, 0>, steps = array<i64: 1, 1>} : (tensor<9x9xf32>) -> tensor<8x9xf32>
  %1 = snippets.matmul %0, %y : (tensor<8x9xf32>, tensor<9x9xf32>) -> tensor<8x9xf32>
  func.return %1 : tensor<8x9xf32>
}

// The sizes of what is sliced have to be known.
// CHECK-LABEL: @dynamic
// CHECK-NEXT: snippets.slice
func.func @dynamic(%x: tensor<?xf32>) -> tensor<8xf32> {
  %0 = snippets.slice %x {starts = array<i64: 1>, steps = array<i64: 1>} : (tensor<?xf32>) -> tensor<8xf32>
  %1 = snippets.abs %0 : tensor<8xf32>
  func.return %1 : tensor<8xf32>
}
