// RUN: snippets-opt %s --allow-unregistered-dialect -p snippets-tokenize --verify-each | filecheck %s
// RUN: snippets-opt %s --allow-unregistered-dialect -p 'snippets-tokenize{max-ops=2}' --verify-each | filecheck %s --check-prefix=OPS
// RUN: snippets-opt %s --allow-unregistered-dialect -p 'snippets-tokenize{max-ios=3}' --verify-each | filecheck %s --check-prefix=IOS

// One op is enough to start a subgraph.
// CHECK-LABEL: func.func @start(
// CHECK-NEXT: %0 = snippets.subgraph (%x_1 = %x) : (tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: %1 = snippets.relu %x_1 : tensor<4xf32>
// CHECK-NEXT: snippets.yield %1 : tensor<4xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.return %0
func.func @start(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = snippets.relu %x : tensor<4xf32>
  func.return %0 : tensor<4xf32>
}

// An op joins the subgraph of its producer; max-ops stops it.
// CHECK-LABEL: func.func @attach(
// CHECK-COUNT-1: snippets.subgraph
// CHECK-NEXT: snippets.relu
// CHECK-NEXT: snippets.exp
// CHECK-NEXT: snippets.abs
// CHECK-NEXT: snippets.yield
// CHECK-NOT: snippets.subgraph
// CHECK: func.return
// OPS-LABEL: func.func @attach(
// OPS: snippets.relu
// OPS-NEXT: snippets.exp
// OPS-NEXT: snippets.yield
// OPS: snippets.subgraph
// OPS-NEXT: snippets.abs
// OPS-NEXT: snippets.yield
func.func @attach(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = snippets.relu %x : tensor<4xf32>
  %1 = snippets.exp %0 : tensor<4xf32>
  %2 = snippets.abs %1 : tensor<4xf32>
  func.return %2 : tensor<4xf32>
}

// An op that reads two subgraphs makes them one; max-ios counts inputs and outputs.
// CHECK-LABEL: func.func @merge(
// CHECK: snippets.subgraph (%x_1 = %x, %y_1 = %y, %z_1 = %z)
// CHECK-NEXT: snippets.add %x_1, %y_1
// CHECK-NEXT: snippets.multiply %y_1, %z_1
// CHECK-NEXT: snippets.subtract
// CHECK-NEXT: snippets.yield
// CHECK-NOT: snippets.subgraph
// CHECK: func.return
// IOS-LABEL: func.func @merge(
// IOS: snippets.subgraph
// IOS-NEXT: snippets.{{add|multiply}}
// IOS-NEXT: snippets.yield
// IOS: snippets.subgraph
// IOS-NEXT: snippets.{{add|multiply}}
// IOS-NEXT: snippets.yield
// IOS: snippets.subgraph
// IOS-NEXT: snippets.subtract
// IOS-NEXT: snippets.yield
func.func @merge(%x: tensor<4xf32>, %y: tensor<4xf32>, %z: tensor<4xf32>) -> tensor<4xf32> {
  %0 = snippets.add %x, %y : tensor<4xf32>
  %1 = snippets.multiply %y, %z : tensor<4xf32>
  %2 = snippets.subtract %0, %1 : tensor<4xf32>
  func.return %2 : tensor<4xf32>
}

// Values inside of a merged subgraph are no inputs and outputs: three ops, three of them.
// IOS-LABEL: func.func @counted_after_merging(
// IOS: snippets.add
// IOS-NEXT: snippets.relu
// IOS-NEXT: snippets.multiply
// IOS-NEXT: snippets.yield
func.func @counted_after_merging(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = snippets.add %x, %y : tensor<4xf32>
  %1 = snippets.relu %0 : tensor<4xf32>
  %2 = snippets.multiply %0, %1 : tensor<4xf32>
  func.return %2 : tensor<4xf32>
}

