// The parts of an output: stores at their offsets, with its strides.
// RUN: snippets-opt %s -p snippets-tokenize-concats,convert-snippets-to-lir,lir-optimize-domain --split-input-file | filecheck %s
// RUN: snippets-opt %s -p snippets-set-target{target=generic},snippets-tokenize-concats,convert-snippets-to-lir,lir-optimize-domain,lir-mark-loops,lir-fuse-loops,lir-insert-load-store --split-input-file | filecheck %s --check-prefix=STORE
// RUN: snippets-opt %s -p snippets-to-llvm --check-each --split-input-file -o %t.out

// Columns: the parts share the loop over rows, which threads share.
// CHECK: lir.part %{{.*}} {offset = 0 : i64
// CHECK-NEXT: lir.part %{{.*}} {offset = 24 : i64
// CHECK-NEXT: lir.result {{.*}} [#lir.port<[3, 24], strides [44, 1]>, #lir.port<[3, 20], strides [44, 1]>]
// STORE: loops [#lir.loop<0, work 3, inc 1, dim 1, parallel>, #lir.loop<1, work 24, {{.*}}>, #lir.loop<2, work 20, {{.*}}>]
// STORE: lir.store {{.*}} lir.loops = array<i64: 0, 1>, lir.ports = [#lir.port<[3, 24], {{.*}}>, #lir.port<[3, 24], strides [44, 1], {{.*}}>]} : (tensor<3x6x4xf32>) -> tensor<3x11x4xf32>
// STORE: lir.store {{.*}} offset = 24 : i64, lir.loops = array<i64: 0, 2>
func.func @main(%x: tensor<3x6x4xf32>, %y: tensor<3x5x4xf32>) -> tensor<3x11x4xf32> {
  %0 = snippets.abs %x : tensor<3x6x4xf32>
  %1 = snippets.concat %0, %y {axis = 1 : i64} : (tensor<3x6x4xf32>, tensor<3x5x4xf32>) -> tensor<3x11x4xf32>
  func.return %1 : tensor<3x11x4xf32>
}

// -----

// A row, and rows that read the same value: what is stored runs in loops of its own sizes, though
// the value broadcasts (F10).
// STORE: loops [#lir.loop<0, work 1, inc 1, dim 1>, #lir.loop<1, work 8, {{.*}}>, #lir.loop<2, work 5, inc 1, dim 1>, #lir.loop<3, work 8, {{.*}}>]
// STORE: snippets.multiply {{.*}} {lir.loops = array<i64: 0, 1>
// STORE: snippets.multiply {{.*}} {lir.loops = array<i64: 2, 3>
// STORE: lir.result
func.func @main(%x: tensor<1x8xf32>, %y: tensor<5x8xf32>) -> tensor<6x8xf32> {
  %0 = snippets.exp %x : tensor<1x8xf32>
  %1 = snippets.multiply %0, %x : tensor<1x8xf32>
  %2 = snippets.multiply %0, %y : (tensor<1x8xf32>, tensor<5x8xf32>) -> tensor<5x8xf32>
  %3 = snippets.concat %1, %2 {axis = 0 : i64} : (tensor<1x8xf32>, tensor<5x8xf32>) -> tensor<6x8xf32>
  func.return %3 : tensor<6x8xf32>
}
