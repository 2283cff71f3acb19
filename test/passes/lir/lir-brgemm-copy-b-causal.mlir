// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx2 threads=2},snippets-to-lir,lir-optimize-domain,lir-mark-loops,lir-reduce-decomposition,lir-fuse-loops,lir-split-loops,lir-extract-loop-invariants,lir-brgemm-row-blocks,lir-brgemm-blocking,lir-brgemm-copy-b' --split-input-file | filecheck %s

// The values of a head are copied once for all blocks of rows: all of them, since each block ends at
// a diagonal of its own.
// CHECK-LABEL: lir.kernel
// CHECK-SAME: #lir.loop<[[T:[0-9]+]], work 256, inc 1, dim 1>, #lir.loop<[[B:[0-9]+]], work 16, inc 8, dim 0, inner of [[W:[0-9]+]]>] {
// CHECK: lir.brgemm_copy_b {{.*}} {lir.loops = array<i64: 0, [[W]], [[T]], [[B]]>
func.func @once(%q: tensor<4x256x64xf32>, %k: tensor<4x256x64xf32>, %v: tensor<4x256x32xf32>, %m: tensor<256x256xf32>) -> tensor<4x256x32xf32> {
  %0 = snippets.matmul %q, %k {transpose_b, snippets.diagonal = 0 : i64} : (tensor<4x256x64xf32>, tensor<4x256x64xf32>) -> tensor<4x256x256xf32>
  %1 = snippets.add %0, %m : (tensor<4x256x256xf32>, tensor<256x256xf32>) -> tensor<4x256x256xf32>
  %2 = snippets.softmax %1 {axis = 2 : i64} : tensor<4x256x256xf32>
  %3 = snippets.matmul %2, %v : (tensor<4x256x256xf32>, tensor<4x256x32xf32>) -> tensor<4x256x32xf32>
  func.return %3 : tensor<4x256x32xf32>
}

// -----

// Threads share the blocks of three heads, and each copies what its block reads: up to the diagonal.
// CHECK-LABEL: lir.kernel
// CHECK-NOT: work 256, inc 1, dim 1>
func.func @each(%q: tensor<3x256x64xf32>, %k: tensor<3x256x64xf32>, %v: tensor<3x256x32xf32>, %m: tensor<256x256xf32>) -> tensor<3x256x32xf32> {
  %0 = snippets.matmul %q, %k {transpose_b, snippets.diagonal = 0 : i64} : (tensor<3x256x64xf32>, tensor<3x256x64xf32>) -> tensor<3x256x256xf32>
  %1 = snippets.add %0, %m : (tensor<3x256x256xf32>, tensor<256x256xf32>) -> tensor<3x256x256xf32>
  %2 = snippets.softmax %1 {axis = 2 : i64} : tensor<3x256x256xf32>
  %3 = snippets.matmul %2, %v : (tensor<3x256x256xf32>, tensor<3x256x32xf32>) -> tensor<3x256x32xf32>
  func.return %3 : tensor<3x256x32xf32>
}
