// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx512},snippets-to-lir,lir-optimize-domain,lir-mark-loops,lir-reduce-decomposition,lir-fuse-loops,lir-split-loops,lir-extract-loop-invariants,lir-brgemm-row-blocks' --split-input-file --explain=lir-brgemm-row-blocks 2> %t.plan | filecheck %s
// RUN: filecheck %s --check-prefix=PLAN --input-file=%t.plan
// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx512},snippets-to-lir,lir-to-vector' --split-input-file --verify-each=false --emit-stage=lir-brgemm-whole-tiles,lir-insert-buffers,vector | filecheck %s --check-prefix=LATER

// The call decides the number of keys, and so the rows of a block: 128 for up to 992 keys, 12 for
// 8192. Whole tiles are 7 rows, and a block may have a few more.
// PLAN: loop 1 walks blocks of 128 rows
// PLAN-NEXT: or fewer, so that rows of ?1*4 bytes take 507904 at most
// CHECK-LABEL: lir.kernel @subgraph_0
// CHECK-SAME: #lir.loop<1, work ?0, inc 128, dim 2, step ?62>
// CHECK-SAME: lir.choices = {{\[\[}}#snippets.size<?1*4 : i64>, 507904 : i64, 128 : i64, 124 : i64, 120 : i64, {{.*}}, 8 : i64, 4 : i64, 2 : i64]]
// LATER: #lir.loop<1, work ?0, inc 133, dim 2, step ?62>
// LATER-SAME: lir.choices = {{\[\[}}#snippets.size<?1*4 : i64>, 507904 : i64, 133 : i64, 126 : i64, 119 : i64, {{.*}}, 14 : i64, 7 : i64, 3 : i64]]
// LATER: lir.buffer {{.*}} lir.ports = [#lir.port<[1, ?62, 1, ?1]
// LATER: snippets.choices = {{\[\[}}#snippets.size<?1*4 : i64>, 507904 : i64, 133 : i64
func.func @main(%q: tensor<2x?x5xf32, #lir.sizes<?0>>, %k: tensor<2x?x5xf32, #lir.sizes<?1>>, %v: tensor<2x?x7xf32, #lir.sizes<?1>>) -> tensor<2x?x7xf32, #lir.sizes<?0>> {
  %s = snippets.matmul %q, %k {transpose_b} : (tensor<2x?x5xf32, #lir.sizes<?0>>, tensor<2x?x5xf32, #lir.sizes<?1>>) -> tensor<2x?x?xf32, #lir.sizes<?0, ?1>>
  %p = snippets.softmax %s {axis = 2 : i64} : tensor<2x?x?xf32, #lir.sizes<?0, ?1>>
  %o = snippets.matmul %p, %v : (tensor<2x?x?xf32, #lir.sizes<?0, ?1>>, tensor<2x?x7xf32, #lir.sizes<?1>>) -> tensor<2x?x7xf32, #lir.sizes<?0>>
  func.return %o : tensor<2x?x7xf32, #lir.sizes<?0>>
}

// -----

// A known number of keys decides now.
// PLAN: loop 1 walks blocks of 128 rows
// PLAN-NOT: or fewer
// CHECK-LABEL: lir.kernel @subgraph_0
// CHECK-SAME: #lir.loop<1, work ?0, inc 128, dim 2>
// CHECK-NOT: lir.choices
// LATER-NOT: choices
func.func @main(%q: tensor<2x?x5xf32, #lir.sizes<?0>>, %k: tensor<2x40x5xf32>, %v: tensor<2x40x7xf32>) -> tensor<2x?x7xf32, #lir.sizes<?0>> {
  %s = snippets.matmul %q, %k {transpose_b} : (tensor<2x?x5xf32, #lir.sizes<?0>>, tensor<2x40x5xf32>) -> tensor<2x?x40xf32, #lir.sizes<?0>>
  %p = snippets.softmax %s {axis = 2 : i64} : tensor<2x?x40xf32, #lir.sizes<?0>>
  %o = snippets.matmul %p, %v : (tensor<2x?x40xf32, #lir.sizes<?0>>, tensor<2x40x7xf32>) -> tensor<2x?x7xf32, #lir.sizes<?0>>
  func.return %o : tensor<2x?x7xf32, #lir.sizes<?0>>
}
