// RUN: snippets-opt %s -p snippets-unfuse-unlowerable --verify-each --split-input-file | filecheck %s
// RUN: not snippets-opt %s -p 'snippets-unfuse-unlowerable,convert-snippets-to-lir' --split-input-file 2>&1 | filecheck %s --check-prefix=ERROR

// An op without a kernel of its own: the whole stays, and the conversion says where the fault is.
// CHECK-LABEL: func.func @not_decomposed(
// CHECK-NEXT: snippets.subgraph
// CHECK-NEXT: snippets.exp
// CHECK-NEXT: snippets.softmax
// CHECK-NEXT: snippets.yield
// ERROR: snippets-unfuse-unlowerable-rejects.mlir:14:5: error: K1: snippets.softmax is not decomposed
func.func @not_decomposed(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = snippets.subgraph (%a = %x) : (tensor<4x8xf32>) -> tensor<4x8xf32> {
    %1 = snippets.exp %a : tensor<4x8xf32>
    %2 = snippets.softmax %1 {axis = 1 : i64} : tensor<4x8xf32>
    snippets.yield %2 : tensor<4x8xf32>
  }
  func.return %0 : tensor<4x8xf32>
}

// -----

// CHECK-LABEL: func.func @dynamic(
// CHECK-NEXT: snippets.subgraph
// CHECK-NEXT: snippets.exp
// CHECK-NEXT: snippets.transpose
// CHECK-NEXT: snippets.yield
// ERROR: error: K2: snippets.exp has dynamic dims
func.func @dynamic(%x: tensor<?x8xf32>) -> tensor<8x?xf32> {
  %0 = snippets.subgraph (%a = %x) : (tensor<?x8xf32>) -> tensor<8x?xf32> {
    %1 = snippets.exp %a : tensor<?x8xf32>
    %2 = snippets.transpose %1 {permutation = array<i64: 1, 0>} : (tensor<?x8xf32>) -> tensor<8x?xf32>
    snippets.yield %2 : tensor<8x?xf32>
  }
  func.return %0 : tensor<8x?xf32>
}
