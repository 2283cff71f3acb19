// RUN: snippets-opt %s --allow-unregistered-dialect -p snippets-tokenize --verify-each | filecheck %s
// RUN: not snippets-opt %s --allow-unregistered-dialect -p 'snippets-tokenize{max-ops=-1}' 2>&1 | filecheck %s --check-prefix=LIMIT
// LIMIT: error: pass 'snippets-tokenize': expected max-ios and max-ops of 0 (unlimited) or more

// CHECK-LABEL: func.func @element_type(
// CHECK-NEXT: snippets.add %x, %x {snippets.reason = "there are no kernels for i8 elements
// CHECK-NOT: snippets.subgraph
// CHECK: func.return
func.func @element_type(%x: tensor<4xi8>) -> tensor<4xi8> {
  %0 = snippets.add %x, %x : tensor<4xi8>
  func.return %0 : tensor<4xi8>
}

// CHECK-LABEL: func.func @rank(
// CHECK-NEXT: snippets.relu %x {snippets.reason = "rank 9 is above 8"}
// CHECK-NOT: snippets.subgraph
// CHECK: func.return
func.func @rank(%x: tensor<1x1x1x1x1x1x1x1x1xf32>) -> tensor<1x1x1x1x1x1x1x1x1xf32> {
  %0 = snippets.relu %x : tensor<1x1x1x1x1x1x1x1x1xf32>
  func.return %0 : tensor<1x1x1x1x1x1x1x1x1xf32>
}

// CHECK-LABEL: func.func @skipped(
// CHECK-NEXT: snippets.relu %x {snippets.skipped = "mine", snippets.reason = "mine"}
// CHECK-NEXT: snippets.abs %0 {snippets.skipped, snippets.reason = "it is marked snippets.skipped"}
// CHECK-NOT: snippets.subgraph
// CHECK: func.return
func.func @skipped(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = snippets.relu %x {snippets.skipped = "mine"} : tensor<4xf32>
  %1 = snippets.abs %0 {snippets.skipped} : tensor<4xf32>
  func.return %1 : tensor<4xf32>
}

// CHECK-LABEL: func.func @reshape(
// CHECK-NEXT: snippets.reshape %x {snippets.reason = "a reshape moves no data
// CHECK-NOT: snippets.subgraph
// CHECK: func.return
func.func @reshape(%x: tensor<4xf32>) -> tensor<2x2xf32> {
  %0 = snippets.reshape %x : (tensor<4xf32>) -> tensor<2x2xf32>
  func.return %0 : tensor<2x2xf32>
}

