// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx512},snippets-to-llvm' --explain=lir-brgemm-blocking,lir-jam-loops --emit-stage=lir-jam-loops 2>&1 | filecheck %s

// The rows of both products of an attention are loops of one block that differ in their tiles alone: each has its own.
// CHECK: rows in loop [[A:[0-9]+]], columns in loop {{[0-9]+}}: 6 rows x 4 vectors
// CHECK: rows in loop [[B:[0-9]+]], columns in loop {{[0-9]+}}: 5 rows x 5 vectors
// CHECK: lir.kernel
// CHECK-SAME: inc 6, dim 2, inner of 1, unrolled of [[A]]>, #lir.loop<{{[0-9]+}}, work 120, inc 5, dim 2, inner of 1, unrolled of [[B]]>]
func.func @attention(%q: tensor<2x120x80xf32>, %k: tensor<2x384x80xf32>, %v: tensor<2x384x80xf32>) -> tensor<2x120x80xf32> {
  %0 = snippets.matmul %q, %k {transpose_b} : (tensor<2x120x80xf32>, tensor<2x384x80xf32>) -> tensor<2x120x384xf32>
  %1 = snippets.softmax %0 {axis = 2 : i64} : tensor<2x120x384xf32>
  %2 = snippets.matmul %1, %v : (tensor<2x120x384xf32>, tensor<2x384x80xf32>) -> tensor<2x120x80xf32>
  func.return %2 : tensor<2x120x80xf32>
}
