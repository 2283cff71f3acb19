// RUN: snippets-opt %s -p 'convert-snippets-to-lir,lir-mark-loops{vector-size=8},lir-reduce-decomposition' --split-input-file | filecheck %s

// Along the vectors: neutral lanes, one accumulator, a fold of the lanes outside of the loop.
// CHECK-LABEL: @last
// CHECK: loops [#lir.loop<0, work 4, inc 1, dim 1, parallel>, #lir.loop<1, work 30, inc 8, dim 0>]
// CHECK: %[[F:[a-z0-9]+]] = lir.fill %a {offset = 8 : i64, value = 0xff800000 : f32, lir.loops = array<i64: 0, 1>
// CHECK-NEXT: %[[A:[a-z0-9]+]] = lir.accumulate %[[F]] {kind = "max", lir.loops = array<i64: 0, 1>
// CHECK-SAME: lir.ports = [#lir.port<[4, 30], sub [8]>, #lir.port<[4, 8], sub [8]>]
// CHECK-NEXT: %[[H:[a-z0-9]+]] = lir.horizon %[[A]] {kind = "max", lir.loops = array<i64: 0>
// CHECK-SAME: lir.ports = [#lir.port<[4, 8], sub [8]>, #lir.port<[4, 1], sub [1]>]} : (tensor<4x30xf32>) -> tensor<4x1xf32>
// CHECK-NEXT: lir.result %[[H]]
func.func @last(%x: tensor<4x30xf32>) -> tensor<4x1xf32> {
  %r = snippets.subgraph (%a = %x) : (tensor<4x30xf32>) -> tensor<4x1xf32> {
    %0 = snippets.reduce_max %a {axes = array<i64: 1>, keep_dims} : (tensor<4x30xf32>) -> tensor<4x1xf32>
    snippets.yield %0 : tensor<4x1xf32>
  }
  func.return %r : tensor<4x1xf32>
}

// -----

// A maximum that passes over NaN is a kind of its own; it starts from -inf, too.
// CHECK-LABEL: @maxnum
// CHECK: lir.fill %a {offset = 8 : i64, value = 0xff800000 : f32
// CHECK-NEXT: lir.accumulate {{.*}} {kind = "maxnum"
// CHECK-NEXT: lir.horizon {{.*}} {kind = "maxnum"
func.func @maxnum(%x: tensor<4x30xf32>) -> tensor<4x1xf32> {
  %r = snippets.subgraph (%a = %x) : (tensor<4x30xf32>) -> tensor<4x1xf32> {
    %0 = snippets.reduce_maxnum %a {axes = array<i64: 1>, keep_dims} : (tensor<4x30xf32>) -> tensor<4x1xf32>
    snippets.yield %0 : tensor<4x1xf32>
  }
  func.return %r : tensor<4x1xf32>
}

// -----

// Across the vectors: the lanes are different sums, nothing is filled.
// CHECK-LABEL: @first
// CHECK: loops [#lir.loop<0, work 30, inc 8, dim 0, parallel>, #lir.loop<1, work 4, inc 1, dim 1>]
// CHECK-NOT: lir.fill
// CHECK: %[[A:[a-z0-9]+]] = lir.accumulate %a {kind = "sum", lir.loops = array<i64: 0, 1>
// CHECK-NEXT: lir.horizon %[[A]] {kind = "sum", lir.loops = array<i64: 0>
// CHECK-SAME: lir.ports = [#lir.port<[1, 30], sub [8]>, #lir.port<[1, 30], sub [8]>]
func.func @first(%x: tensor<4x30xf32>) -> tensor<1x30xf32> {
  %r = snippets.subgraph (%a = %x) : (tensor<4x30xf32>) -> tensor<1x30xf32> {
    %0 = snippets.reduce_sum %a {axes = array<i64: 0>, keep_dims} : (tensor<4x30xf32>) -> tensor<1x30xf32>
    snippets.yield %0 : tensor<1x30xf32>
  }
  func.return %r : tensor<1x30xf32>
}

// -----

// Two reduced dims with a kept one between them: an accumulator for each loop.
// CHECK-LABEL: @two
// CHECK: loops [#lir.loop<0, work 5, inc 1, dim 1, parallel>, #lir.loop<1, work 4, inc 1, dim 2>, #lir.loop<2, work 30, inc 8, dim 0>]
// CHECK: lir.accumulate {{.*}} lir.loops = array<i64: 0, 1, 2>
// CHECK-NEXT: lir.accumulate {{.*}} lir.loops = array<i64: 0, 1>
// CHECK-NEXT: lir.horizon {{.*}} lir.loops = array<i64: 0>
func.func @two(%x: tensor<4x5x30xf32>) -> tensor<1x5x1xf32> {
  %r = snippets.subgraph (%a = %x) : (tensor<4x5x30xf32>) -> tensor<1x5x1xf32> {
    %0 = snippets.reduce_prod %a {axes = array<i64: 0, 2>, keep_dims} : (tensor<4x5x30xf32>) -> tensor<1x5x1xf32>
    snippets.yield %0 : tensor<1x5x1xf32>
  }
  func.return %r : tensor<1x5x1xf32>
}

// -----

// Does not fire: without reductions nothing changes.
// CHECK-LABEL: @twin
// CHECK-NOT: lir.accumulate
// CHECK: snippets.exp %a {lir.loops = array<i64: 0>
func.func @twin(%x: tensor<30xf32>) -> tensor<30xf32> {
  %r = snippets.subgraph (%a = %x) : (tensor<30xf32>) -> tensor<30xf32> {
    %0 = snippets.exp %a : tensor<30xf32>
    snippets.yield %0 : tensor<30xf32>
  }
  func.return %r : tensor<30xf32>
}

// -----

// A scan along the vectors combines the lanes of each vector first.
// CHECK-LABEL: @prefixes
// CHECK: %[[P:[a-z0-9]+]] = lir.prefix %a {kind = "sum", lir.loops = array<i64: 0, 1>
// CHECK-NEXT: lir.scan %[[P]] {kind = "sum", dim = 0 : i64, prefixed
func.func @prefixes(%x: tensor<4x30xf32>) -> tensor<4x30xf32> {
  %r = snippets.subgraph (%a = %x) : (tensor<4x30xf32>) -> tensor<4x30xf32> {
    %0 = snippets.cum_sum %a {axis = 1 : i64} : tensor<4x30xf32>
    snippets.yield %0 : tensor<4x30xf32>
  }
  func.return %r : tensor<4x30xf32>
}

// -----

// Across the vectors each lane is a scan of its own.
// CHECK-LABEL: @own_scans
// CHECK-NOT: lir.prefix
// CHECK: lir.scan %a {kind = "sum", dim = 1 : i64, lir.loops
// CHECK: lir.result
func.func @own_scans(%x: tensor<4x30xf32>) -> tensor<4x30xf32> {
  %r = snippets.subgraph (%a = %x) : (tensor<4x30xf32>) -> tensor<4x30xf32> {
    %0 = snippets.cum_sum %a {axis = 0 : i64} : tensor<4x30xf32>
    snippets.yield %0 : tensor<4x30xf32>
  }
  func.return %r : tensor<4x30xf32>
}