// The opaque op would have to run before and after one subgraph.
// CHECK-LABEL: func.func @cycle(
// CHECK: snippets.subgraph
// CHECK-NEXT: snippets.relu
// CHECK-NEXT: snippets.yield
// CHECK: "d.op"
// CHECK-SAME: snippets.reason = "d.op is not an op of the snippets dialect"
// CHECK: snippets.subgraph
// CHECK-NEXT: snippets.add
// CHECK-NEXT: snippets.yield
func.func @cycle(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = snippets.relu %x : tensor<4xf32>
  %1 = "d.op"(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = snippets.add %0, %1 : tensor<4xf32>
  func.return %2 : tensor<4xf32>
}

// As above, through another subgraph.
// CHECK-LABEL: func.func @cycle_through_a_subgraph(
// CHECK: snippets.relu
// CHECK-NEXT: snippets.yield
// CHECK: "d.op"
// CHECK: snippets.add
// CHECK-NEXT: snippets.yield
// CHECK: "d.op"
// CHECK: snippets.subgraph
// CHECK-NEXT: snippets.add
// CHECK-NEXT: snippets.yield
func.func @cycle_through_a_subgraph(%x: tensor<4xf32>, %y: tensor<3xf32>) -> tensor<4xf32> {
  %0 = snippets.relu %x : tensor<4xf32>
  %1 = "d.op"(%0) : (tensor<4xf32>) -> tensor<3xf32>
  %2 = snippets.add %1, %y : tensor<3xf32>
  %3 = "d.op"(%2) : (tensor<3xf32>) -> tensor<4xf32>
  %4 = snippets.add %0, %3 : tensor<4xf32>
  func.return %4 : tensor<4xf32>
}

// [4, 1] and [1, 5] broadcast to [4, 5], but no op has that shape: there is no loop to be in.
// CHECK-LABEL: func.func @no_master_shape(
// CHECK: snippets.relu
// CHECK-NEXT: snippets.yield
// CHECK: "d.op"
// CHECK: snippets.abs
// CHECK-NEXT: snippets.yield
func.func @no_master_shape(%x: tensor<4x1xf32>, %y: tensor<1x5xf32>) -> (tensor<4x1xf32>, tensor<1x5xf32>) {
  %0 = snippets.relu %x : tensor<4x1xf32>
  %1 = "d.op"(%0) : (tensor<4x1xf32>) -> tensor<1x5xf32>
  %2 = snippets.abs %1 : tensor<1x5xf32>
  func.return %0, %2 : tensor<4x1xf32>, tensor<1x5xf32>
}

// A subgraph that is in the input already is closed to what is before and after it.
// CHECK-LABEL: func.func @existing_subgraph(
// CHECK: snippets.subgraph
// CHECK-NEXT: snippets.relu
// CHECK-NEXT: snippets.yield
// CHECK: snippets.subgraph
// CHECK-NEXT: snippets.exp
// CHECK-NEXT: snippets.yield
// CHECK: snippets.subgraph
// CHECK-NEXT: snippets.abs
// CHECK-NEXT: snippets.yield
func.func @existing_subgraph(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = snippets.relu %x : tensor<4xf32>
  %1 = snippets.subgraph (%a = %0) : (tensor<4xf32>) -> tensor<4xf32> {
    %e = snippets.exp %a : tensor<4xf32>
    snippets.yield %e : tensor<4xf32>
  }
  %2 = snippets.abs %1 : tensor<4xf32>
  func.return %2 : tensor<4xf32>
}

// Ops of which nothing is known keep their order, though their values would allow another.
// CHECK-LABEL: func.func @effects(
// CHECK: "d.first"()
// CHECK: "d.second"(
// CHECK: "d.third"()
func.func @effects(%x: tensor<4xf32>) -> tensor<4xf32> {
  "d.first"() : () -> ()
  %0 = snippets.relu %x : tensor<4xf32>
  %1 = "d.second"(%0) : (tensor<4xf32>) -> tensor<4xf32>
  "d.third"() : () -> ()
  %2 = snippets.abs %1 : tensor<4xf32>
  func.return %2 : tensor<4xf32>
}

// The order of effects counts as a path: first before second before the sum.
// CHECK-LABEL: func.func @path_of_effects(
// CHECK: snippets.relu
// CHECK-NEXT: snippets.yield
// CHECK: "d.first"
// CHECK: "d.second"
// CHECK: snippets.add
// CHECK-NEXT: snippets.yield
func.func @path_of_effects(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = snippets.relu %x : tensor<4xf32>
  "d.first"(%0) : (tensor<4xf32>) -> ()
  %1 = "d.second"() : () -> tensor<4xf32>
  %2 = snippets.add %0, %1 : tensor<4xf32>
  func.return %2 : tensor<4xf32>
}

// Ops whose class says why; a pass that could not take the second one apart has its own reason.
// CHECK-LABEL: func.func @without_kernel(
// CHECK-NEXT: snippets.arg_max %x {axis = 0 : i64, snippets.reason = "snippets-decompose-arg-reductions has not decomposed it"}
// CHECK-NEXT: snippets.arg_min %x {axis = 0 : i64, snippets.reason = "mine"}
// CHECK-NEXT: snippets.cum_sum %x {axis = 0 : i64, reverse, snippets.reason = "snippets.cum_sum is reverse: snippets-decompose-cumulative has not decomposed it"}
// CHECK-NEXT: snippets.iota {dim = 0 : i64, snippets.reason = "an iota of more than 65536 numbers becomes no constant"}
// CHECK-NEXT: func.return
func.func @without_kernel(%x: tensor<4xf32>) -> (tensor<i64>, tensor<i64>, tensor<4xf32>, tensor<70000xi32>) {
  %0 = snippets.arg_max %x {axis = 0 : i64} : (tensor<4xf32>) -> tensor<i64>
  %1 = snippets.arg_min %x {axis = 0 : i64, snippets.reason = "mine"} : (tensor<4xf32>) -> tensor<i64>
  %2 = snippets.cum_sum %x {axis = 0 : i64, reverse} : tensor<4xf32>
  %3 = snippets.iota {dim = 0 : i64} : tensor<70000xi32>
  func.return %0, %1, %2, %3 : tensor<i64>, tensor<i64>, tensor<4xf32>, tensor<70000xi32>
}
