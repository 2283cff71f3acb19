// A machine without conversions of f16 converts it by arithmetic on bits.

// RUN: snippets-opt %s -p 'snippets-set-target{target=generic},snippets-propagate-precision,snippets-to-lir,lir-to-vector' | filecheck %s
// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx2},snippets-propagate-precision,snippets-to-lir,lir-to-vector' | filecheck %s --check-prefix=AVX2

// CHECK-LABEL: func.func{{.*}} @subgraph_0.body
// CHECK-NOT: arith.extf
// CHECK: llvm.load {{.*}} -> vector<4xi16>
// CHECK: arith.extui {{.*}} : vector<4xi16> to vector<4xi32>
// CHECK: arith.select
// CHECK: arith.addf {{.*}} : vector<4xf32>
// CHECK-NOT: arith.truncf
// CHECK: arith.trunci {{.*}} : vector<4xi32> to vector<4xi16>
// CHECK: llvm.store

// AVX2-LABEL: func.func{{.*}} @subgraph_0.body
// AVX2: arith.extf
// AVX2-NOT: arith.extui
// AVX2: arith.truncf
func.func @half(%x: tensor<16xf16>) -> tensor<16xf16> {
  %r = snippets.subgraph (%a = %x) : (tensor<16xf16>) -> tensor<16xf16> {
    %0 = snippets.add %a, %a : tensor<16xf16>
    snippets.yield %0 : tensor<16xf16>
  }
  func.return %r : tensor<16xf16>
}