// Scalar constants go inside, and no copy stays outside; others become inputs.
// CHECK-LABEL: func.func @constants(
// CHECK-NEXT: %k = snippets.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
// CHECK-NEXT: snippets.subgraph (%x_1 = %x, %k_1 = %k)
// CHECK-NEXT: snippets.scalar 2.000000e+00 : f32
// CHECK-NEXT: snippets.add
// CHECK-NEXT: snippets.constant dense<3.000000e+00> : tensor<1x1xf32>
// CHECK-NEXT: snippets.multiply
// CHECK-NEXT: snippets.maximum
// CHECK-NEXT: snippets.yield
// CHECK: func.return
func.func @constants(%x: tensor<1x2xf32>) -> tensor<1x2xf32> {
  %s = snippets.scalar 2.0 : f32
  %c = snippets.constant dense<3.0> : tensor<1x1xf32>
  %k = snippets.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %0 = snippets.add %x, %s : (tensor<1x2xf32>, tensor<f32>) -> tensor<1x2xf32>
  %1 = snippets.multiply %0, %c : (tensor<1x2xf32>, tensor<1x1xf32>) -> tensor<1x2xf32>
  %2 = snippets.maximum %1, %k : (tensor<1x2xf32>, tensor<2xf32>) -> tensor<1x2xf32>
  func.return %2 : tensor<1x2xf32>
}

// A scalar constant that something outside reads too stays there as well; each subgraph has its own.
// CHECK-LABEL: func.func @shared_scalar(
// CHECK: %s = snippets.scalar
// CHECK: snippets.subgraph
// CHECK-NEXT: snippets.scalar
// CHECK-NEXT: snippets.add
// CHECK: "d.op"
// CHECK-SAME: %s
// CHECK: snippets.subgraph
// CHECK-NEXT: snippets.scalar
// CHECK-NEXT: snippets.multiply
func.func @shared_scalar(%x: tensor<2xf32>) -> tensor<2xf32> {
  %s = snippets.scalar 2.0 : f32
  %0 = snippets.add %x, %s : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  %1 = "d.op"(%0, %s) : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  %2 = snippets.multiply %1, %s : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  func.return %2 : tensor<2xf32>
}

// What is read outside is an output, once for all who read it; an unused result is none.
// CHECK-LABEL: func.func @outputs(
// CHECK: %0, %1 = snippets.subgraph (%x_1 = %x) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xi1>) {
// CHECK: snippets.yield
// CHECK: "d.op"(%0, %1, %0)
// CHECK: func.return %0
func.func @outputs(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = snippets.relu %x : tensor<4xf32>
  %1 = snippets.is_nan %0 : (tensor<4xf32>) -> tensor<4xi1>
  %2 = snippets.abs %0 : tensor<4xf32>
  "d.op"(%0, %1, %0) : (tensor<4xf32>, tensor<4xi1>, tensor<4xf32>) -> ()
  func.return %0 : tensor<4xf32>
}

