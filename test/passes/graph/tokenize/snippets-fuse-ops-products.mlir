// RUN: snippets-opt %s -p snippets-fuse-ops,snippets-unwrap-uncompilable --verify-each | filecheck %s

// A product and what reads it element by element are one kOutEWiseFusable group, and one kernel.

// CHECK-LABEL: func.func @epilogue(
// CHECK-NEXT: %{{.*}} = snippets.subgraph {{.*}} {primitive, sym_name = "fused_matmul_add_tanh"} {
// CHECK-NEXT: %{{.*}} = snippets.matmul
// CHECK-NEXT: %{{.*}} = snippets.add
// CHECK-NEXT: %{{.*}} = snippets.tanh
// CHECK-NEXT: snippets.yield
func.func @epilogue(%x: tensor<12x64xf32>, %w: tensor<64x96xf32>, %b: tensor<96xf32>) -> tensor<12x96xf32> {
  %0 = snippets.matmul %x, %w : (tensor<12x64xf32>, tensor<64x96xf32>) -> tensor<12x96xf32>
  %1 = snippets.add %0, %b : (tensor<12x96xf32>, tensor<96xf32>) -> tensor<12x96xf32>
  %2 = snippets.tanh %1 : tensor<12x96xf32>
  func.return %2 : tensor<12x96xf32>
}

// No kernel holds this one: the group is taken apart, and says why.

// CHECK-LABEL: func.func @integers(
// CHECK-NEXT: snippets.matmul {{.*}}snippets.reason = "{{.*}}P1: no kernel holds a matrix product of i32"
// CHECK-NEXT: %{{.*}} = snippets.add
// CHECK-NEXT: func.return
func.func @integers(%x: tensor<12x64xi32>, %w: tensor<64x96xi32>, %b: tensor<96xi32>) -> tensor<12x96xi32> {
  %0 = snippets.matmul %x, %w : (tensor<12x64xi32>, tensor<64x96xi32>) -> tensor<12x96xi32>
  %1 = snippets.add %0, %b : (tensor<12x96xi32>, tensor<96xi32>) -> tensor<12x96xi32>
  func.return %1 : tensor<12x96xi32>
}
