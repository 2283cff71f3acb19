// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx512},snippets-to-lir,lir-optimize-domain,lir-mark-loops,lir-reduce-decomposition,lir-fuse-loops,lir-split-loops,lir-extract-loop-invariants,lir-brgemm-row-blocks,lir-brgemm-blocking' --symbols --split-input-file --explain=lir-brgemm-blocking -o /dev/null 2>&1 | filecheck %s

// The last block of rows has as many as the call leaves: few of them may go one at a time.
// CHECK-LABEL: lir-brgemm-blocking: @subgraph_0
// CHECK-NEXT: rows in loop {{[0-9]+}}, columns in loop {{[0-9]+}}: 7 rows x 3 vectors
// CHECK-NEXT: rows in loop {{[0-9]+}}, columns in loop {{[0-9]+}}: 7 rows x 2 vectors
func.func @any_rows(%q: tensor<12x?x64xf32>, %k: tensor<12x256x64xf32>, %v: tensor<12x256x64xf32>) -> tensor<12x?x64xf32> {
  %s = snippets.matmul %q, %k {transpose_b} : (tensor<12x?x64xf32>, tensor<12x256x64xf32>) -> tensor<12x?x256xf32>
  %p = snippets.softmax %s {axis = 2 : i64} : tensor<12x?x256xf32>
  %o = snippets.matmul %p, %v : (tensor<12x?x256xf32>, tensor<12x256x64xf32>) -> tensor<12x?x64xf32>
  func.return %o : tensor<12x?x64xf32>
}

// -----

// Does not fire: what is left of 512 rows has an iteration of its own.
// CHECK-LABEL: lir-brgemm-blocking: @subgraph_0
// CHECK-NEXT: rows in loop {{[0-9]+}}, columns in loop {{[0-9]+}}: 8 rows x 3 vectors
// CHECK-NEXT: rows in loop {{[0-9]+}}, columns in loop {{[0-9]+}}: 13 rows x 2 vectors
func.func @known_rows(%q: tensor<12x512x64xf32>, %k: tensor<12x256x64xf32>, %v: tensor<12x256x64xf32>) -> tensor<12x512x64xf32> {
  %s = snippets.matmul %q, %k {transpose_b} : (tensor<12x512x64xf32>, tensor<12x256x64xf32>) -> tensor<12x512x256xf32>
  %p = snippets.softmax %s {axis = 2 : i64} : tensor<12x512x256xf32>
  %o = snippets.matmul %p, %v : (tensor<12x512x256xf32>, tensor<12x256x64xf32>) -> tensor<12x512x64xf32>
  func.return %o : tensor<12x512x64xf32>
}
