// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx512},snippets-to-llvm' --emit-stage=lir-allocate-buffers --split-input-file --explain=lir-insert-buffers,lir-allocate-buffers -o /dev/null 2>&1 | filecheck %s

// Rows of 96 scores are whole vectors: their exponentials are written over them.
// CHECK: op {{[0-9]+}}, lir.brgemm, is kept {{.*}}: [1, 64, 1, 96] in loops
// CHECK-LABEL: lir-allocate-buffers: @subgraph_0
// CHECK: buffer {{[0-9]+}}: cluster [[C:[0-9]+]]
// CHECK: bytes at {{.*}} of buffers {{[0-9]+}}, {{[0-9]+}}{{$}}
func.func @whole(%q: tensor<4x64x64xf32>, %k: tensor<4x96x64xf32>, %v: tensor<4x96x64xf32>) -> tensor<4x64x64xf32> {
  %s = snippets.matmul %q, %k {transpose_b} : (tensor<4x64x64xf32>, tensor<4x96x64xf32>) -> tensor<4x64x96xf32>
  %p = snippets.softmax %s {axis = 2 : i64} : tensor<4x64x96xf32>
  %o = snippets.matmul %p, %v : (tensor<4x64x96xf32>, tensor<4x96x64xf32>) -> tensor<4x64x64xf32>
  func.return %o : tensor<4x64x64xf32>
}

// -----

// (C6) The last vector of 100 scores is a part of one, which the next row would wait for.
// CHECK: op {{[0-9]+}}, lir.brgemm, is kept {{.*}}: [1, 64, 1, 100] in loops
// CHECK-LABEL: lir-allocate-buffers: @subgraph_0
// CHECK-NOT: of buffers {{[0-9]+}}, {{[0-9]+}}{{$}}
func.func @parted(%q: tensor<4x64x64xf32>, %k: tensor<4x100x64xf32>, %v: tensor<4x100x64xf32>) -> tensor<4x64x64xf32> {
  %s = snippets.matmul %q, %k {transpose_b} : (tensor<4x64x64xf32>, tensor<4x100x64xf32>) -> tensor<4x64x100xf32>
  %p = snippets.softmax %s {axis = 2 : i64} : tensor<4x64x100xf32>
  %o = snippets.matmul %p, %v : (tensor<4x64x100xf32>, tensor<4x100x64xf32>) -> tensor<4x64x64xf32>
  func.return %o : tensor<4x64x64xf32>
}

// -----

// CHECK: op {{[0-9]+}}, lir.brgemm, is kept
// CHECK-LABEL: lir-allocate-buffers: @subgraph_0
// Two buffers of so long rows would not fit half of the second-level cache.
// CHECK: bytes at {{.*}} of buffers {{[0-9]+}}, {{[0-9]+}}{{$}}
func.func @long(%q: tensor<4x64x64xf32>, %k: tensor<4x2001x64xf32>, %v: tensor<4x2001x64xf32>) -> tensor<4x64x64xf32> {
  %s = snippets.matmul %q, %k {transpose_b} : (tensor<4x64x64xf32>, tensor<4x2001x64xf32>) -> tensor<4x64x2001xf32>
  %p = snippets.softmax %s {axis = 2 : i64} : tensor<4x64x2001xf32>
  %o = snippets.matmul %p, %v : (tensor<4x64x2001xf32>, tensor<4x2001x64xf32>) -> tensor<4x64x64xf32>
  func.return %o : tensor<4x64x64xf32>
}
