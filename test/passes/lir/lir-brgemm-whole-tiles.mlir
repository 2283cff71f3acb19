// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx512},snippets-to-lir,lir-optimize-domain,lir-mark-loops,lir-reduce-decomposition,lir-fuse-loops,lir-split-loops,lir-extract-loop-invariants,lir-brgemm-row-blocks,lir-brgemm-blocking,lir-brgemm-whole-tiles' --symbols --verify-each --split-input-file --explain=lir-brgemm-whole-tiles 2> %t.plan | filecheck %s
// RUN: filecheck %s --check-prefix=PLAN --input-file=%t.plan

// Tiles of 7 rows leave two of 128; one tile more is few rows more.
// PLAN-LABEL: lir-brgemm-whole-tiles: @subgraph_0
// PLAN-NEXT: loop [[B:[0-9]+]] walks blocks of 133 rows: whole tiles of 7{{$}}
// CHECK-LABEL: lir.kernel
// CHECK-SAME: #lir.loop<[[B:[0-9]+]], work ?0, inc 133, dim 2>
// CHECK-SAME: work 133, inc 1, dim 2, inner of [[B]], jam 7>
// CHECK-SAME: work 133, inc 1, dim 2, inner of [[B]]>
// CHECK-SAME: work 133, inc 1, dim 2, inner of [[B]], jam 7>
func.func @any_rows(%q: tensor<12x?x64xf32>, %k: tensor<12x256x64xf32>, %v: tensor<12x256x64xf32>) -> tensor<12x?x64xf32> {
  %s = snippets.matmul %q, %k {transpose_b} : (tensor<12x?x64xf32>, tensor<12x256x64xf32>) -> tensor<12x?x256xf32>
  %p = snippets.softmax %s {axis = 2 : i64} : tensor<12x?x256xf32>
  %o = snippets.matmul %p, %v : (tensor<12x?x256xf32>, tensor<12x256x64xf32>) -> tensor<12x?x64xf32>
  func.return %o : tensor<12x?x64xf32>
}

// -----

// Does not fire: the tile of a known number of rows was chosen for what it leaves.
// PLAN-LABEL: lir-brgemm-whole-tiles: @subgraph_0
// PLAN-NEXT: no block leaves rows of a tile over
// CHECK-LABEL: lir.kernel
// CHECK-SAME: work 512, inc 128, dim 2
// CHECK-SAME: work 128, inc 1, dim 2, inner of {{[0-9]+}}, jam 13>
func.func @known_rows(%q: tensor<12x512x64xf32>, %k: tensor<12x256x64xf32>, %v: tensor<12x256x64xf32>) -> tensor<12x512x64xf32> {
  %s = snippets.matmul %q, %k {transpose_b} : (tensor<12x512x64xf32>, tensor<12x256x64xf32>) -> tensor<12x512x256xf32>
  %p = snippets.softmax %s {axis = 2 : i64} : tensor<12x512x256xf32>
  %o = snippets.matmul %p, %v : (tensor<12x512x256xf32>, tensor<12x256x64xf32>) -> tensor<12x512x64xf32>
  func.return %o : tensor<12x512x64xf32>
}

// -----

// Does not fire: no product shares its rows, so there are no blocks of them.
// PLAN-LABEL: lir-brgemm-whole-tiles: @subgraph_0
// PLAN-NEXT: no block leaves rows of a tile over
// CHECK-LABEL: lir.kernel
func.func @alone(%a: tensor<?x64xf32>, %b: tensor<64x256xf32>) -> tensor<?x256xf32> {
  %c = snippets.matmul %a, %b : (tensor<?x64xf32>, tensor<64x256xf32>) -> tensor<?x256xf32>
  func.return %c : tensor<?x256xf32>
}
