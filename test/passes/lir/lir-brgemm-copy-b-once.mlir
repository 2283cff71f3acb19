// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx512 threads=2},snippets-to-lir,lir-optimize-domain,lir-mark-loops,lir-reduce-decomposition,lir-fuse-loops,lir-split-loops,lir-extract-loop-invariants,lir-brgemm-row-blocks,lir-brgemm-blocking,lir-brgemm-copy-b' --split-input-file --explain=lir-brgemm-copy-b 2> %t.plan | filecheck %s
// RUN: filecheck %s --check-prefix=PLAN --input-file=%t.plan
// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx512},snippets-to-lir,lir-optimize-domain,lir-mark-loops,lir-reduce-decomposition,lir-fuse-loops,lir-split-loops,lir-extract-loop-invariants,lir-brgemm-row-blocks,lir-brgemm-blocking,lir-brgemm-copy-b' --split-input-file | filecheck %s --check-prefix=UNKNOWN

// Four heads for two threads: the keys of a head are copied before its blocks of rows, which are
// sequential. Where the call decides about the threads, they share the blocks, and each copies.
// PLAN: transposed, panels of 48 columns, once outside of loop 1{{$}}
// CHECK-LABEL: lir.kernel
// CHECK-SAME: #lir.loop<0, work 4, inc 1, dim 3, parallel>, #lir.loop<1, work 256, inc 128, dim 2>, #lir.loop<2, work 100, inc 48, dim 0>
// CHECK-SAME: #lir.loop<[[W:[0-9]+]], work 100, inc 48, dim 0>, #lir.loop<[[T:[0-9]+]], work 64, inc 1, dim 1, jam 4>, #lir.loop<[[B:[0-9]+]], work 48, inc 16, dim 0, inner of [[W]]>
// CHECK: lir.brgemm_copy_b {{.*}} {lir.loops = array<i64: 0, [[W]], [[T]], [[B]]>, lir.ports = [#lir.port<[4, 1, 64, 100], layout [0, 3, 1, 2], sub [16]>, #lir.port<[4, 1, 64, 100], panels 48, sub [16]>]}
// CHECK-NEXT: lir.brgemm {{.*}} {lir.loops = array<i64: 0, 1, 2, {{.*}}>, lir.ports = [{{[^ ]*}} {{.*}}, #lir.port<[4, 1, 64, 100], panels 48, sub [16]>
// UNKNOWN: #lir.loop<1, work 256, inc 128, dim 2, parallel>
// UNKNOWN-NOT: panels
func.func @even(%q: tensor<4x256x64xf32>, %k: tensor<4x100x64xf32>, %v: tensor<4x100x32xf32>) -> tensor<4x256x32xf32> {
  %0 = snippets.matmul %q, %k {transpose_b} : (tensor<4x256x64xf32>, tensor<4x100x64xf32>) -> tensor<4x256x100xf32>
  %1 = snippets.softmax %0 {axis = 2 : i64} : tensor<4x256x100xf32>
  %2 = snippets.matmul %1, %v : (tensor<4x256x100xf32>, tensor<4x100x32xf32>) -> tensor<4x256x32xf32>
  func.return %2 : tensor<4x256x32xf32>
}

// -----

// Three heads for two threads: these share the blocks of rows.
// PLAN: transposed, panels of 48 columns{{$}}
// CHECK-LABEL: lir.kernel
// CHECK-SAME: #lir.loop<1, work 256, inc 128, dim 2, parallel>
// CHECK-NOT: panels 48
// CHECK: lir.brgemm_copy_b {{.*}} {lir.loops = array<i64: 0, 1, 2, {{.*}}>
func.func @uneven(%q: tensor<3x256x64xf32>, %k: tensor<3x100x64xf32>, %v: tensor<3x100x32xf32>) -> tensor<3x256x32xf32> {
  %0 = snippets.matmul %q, %k {transpose_b} : (tensor<3x256x64xf32>, tensor<3x100x64xf32>) -> tensor<3x256x100xf32>
  %1 = snippets.softmax %0 {axis = 2 : i64} : tensor<3x256x100xf32>
  %2 = snippets.matmul %1, %v : (tensor<3x256x100xf32>, tensor<3x100x32xf32>) -> tensor<3x256x32xf32>
  func.return %2 : tensor<3x256x32xf32>
}

// -----

// One block of rows uses each panel right after its copy.
// PLAN: transposed, panels of 48 columns{{$}}
// CHECK-LABEL: lir.kernel
// CHECK-NOT: panels 48
func.func @one_block(%q: tensor<4x128x64xf32>, %k: tensor<4x100x64xf32>, %v: tensor<4x100x32xf32>) -> tensor<4x128x32xf32> {
  %0 = snippets.matmul %q, %k {transpose_b} : (tensor<4x128x64xf32>, tensor<4x100x64xf32>) -> tensor<4x128x100xf32>
  %1 = snippets.softmax %0 {axis = 2 : i64} : tensor<4x128x100xf32>
  %2 = snippets.matmul %1, %v : (tensor<4x128x100xf32>, tensor<4x100x32xf32>) -> tensor<4x128x32xf32>
  func.return %2 : tensor<4x128x32xf32>
}

// -----

// 4096 keys of 64 terms do not fit half of the second-level cache.
// PLAN: transposed, panels of 48 columns{{$}}
// CHECK-LABEL: lir.kernel
// CHECK-NOT: panels 48
func.func @large(%q: tensor<4x256x64xf32>, %k: tensor<4x4096x64xf32>, %v: tensor<4x4096x32xf32>) -> tensor<4x256x32xf32> {
  %0 = snippets.matmul %q, %k {transpose_b} : (tensor<4x256x64xf32>, tensor<4x4096x64xf32>) -> tensor<4x256x4096xf32>
  %1 = snippets.softmax %0 {axis = 2 : i64} : tensor<4x256x4096xf32>
  %2 = snippets.matmul %1, %v : (tensor<4x256x4096xf32>, tensor<4x4096x32xf32>) -> tensor<4x256x32xf32>
  func.return %2 : tensor<4x256x32xf32>
}

// -----

// 8192 keys of 16 terms and 16 rows of scores fill the second-level cache by themselves.
// PLAN: transposed, panels of 64 columns{{$}}
// CHECK-LABEL: lir.kernel
// CHECK-NOT: panels 64
func.func @long(%q: tensor<4x256x16xf32>, %k: tensor<4x8192x16xf32>, %v: tensor<4x8192x16xf32>) -> tensor<4x256x16xf32> {
  %0 = snippets.matmul %q, %k {transpose_b} : (tensor<4x256x16xf32>, tensor<4x8192x16xf32>) -> tensor<4x256x8192xf32>
  %1 = snippets.softmax %0 {axis = 2 : i64} : tensor<4x256x8192xf32>
  %2 = snippets.matmul %1, %v : (tensor<4x256x8192xf32>, tensor<4x8192x16xf32>) -> tensor<4x256x16xf32>
  func.return %2 : tensor<4x256x16xf32>
}
