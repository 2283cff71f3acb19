// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx512},convert-snippets-to-lir,lir-mark-loops,lir-fuse-loops,lir-insert-load-store,lir-init-loops,lir-insert-loops,lir-insert-specific-iterations,convert-lir-to-vector' | filecheck %s --check-prefix=PERMUTES
// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx2},convert-snippets-to-lir,lir-mark-loops,lir-fuse-loops,lir-insert-load-store,lir-init-loops,lir-insert-loops,lir-insert-specific-iterations,convert-lir-to-vector' | filecheck %s --check-prefix=GATHERS

// A table of 32 f32 that wraps is looked up by one instruction on AVX-512, any other is gathered.
// PERMUTES: func.func private @subgraph_0.body
// PERMUTES-DAG: [[LOW:%[0-9]+]] = arith.constant dense<[0.000000e+00, 1.000000e+00, 2.000000e+00, {{.*}}, 1.500000e+01]> : vector<16xf32>
// PERMUTES-DAG: [[HIGH:%[0-9]+]] = arith.constant dense<[1.600000e+01, {{.*}}, 3.100000e+01]> : vector<16xf32>
// PERMUTES: llvm.call_intrinsic "llvm.x86.avx512.vpermi2var.ps.512"([[LOW]], [[INDEX:%[0-9]+]], [[HIGH]])
// PERMUTES: arith.andi [[INDEX]]
// PERMUTES: llvm.intr.masked.gather
// PERMUTES: arith.maxsi [[INDEX]]
// PERMUTES: llvm.intr.masked.gather

// GATHERS: func.func private @subgraph_0.body
// GATHERS-NOT: vpermi2var
// GATHERS: arith.andi
// GATHERS: llvm.intr.masked.gather
// GATHERS: arith.andi
// GATHERS: llvm.intr.masked.gather
// GATHERS: arith.maxsi
// GATHERS: llvm.intr.masked.gather
// GATHERS-NOT: vpermi2var
func.func @main(%n: tensor<32xi32>) -> (tensor<32xf32>, tensor<32xf32>, tensor<32xf32>) {
  %r:3 = snippets.subgraph (%i = %n) : (tensor<32xi32>) -> (tensor<32xf32>, tensor<32xf32>, tensor<32xf32>) {
    %0 = snippets.lookup %i {table = dense<[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0, 16.0, 17.0, 18.0, 19.0, 20.0, 21.0, 22.0, 23.0, 24.0, 25.0, 26.0, 27.0, 28.0, 29.0, 30.0, 31.0]> : tensor<32xf32>, wraps} : (tensor<32xi32>) -> tensor<32xf32>
    %1 = snippets.lookup %i {table = dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>, wraps} : (tensor<32xi32>) -> tensor<32xf32>
    %2 = snippets.lookup %i {table = dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>} : (tensor<32xi32>) -> tensor<32xf32>
    snippets.yield %0, %1, %2 : tensor<32xf32>, tensor<32xf32>, tensor<32xf32>
  }
  func.return %r#0, %r#1, %r#2 : tensor<32xf32>, tensor<32xf32>, tensor<32xf32>
}
