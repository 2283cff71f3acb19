// RUN: snippets-opt %s -p 'snippets-set-target{target=generic threads=20},convert-snippets-to-lir,lir-optimize-domain{rule=guide}' --split-input-file | filecheck %s

// The guide's rule: the last dims collapse once, then too little work is left for 20 threads.
// CHECK-LABEL: @collapses
// CHECK: snippets.relu %a {{.*}}#lir.port<[14, 15, 272]>, #lir.port<[14, 15, 272]>
func.func @collapses(%x: tensor<14x15x16x17xf32>) -> tensor<14x15x16x17xf32> {
  %r = snippets.subgraph (%a = %x) : (tensor<14x15x16x17xf32>) -> tensor<14x15x16x17xf32> {
    %0 = snippets.relu %a : tensor<14x15x16x17xf32>
    snippets.yield %0 : tensor<14x15x16x17xf32>
  }
  func.return %r : tensor<14x15x16x17xf32>
}

// -----

// Does not fire: one of the last two dims is broadcast.
// CHECK-LABEL: @broadcast
// CHECK: snippets.add {{.*}}#lir.port<[14, 15, 1, 17]>
func.func @broadcast(%x: tensor<14x15x1x17xf32>, %y: tensor<14x15x16x17xf32>) -> tensor<14x15x16x17xf32> {
  %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<14x15x1x17xf32>, tensor<14x15x16x17xf32>) -> tensor<14x15x16x17xf32> {
    %0 = snippets.add %a, %b : (tensor<14x15x1x17xf32>, tensor<14x15x16x17xf32>) -> tensor<14x15x16x17xf32>
    snippets.yield %0 : tensor<14x15x16x17xf32>
  }
  func.return %r : tensor<14x15x16x17xf32>
}
