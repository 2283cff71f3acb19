// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx512 threads=2},snippets-to-lir,lir-optimize-domain,lir-mark-loops,lir-reduce-decomposition,lir-fuse-loops,lir-split-loops,lir-extract-loop-invariants,lir-brgemm-row-blocks,lir-brgemm-blocking,lir-brgemm-copy-b' --symbols --verify-each --split-input-file --explain=lir-brgemm-copy-b 2> %t.plan | filecheck %s
// RUN: filecheck %s --check-prefix=PLAN --input-file=%t.plan

// A call decides how many keys there are: they are copied once for all blocks of rows. The last panel
// of the buffer may be a part of one.
// PLAN: transposed, panels of [[W:[0-9]+]] columns, once outside of loop 1{{$}}
// CHECK-LABEL: lir.kernel
// CHECK: lir.brgemm_copy_b {{.*}} {lir.loops = array<i64: 0, {{[0-9]+, [0-9]+, [0-9]+}}>, lir.ports = [#lir.port<[4, 1, 64, ?0], layout [0, 3, 1, 2], sub [16]>, #lir.port<[4, 1, 64, ?0], panels 48, sub [16]>]}
func.func @keys(%q: tensor<4x256x64xf32>, %k: tensor<4x?x64xf32>, %v: tensor<4x?x32xf32>) -> tensor<4x256x32xf32> {
  %0 = snippets.matmul %q, %k {transpose_b} : (tensor<4x256x64xf32>, tensor<4x?x64xf32>) -> tensor<4x256x?xf32>
  %1 = snippets.softmax %0 {axis = 2 : i64} : tensor<4x256x?xf32>
  %2 = snippets.matmul %1, %v : (tensor<4x256x?xf32>, tensor<4x?x32xf32>) -> tensor<4x256x32xf32>
  func.return %2 : tensor<4x256x32xf32>
}

// -----

// All numbers of keys in the range fit half of the second-level cache.
// PLAN: transposed, panels of {{[0-9]+}} columns, once outside of loop 1{{$}}
// CHECK-LABEL: lir.kernel
module attributes {snippets.size_ranges = [[#snippets.size<?0 : i64>, 0 : i64, 2049 : i64]]} {
  func.func @keys(%q: tensor<4x256x64xf32>, %k: tensor<4x?x64xf32, #lir.sizes<?0>>, %v: tensor<4x?x32xf32, #lir.sizes<?0>>) -> tensor<4x256x32xf32> {
    %0 = snippets.matmul %q, %k {transpose_b} : (tensor<4x256x64xf32>, tensor<4x?x64xf32, #lir.sizes<?0>>) -> tensor<4x256x?xf32, #lir.sizes<?0>>
    %1 = snippets.softmax %0 {axis = 2 : i64} : tensor<4x256x?xf32, #lir.sizes<?0>>
    %2 = snippets.matmul %1, %v : (tensor<4x256x?xf32, #lir.sizes<?0>>, tensor<4x?x32xf32, #lir.sizes<?0>>) -> tensor<4x256x32xf32>
    func.return %2 : tensor<4x256x32xf32>
  }
}

// -----

// Does not fire: they do not.
// PLAN: transposed, panels of {{[0-9]+}} columns{{$}}
// CHECK-LABEL: lir.kernel
module attributes {snippets.size_ranges = [[#snippets.size<?0 : i64>, 2049 : i64]]} {
  func.func @keys(%q: tensor<4x256x64xf32>, %k: tensor<4x?x64xf32, #lir.sizes<?0>>, %v: tensor<4x?x32xf32, #lir.sizes<?0>>) -> tensor<4x256x32xf32> {
    %0 = snippets.matmul %q, %k {transpose_b} : (tensor<4x256x64xf32>, tensor<4x?x64xf32, #lir.sizes<?0>>) -> tensor<4x256x?xf32, #lir.sizes<?0>>
    %1 = snippets.softmax %0 {axis = 2 : i64} : tensor<4x256x?xf32, #lir.sizes<?0>>
    %2 = snippets.matmul %1, %v : (tensor<4x256x?xf32, #lir.sizes<?0>>, tensor<4x?x32xf32, #lir.sizes<?0>>) -> tensor<4x256x32xf32>
    func.return %2 : tensor<4x256x32xf32>
  }
}

// -----

// Does not fire: the copy of 256 terms would be larger than the scores of a block of 128 rows.
// PLAN: transposed, panels of {{[0-9]+}} columns{{$}}
// CHECK-LABEL: lir.kernel
// CHECK-NOT: panels
func.func @wide(%q: tensor<4x256x256xf32>, %k: tensor<4x?x256xf32>, %v: tensor<4x?x32xf32>) -> tensor<4x256x32xf32> {
  %0 = snippets.matmul %q, %k {transpose_b} : (tensor<4x256x256xf32>, tensor<4x?x256xf32>) -> tensor<4x256x?xf32>
  %1 = snippets.softmax %0 {axis = 2 : i64} : tensor<4x256x?xf32>
  %2 = snippets.matmul %1, %v : (tensor<4x256x?xf32>, tensor<4x?x32xf32>) -> tensor<4x256x32xf32>
  func.return %2 : tensor<4x256x32xf32>
}
