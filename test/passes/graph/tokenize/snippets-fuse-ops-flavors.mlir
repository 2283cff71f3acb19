// RUN: snippets-opt --allow-unregistered-dialect %s -p snippets-fuse-ops | filecheck %s --check-prefixes=CHECK,RELAY
// RUN: snippets-opt --allow-unregistered-dialect %s -p 'snippets-fuse-ops{flavor=relax}' | filecheck %s --check-prefixes=CHECK,RELAX
// RUN: snippets-opt --allow-unregistered-dialect %s -p 'snippets-fuse-ops{link-params=true}' | filecheck %s --check-prefixes=CHECK,LINK

// Where Relay and Relax differ, and constants.

// Relay fuses constants of rank 0 inside; in Relax they are parameters.
// CHECK-LABEL: func.func @scalar(
// RELAY-NEXT: snippets.subgraph (%{{.*}} = %x) : (tensor<4xf32>)
// RELAY-NEXT: snippets.scalar
// RELAX-NEXT: %[[C:.*]] = snippets.scalar
// RELAX-NEXT: snippets.subgraph (%{{.*}} = %x, %{{.*}} = %[[C]]) : (tensor<4xf32>, tensor<f32>)
// LINK-NEXT: snippets.subgraph (%{{.*}} = %x) : (tensor<4xf32>)
// CHECK: func.return
func.func @scalar(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = snippets.scalar 1.0 : f32
  %0 = snippets.add %x, %a : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  func.return %0 : tensor<4xf32>
}

// Other constants are parameters, unless they are linked; so are scalars of other types.
// CHECK-LABEL: func.func @constant(
// RELAY: snippets.subgraph (%{{.*}} = %{{.*}}, %{{.*}} = %x)
// RELAX: snippets.subgraph (%{{.*}} = %{{.*}}, %{{.*}} = %x)
// LINK-NEXT: snippets.subgraph (%{{.*}} = %x)
// LINK-NEXT: snippets.constant
// CHECK: func.return
func.func @constant(%x: tensor<1xf32>) -> tensor<1xf32> {
  %a = snippets.constant dense<[1.0]> : tensor<1xf32>
  %0 = snippets.add %a, %x : tensor<1xf32>
  func.return %0 : tensor<1xf32>
}

// CHECK-LABEL: func.func @half(
// RELAY-NEXT: snippets.scalar
// RELAX-NEXT: snippets.scalar
// LINK-NEXT: snippets.subgraph
// CHECK: func.return
func.func @half(%x: tensor<4xf16>) -> tensor<4xf16> {
  %a = snippets.scalar 1.0 : f16
  %0 = snippets.add %a, %x : (tensor<f16>, tensor<4xf16>) -> tensor<4xf16>
  func.return %0 : tensor<4xf16>
}

// A constant that two groups read is linked into both.
// CHECK-LABEL: func.func @shared(
// RELAY-NEXT: snippets.constant
// LINK-NOT: snippets.constant
// LINK: snippets.subgraph (%{{.*}} = %x)
// LINK-NEXT: snippets.constant
// LINK: snippets.subgraph (%{{.*}} = %x)
// LINK-NEXT: snippets.constant
// CHECK: func.return
func.func @shared(%x: tensor<1xf32>) -> (tensor<1xf32>, tensor<1xf32>) {
  %a = snippets.constant dense<[1.0]> : tensor<1xf32>
  %0 = snippets.add %a, %x : tensor<1xf32>
  %1 = snippets.multiply %a, %x : tensor<1xf32>
  func.return %0, %1 : tensor<1xf32>, tensor<1xf32>
}

// An edge from an operand of the result's shape: elementwise in Relay, the op's kind in Relax.
// CHECK-LABEL: func.func @equal_shapes(
// RELAY: sym_name = "fused_conv_bc{{(_[0-9]+)?}}"}
// RELAX: sym_name = "fused_conv{{(_[0-9]+)?}}"}
// RELAX: sym_name = "fused_bc{{(_[0-9]+)?}}"}
// CHECK: func.return
func.func @equal_shapes(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "t.conv"(%x) {fuse.pattern = "out_elemwise_fusable"} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = "t.bc"(%0) {fuse.pattern = "broadcast"} : (tensor<4xf32>) -> tensor<4xf32>
  func.return %1 : tensor<4xf32>
}

