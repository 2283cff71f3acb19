// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx2 math=fast},convert-snippets-to-lir,lir-mark-loops,lir-fuse-loops,lir-insert-load-store,lir-init-loops,lir-insert-loops,lir-expand-math' | filecheck %s --check-prefix=FAST
// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx2},convert-snippets-to-lir,lir-mark-loops,lir-fuse-loops,lir-insert-load-store,lir-init-loops,lir-insert-loops,lir-expand-math' | filecheck %s --check-prefix=ACCURATE
// RUN: snippets-opt %s -p 'snippets-set-target{target=generic math=fast},convert-snippets-to-lir,lir-mark-loops,lir-fuse-loops,lir-insert-load-store,lir-init-loops,lir-insert-loops,lir-expand-math' | filecheck %s --check-prefix=NOFMA

// The fast form of exp multiplies by one power of two, the accurate one twice by the same; without a
// fused multiply-add there is no fast form.
// FAST: snippets.math = "fast"
// FAST: lir.loop_begin 0
// FAST: snippets.bitwise_left_shift
// FAST-NEXT: [[POWER:%[0-9]+]] = snippets.bitcast
// FAST-NEXT: snippets.multiply {{.*}}[[POWER]]
// FAST-NOT: snippets.multiply
// FAST: lir.store

// ACCURATE-NOT: snippets.math
// ACCURATE: snippets.bitwise_left_shift
// ACCURATE-NEXT: [[POWER:%[0-9]+]] = snippets.bitcast
// ACCURATE: snippets.multiply {{.*}}[[POWER]]
// ACCURATE-NEXT: snippets.multiply {{.*}}[[POWER]]
// ACCURATE-NEXT: snippets.select
// ACCURATE-NEXT: lir.store

// NOFMA: snippets.math = "fast"
// NOFMA: snippets.bitwise_right_shift
// NOFMA: lir.store
func.func @main(%x: tensor<16xf32>) -> tensor<16xf32> {
  %r = snippets.subgraph (%a = %x) : (tensor<16xf32>) -> tensor<16xf32> {
    %0 = snippets.exp %a : tensor<16xf32>
    snippets.yield %0 : tensor<16xf32>
  }
  func.return %r : tensor<16xf32>
}