// One op broadcasts the other's result: the shape of the whole is that of the second.
// CHECK-LABEL: func.func @broadcast(
// CHECK: snippets.subgraph
// CHECK-NEXT: snippets.relu
// CHECK-NEXT: snippets.add
// CHECK-NEXT: snippets.yield
// CHECK: func.return
func.func @broadcast(%x: tensor<4xf32>, %y: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %0 = snippets.relu %x : tensor<4xf32>
  %1 = snippets.add %0, %y : (tensor<4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  func.return %1 : tensor<2x4xf32>
}

// An opaque op between them, and no path through it: an interval of order numbers would refuse.
// CHECK-LABEL: func.func @between_in_order_only(
// CHECK: "d.op"(%x)
// CHECK-NEXT: %{{.*}}, %{{.*}} = snippets.subgraph
// CHECK-NEXT: snippets.relu
// CHECK-NEXT: snippets.abs
// CHECK-NEXT: snippets.add
// CHECK: "d.op"
// CHECK-NOT: snippets.subgraph
// CHECK: func.return
func.func @between_in_order_only(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = snippets.relu %x : tensor<4xf32>
  %1 = "d.op"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = snippets.abs %1 : tensor<4xf32>
  %3 = "d.op"(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %4 = snippets.add %0, %2 : tensor<4xf32>
  func.return %3, %4 : tensor<4xf32>, tensor<4xf32>
}

// The first and the third op: refused at first, for the second is between; once it is inside, not.
// CHECK-LABEL: func.func @triangle(
// CHECK: snippets.subgraph
// CHECK-NEXT: snippets.relu
// CHECK-NEXT: snippets.abs
// CHECK-NEXT: snippets.add
// CHECK-NEXT: snippets.yield
func.func @triangle(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = snippets.relu %x : tensor<4xf32>
  %1 = snippets.abs %0 : tensor<4xf32>
  %2 = snippets.add %0, %1 : tensor<4xf32>
  func.return %2 : tensor<4xf32>
}

// An op whose region reads a value needs it: the relu comes first, and what reads the op later.
// CHECK-LABEL: func.func @region(
// CHECK: %0 = snippets.subgraph
// CHECK-NEXT: snippets.relu
// CHECK-NEXT: snippets.yield
// CHECK: %1 = "d.loop"() ({
// CHECK-NEXT: "d.yield"(%0)
// CHECK: snippets.subgraph (%{{.*}} = %0, %{{.*}} = %1)
// CHECK-NEXT: snippets.add
func.func @region(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = snippets.relu %x : tensor<4xf32>
  %1 = "d.loop"() ({
    "d.yield"(%0) : (tensor<4xf32>) -> ()
  }) : () -> tensor<4xf32>
  %2 = snippets.add %0, %1 : tensor<4xf32>
  func.return %2 : tensor<4xf32>
}

// A function without ops for kernels, and one without a body, stay as they are.
// CHECK-LABEL: func.func @nothing(%x: tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: func.return %x
// CHECK: func.func private @declared(tensor<4xf32>) -> tensor<4xf32>
func.func @nothing(%x: tensor<4xf32>) -> tensor<4xf32> {
  func.return %x : tensor<4xf32>
}
func.func private @declared(tensor<4xf32>) -> tensor<4xf32>

// An op of another dialect keeps its own reason; the others get one.
// CHECK-LABEL: func.func @own_reason
// CHECK: onnx.node "Cast"
// CHECK-SAME: snippets.reason = "elements of type f16 are not compiled yet"
// CHECK: onnx.node "Conv"
// CHECK-SAME: snippets.reason = "no op of the snippets dialect stands for it"
func.func @own_reason(%x: tensor<4xf16>) -> tensor<4xf32> {
  %0 = onnx.node "Cast"(%x) {domain = "", version = 13 : i64, snippets.reason = "elements of type f16 are not compiled yet"} : (tensor<4xf16>) -> tensor<4xf32>
  %1 = onnx.node "Conv"(%0) {domain = "", version = 11 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  func.return %1 : tensor<4xf32>
}

// Ops of which nothing is used make no kernel: they are erased, with what only they need.
// CHECK-LABEL: func.func @unused(
// CHECK-NEXT: snippets.subgraph
// CHECK-NEXT: snippets.exp
// CHECK-NEXT: snippets.yield
// CHECK-NEXT: }
// CHECK-NEXT: func.return
func.func @unused(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = snippets.exp %x : tensor<4xf32>
  %1 = snippets.abs %0 : tensor<4xf32>
  %2 = snippets.reshape %1 : (tensor<4xf32>) -> tensor<2x2xf32>
  %3 = snippets.relu %2 : tensor<2x2xf32>
  func.return %0 : tensor<4xf32>
}

// A subgraph that is there already stays closed, without a reason: it is a kernel.
// CHECK-LABEL: func.func @closed(
// CHECK-NEXT: snippets.subgraph
// CHECK-NOT: snippets.reason
// CHECK: snippets.abs
// CHECK-NEXT: snippets.yield
// CHECK: snippets.subgraph
// CHECK-NEXT: snippets.relu
// CHECK-NEXT: snippets.yield
// CHECK: func.return
func.func @closed(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = snippets.subgraph (%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    %2 = snippets.abs %a : tensor<4xf32>
    snippets.yield %2 : tensor<4xf32>
  }
  %1 = snippets.relu %0 : tensor<4xf32>
  func.return %1 : tensor<4xf32>
}

// A reason from an earlier run, when the op had to stay outside, does not go in with the op.
// CHECK-LABEL: func.func @old_reason(
// CHECK: snippets.relu %{{.*}} : tensor<4xf32>
// CHECK-NOT: snippets.reason
// CHECK: func.return
func.func @old_reason(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = snippets.relu %x {snippets.reason = "no"} : tensor<4xf32>
  func.return %0 : tensor<4xf32>
}
