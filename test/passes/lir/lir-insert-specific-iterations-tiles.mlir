// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx2 threads=1},snippets-to-lir,lir-to-vector' --split-input-file --verify-each=false --emit-stage=lir-insert-specific-iterations -o %t.mlir
// RUN: filecheck %s < %t.mlir
// RUN: sed '/^\/\/ -----/,$d' %t.mlir | snippets-opt - -o %t.checked

// The tail beside 20 panels: its rows go by 2 and 1, those of the panels by 4, 2 and 1.
// CHECK: lir.kernel @subgraph_0 "expanded"
// CHECK-SAME: #lir.loop<[[MAIN:[0-9]+]], work 480, inc 24, dim 0, parallel, main of
// CHECK-SAME: #lir.loop<[[LAST:[0-9]+]], work 8, inc 8, dim 0, parallel, last of
// CHECK: lir.loop_begin [[MAIN]]
// CHECK-COUNT-3: lir.loop_end {{[0-9]+}} (
// CHECK: lir.loop_end [[MAIN]]
// CHECK: lir.loop_begin [[LAST]]
// CHECK-COUNT-2: lir.loop_end {{[0-9]+}} (
// CHECK-NOT: lir.loop_end {{[0-9]+}} (
// CHECK: lir.loop_end [[LAST]]
module attributes {snippets.may_be_one} {
  func.func @twenty(%x: tensor<?x8xf32, #lir.sizes<?0>>) -> tensor<?x488xf32, #lir.sizes<?0>> {
    %y = snippets.constant dense<1.0> : tensor<8x488xf32>
    %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<?x8xf32, #lir.sizes<?0>>, tensor<8x488xf32>) -> tensor<?x488xf32, #lir.sizes<?0>> {
      %0 = snippets.matmul %a, %b : (tensor<?x8xf32, #lir.sizes<?0>>, tensor<8x488xf32>) -> tensor<?x488xf32, #lir.sizes<?0>>
      snippets.yield %0 : tensor<?x488xf32, #lir.sizes<?0>>
    }
    func.return %r : tensor<?x488xf32, #lir.sizes<?0>>
  }
}

// -----

// Beside 64 panels they go one by one.
// CHECK: lir.kernel @subgraph_0 "expanded"
// CHECK-SAME: #lir.loop<[[MAIN:[0-9]+]], work 1536, inc 24, dim 0, parallel, main of
// CHECK-SAME: #lir.loop<[[LAST:[0-9]+]], work 8, inc 8, dim 0, parallel, last of
// CHECK: lir.loop_begin [[MAIN]]
// CHECK-COUNT-3: lir.loop_end {{[0-9]+}} (
// CHECK: lir.loop_end [[MAIN]]
// CHECK: lir.loop_begin [[LAST]]
// CHECK-COUNT-1: lir.loop_end {{[0-9]+}} (
// CHECK-NOT: lir.loop_end {{[0-9]+}} (
// CHECK: lir.loop_end [[LAST]]
module attributes {snippets.may_be_one} {
  func.func @many(%x: tensor<?x8xf32, #lir.sizes<?0>>) -> tensor<?x1544xf32, #lir.sizes<?0>> {
    %y = snippets.constant dense<1.0> : tensor<8x1544xf32>
    %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<?x8xf32, #lir.sizes<?0>>, tensor<8x1544xf32>) -> tensor<?x1544xf32, #lir.sizes<?0>> {
      %0 = snippets.matmul %a, %b : (tensor<?x8xf32, #lir.sizes<?0>>, tensor<8x1544xf32>) -> tensor<?x1544xf32, #lir.sizes<?0>>
      snippets.yield %0 : tensor<?x1544xf32, #lir.sizes<?0>>
    }
    func.return %r : tensor<?x1544xf32, #lir.sizes<?0>>
  }
}

// -----

// Does not fire: beside 4 panels the tail is as much as each of them.
// CHECK: lir.kernel @subgraph_0 "expanded"
// CHECK-SAME: #lir.loop<[[MAIN:[0-9]+]], work 96, inc 24, dim 0, parallel, main of
// CHECK-SAME: #lir.loop<[[LAST:[0-9]+]], work 8, inc 8, dim 0, parallel, last of
// CHECK: lir.loop_begin [[MAIN]]
// CHECK-COUNT-3: lir.loop_end {{[0-9]+}} (
// CHECK: lir.loop_end [[MAIN]]
// CHECK: lir.loop_begin [[LAST]]
// CHECK-COUNT-3: lir.loop_end {{[0-9]+}} (
// CHECK-NOT: lir.loop_end {{[0-9]+}} (
// CHECK: lir.loop_end [[LAST]]
module attributes {snippets.may_be_one} {
  func.func @few(%x: tensor<?x8xf32, #lir.sizes<?0>>) -> tensor<?x104xf32, #lir.sizes<?0>> {
    %y = snippets.constant dense<1.0> : tensor<8x104xf32>
    %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<?x8xf32, #lir.sizes<?0>>, tensor<8x104xf32>) -> tensor<?x104xf32, #lir.sizes<?0>> {
      %0 = snippets.matmul %a, %b : (tensor<?x8xf32, #lir.sizes<?0>>, tensor<8x104xf32>) -> tensor<?x104xf32, #lir.sizes<?0>>
      snippets.yield %0 : tensor<?x104xf32, #lir.sizes<?0>>
    }
    func.return %r : tensor<?x104xf32, #lir.sizes<?0>>
  }
}