// Relax takes the kind from the accesses: an add that reads one operand in place is elementwise,
// also along the edge of the other.
// CHECK-LABEL: func.func @broadcast_operand(
// RELAX: sym_name = "fused_conv_add{{(_[0-9]+)?}}"}
// RELAY: sym_name = "fused_conv{{(_[0-9]+)?}}"}
// RELAY: sym_name = "fused_add{{(_[0-9]+)?}}"}
// CHECK: func.return
func.func @broadcast_operand(%x: tensor<1x4xf32>, %y: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %0 = "t.conv"(%x) {fuse.pattern = "out_elemwise_fusable"} : (tensor<1x4xf32>) -> tensor<1x4xf32>
  %1 = snippets.add %0, %y : (tensor<1x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  func.return %1 : tensor<3x4xf32>
}

// An add that reads both under a broadcast is a broadcast in both.
// CHECK-LABEL: func.func @broadcast_operands(
// CHECK: sym_name = "fused_conv{{(_[0-9]+)?}}"}
// CHECK: sym_name = "fused_add{{(_[0-9]+)?}}"}
// CHECK: func.return
func.func @broadcast_operands(%x: tensor<1x4xf32>, %y: tensor<3x1xf32>) -> tensor<3x4xf32> {
  %0 = "t.conv"(%x) {fuse.pattern = "out_elemwise_fusable"} : (tensor<1x4xf32>) -> tensor<1x4xf32>
  %1 = snippets.add %0, %y : (tensor<1x4xf32>, tensor<3x1xf32>) -> tensor<3x4xf32>
  func.return %1 : tensor<3x4xf32>
}

// Relax has no tuples inside of groups.
// CHECK-LABEL: func.func @tuple(
// RELAY: sym_name = "fused_exp_concat{{(_[0-9]+)?}}"}
// RELAX: sym_name = "fused_exp"}
// RELAX: snippets.tuple
// RELAX: sym_name = "fused_concat{{(_[0-9]+)?}}"}
// CHECK: func.return
func.func @tuple(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = snippets.exp %x : tensor<?xf32>
  %1 = snippets.tuple %0 : (tensor<?xf32>) -> tuple<tensor<?xf32>>
  %2 = "t.concat"(%1) {fuse.pattern = "injective"} : (tuple<tensor<?xf32>>) -> tensor<?xf32>
  func.return %2 : tensor<?xf32>
}

// The order: of the search from the results in Relay, of the text in Relax.
// CHECK-LABEL: func.func @order(
// RELAY: sym_name = "fused_right{{(_[0-9]+)?}}"}
// RELAY: sym_name = "fused_left_add{{(_[0-9]+)?}}"}
// RELAX: sym_name = "fused_left{{(_[0-9]+)?}}"}
// RELAX: sym_name = "fused_right_add{{(_[0-9]+)?}}"}
// CHECK: func.return
func.func @order(%x: tensor<4xf32>) -> tensor<4xf32> {
  %1 = "t.right"(%x) {fuse.pattern = "out_elemwise_fusable"} : (tensor<4xf32>) -> tensor<4xf32>
  %0 = "t.left"(%x) {fuse.pattern = "out_elemwise_fusable"} : (tensor<4xf32>) -> tensor<4xf32>
  %2 = snippets.add %0, %1 : tensor<4xf32>
  func.return %2 : tensor<4xf32>
}

// A field of a packed parameter is opaque in Relax: num_input counts the others.
// CHECK-LABEL: func.func @packed(
// RELAX-NEXT: snippets.tuple_get %t
// RELAX-NEXT: snippets.tuple_get %p
// RELAX-NEXT: snippets.subgraph
// RELAY-NEXT: snippets.subgraph (%{{.*}} = %t, %{{.*}} = %p)
// CHECK: func.return
func.func @packed(%t: tuple<tensor<4xf32>>, %p: tuple<tensor<4xf32>>) -> tensor<4xf32> attributes {num_input = 0 : i64} {
  %0 = snippets.tuple_get %t {index = 0 : i64} : (tuple<tensor<4xf32>>) -> tensor<4xf32>
  %1 = snippets.tuple_get %p {index = 0 : i64} : (tuple<tensor<4xf32>>) -> tensor<4xf32>
  %2 = snippets.add %0, %1 : tensor<4xf32>
  func.return %2 : tensor<4xf32>
}
