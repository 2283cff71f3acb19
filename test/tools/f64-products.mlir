// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx512},snippets-to-llvm' -t asm | filecheck %s

// Sixteen numbers of eight bytes are two registers of 64 bytes each, not four of 32.
// CHECK-LABEL: subgraph_0
// CHECK-NOT: vfmadd{{.*}}%ymm
// CHECK: vfmadd{{.*}}%zmm
// CHECK-NOT: vfmadd{{.*}}%ymm
func.func @main(%x: tensor<48x64xf64>, %w: tensor<64x64xf64>) -> tensor<48x64xf64> {
  %0 = snippets.matmul %x, %w : (tensor<48x64xf64>, tensor<64x64xf64>) -> tensor<48x64xf64>
  func.return %0 : tensor<48x64xf64>
}
