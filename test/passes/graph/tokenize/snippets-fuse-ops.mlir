// RUN: snippets-opt --allow-unregistered-dialect %s -p snippets-fuse-ops | filecheck %s

// What fuses with what: each rule and its twin. Names are those of the ops in a group; a lone op
// has a group of its own. All shapes are equal except where a broadcast is meant.

// Elementwise ops fuse,
// CHECK-LABEL: func.func @elemwise_chain(
// CHECK: snippets.subgraph {{.*}}sym_name = "fused_ew1_ew2_ew3"
// CHECK-NOT: snippets.subgraph
// CHECK: func.return
func.func @elemwise_chain(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %v0 = "t.ew1"(%x) {fuse.pattern = "elemwise"} : (tensor<4xf32>) -> tensor<4xf32>
  %v1 = "t.ew2"(%v0) {fuse.pattern = "elemwise"} : (tensor<4xf32>) -> tensor<4xf32>
  %v2 = "t.ew3"(%v1) {fuse.pattern = "elemwise"} : (tensor<4xf32>) -> tensor<4xf32>
  func.return %v2 : tensor<4xf32>
}

// but not across an opaque op.
// CHECK-LABEL: func.func @opaque_between(
// CHECK: snippets.subgraph {{.*}}sym_name = "fused_ew1"
// CHECK: snippets.subgraph {{.*}}sym_name = "fused_opq"
// CHECK: snippets.subgraph {{.*}}sym_name = "fused_ew2"
// CHECK-NOT: snippets.subgraph
// CHECK: func.return
func.func @opaque_between(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %v0 = "t.ew1"(%x) {fuse.pattern = "elemwise"} : (tensor<4xf32>) -> tensor<4xf32>
  %v1 = "t.opq"(%v0) {fuse.pattern = "opaque"} : (tensor<4xf32>) -> tensor<4xf32>
  %v2 = "t.ew2"(%v1) {fuse.pattern = "elemwise"} : (tensor<4xf32>) -> tensor<4xf32>
  func.return %v2 : tensor<4xf32>
}

// An elementwise op goes into a reduction;
// CHECK-LABEL: func.func @elemwise_into_reduction(
// CHECK: snippets.subgraph {{.*}}sym_name = "fused_ew_red"
// CHECK-NOT: snippets.subgraph
// CHECK: func.return
func.func @elemwise_into_reduction(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %v0 = "t.ew"(%x) {fuse.pattern = "elemwise"} : (tensor<4xf32>) -> tensor<4xf32>
  %v1 = "t.red"(%v0) {fuse.pattern = "comm_reduce"} : (tensor<4xf32>) -> tensor<4xf32>
  func.return %v1 : tensor<4xf32>
}

// an injective one does not.
// CHECK-LABEL: func.func @injective_before_reduction(
// CHECK: snippets.subgraph {{.*}}sym_name = "fused_inj"
// CHECK: snippets.subgraph {{.*}}sym_name = "fused_red"
// CHECK-NOT: snippets.subgraph
// CHECK: func.return
func.func @injective_before_reduction(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %v0 = "t.inj"(%x) {fuse.pattern = "injective"} : (tensor<4xf32>) -> tensor<4xf32>
  %v1 = "t.red"(%v0) {fuse.pattern = "comm_reduce"} : (tensor<4xf32>) -> tensor<4xf32>
  func.return %v1 : tensor<4xf32>
}

// No op after a reduction goes in.
// CHECK-LABEL: func.func @reduction_before_elemwise(
// CHECK: snippets.subgraph {{.*}}sym_name = "fused_red"
// CHECK: snippets.subgraph {{.*}}sym_name = "fused_ew"
// CHECK-NOT: snippets.subgraph
// CHECK: func.return
func.func @reduction_before_elemwise(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %v0 = "t.red"(%x) {fuse.pattern = "comm_reduce"} : (tensor<4xf32>) -> tensor<4xf32>
  %v1 = "t.ew"(%v0) {fuse.pattern = "elemwise"} : (tensor<4xf32>) -> tensor<4xf32>
  func.return %v1 : tensor<4xf32>
}

// A complex op takes elementwise ops after it in;
// CHECK-LABEL: func.func @conv_then_elemwise(
// CHECK: snippets.subgraph {{.*}}sym_name = "fused_conv_ew1_ew2"
// CHECK-NOT: snippets.subgraph
// CHECK: func.return
func.func @conv_then_elemwise(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %v0 = "t.conv"(%x) {fuse.pattern = "out_elemwise_fusable"} : (tensor<4xf32>) -> tensor<4xf32>
  %v1 = "t.ew1"(%v0) {fuse.pattern = "elemwise"} : (tensor<4xf32>) -> tensor<4xf32>
  %v2 = "t.ew2"(%v1) {fuse.pattern = "elemwise"} : (tensor<4xf32>) -> tensor<4xf32>
  func.return %v2 : tensor<4xf32>
}

// elementwise ops in front of it stay outside,
// CHECK-LABEL: func.func @elemwise_then_conv(
// CHECK: snippets.subgraph {{.*}}sym_name = "fused_ew"
// CHECK: snippets.subgraph {{.*}}sym_name = "fused_conv"
// CHECK-NOT: snippets.subgraph
// CHECK: func.return
func.func @elemwise_then_conv(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %v0 = "t.ew"(%x) {fuse.pattern = "elemwise"} : (tensor<4xf32>) -> tensor<4xf32>
  %v1 = "t.conv"(%v0) {fuse.pattern = "out_elemwise_fusable"} : (tensor<4xf32>) -> tensor<4xf32>
  func.return %v1 : tensor<4xf32>
}

// and so do injective ones.
// CHECK-LABEL: func.func @injective_then_conv(
// CHECK: snippets.subgraph {{.*}}sym_name = "fused_inj"
// CHECK: snippets.subgraph {{.*}}sym_name = "fused_conv"
// CHECK-NOT: snippets.subgraph
// CHECK: func.return
func.func @injective_then_conv(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %v0 = "t.inj"(%x) {fuse.pattern = "injective"} : (tensor<4xf32>) -> tensor<4xf32>
  %v1 = "t.conv"(%v0) {fuse.pattern = "out_elemwise_fusable"} : (tensor<4xf32>) -> tensor<4xf32>
  func.return %v1 : tensor<4xf32>
}

// An injective op does not join a complex group.
// CHECK-LABEL: func.func @conv_elemwise_injective(
// CHECK: snippets.subgraph {{.*}}sym_name = "fused_conv_ew"
// CHECK: snippets.subgraph {{.*}}sym_name = "fused_inj"
// CHECK-NOT: snippets.subgraph
// CHECK: func.return
func.func @conv_elemwise_injective(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %v0 = "t.conv"(%x) {fuse.pattern = "out_elemwise_fusable"} : (tensor<4xf32>) -> tensor<4xf32>
  %v1 = "t.ew"(%v0) {fuse.pattern = "elemwise"} : (tensor<4xf32>) -> tensor<4xf32>
  %v2 = "t.inj"(%v1) {fuse.pattern = "injective"} : (tensor<4xf32>) -> tensor<4xf32>
  func.return %v2 : tensor<4xf32>
}

// Nor does a reduction.
// CHECK-LABEL: func.func @conv_elemwise_reduction(
// CHECK: snippets.subgraph {{.*}}sym_name = "fused_conv_ew"
// CHECK: snippets.subgraph {{.*}}sym_name = "fused_red"
// CHECK-NOT: snippets.subgraph
// CHECK: func.return
func.func @conv_elemwise_reduction(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %v0 = "t.conv"(%x) {fuse.pattern = "out_elemwise_fusable"} : (tensor<4xf32>) -> tensor<4xf32>
  %v1 = "t.ew"(%v0) {fuse.pattern = "elemwise"} : (tensor<4xf32>) -> tensor<4xf32>
  %v2 = "t.red"(%v1) {fuse.pattern = "comm_reduce"} : (tensor<4xf32>) -> tensor<4xf32>
  func.return %v2 : tensor<4xf32>
}

// Two complex ops never meet.
// CHECK-LABEL: func.func @conv_conv(
// CHECK: snippets.subgraph {{.*}}sym_name = "fused_conv1"
// CHECK: snippets.subgraph {{.*}}sym_name = "fused_conv2"
// CHECK-NOT: snippets.subgraph
// CHECK: func.return
func.func @conv_conv(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %v0 = "t.conv1"(%x) {fuse.pattern = "out_elemwise_fusable"} : (tensor<4xf32>) -> tensor<4xf32>
  %v1 = "t.conv2"(%v0) {fuse.pattern = "out_elemwise_fusable"} : (tensor<4xf32>) -> tensor<4xf32>
  func.return %v1 : tensor<4xf32>
}

// Injective ops fuse, in phase 1,
// CHECK-LABEL: func.func @injective_chain(
// CHECK: snippets.subgraph {{.*}}sym_name = "fused_inj1_inj2_ew"
// CHECK-NOT: snippets.subgraph
// CHECK: func.return
func.func @injective_chain(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %v0 = "t.inj1"(%x) {fuse.pattern = "injective"} : (tensor<4xf32>) -> tensor<4xf32>
  %v1 = "t.inj2"(%v0) {fuse.pattern = "injective"} : (tensor<4xf32>) -> tensor<4xf32>
  %v2 = "t.ew"(%v1) {fuse.pattern = "elemwise"} : (tensor<4xf32>) -> tensor<4xf32>
  func.return %v2 : tensor<4xf32>
}

// and broadcast ops before them.
// CHECK-LABEL: func.func @broadcast_injective(
// CHECK: snippets.subgraph {{.*}}sym_name = "fused_ew_bc_inj"
// CHECK-NOT: snippets.subgraph
// CHECK: func.return
func.func @broadcast_injective(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %v0 = "t.ew"(%x) {fuse.pattern = "elemwise"} : (tensor<4xf32>) -> tensor<4xf32>
  %v1 = "t.bc"(%v0) {fuse.pattern = "broadcast"} : (tensor<4xf32>) -> tensor<4xf32>
  %v2 = "t.inj"(%v1) {fuse.pattern = "injective"} : (tensor<4xf32>) -> tensor<4xf32>
  func.return %v2 : tensor<4xf32>
}

// In phase 0 elementwise ops take a reduction, before injective ops can reach them.
// CHECK-LABEL: func.func @broadcast_injective_elemwise_reduction(
// CHECK: snippets.subgraph {{.*}}sym_name = "fused_bc_inj"
// CHECK: snippets.subgraph {{.*}}sym_name = "fused_ew_red"
// CHECK-NOT: snippets.subgraph
// CHECK: func.return
func.func @broadcast_injective_elemwise_reduction(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %v0 = "t.bc"(%x) {fuse.pattern = "broadcast"} : (tensor<4xf32>) -> tensor<4xf32>
  %v1 = "t.inj"(%v0) {fuse.pattern = "injective"} : (tensor<4xf32>) -> tensor<4xf32>
  %v2 = "t.ew"(%v1) {fuse.pattern = "elemwise"} : (tensor<4xf32>) -> tensor<4xf32>
  %v3 = "t.red"(%v2) {fuse.pattern = "comm_reduce"} : (tensor<4xf32>) -> tensor<4xf32>
  func.return %v3 : tensor<4xf32>
}

// An elementwise side input of what follows a complex op fuses,
// CHECK-LABEL: func.func @side_elemwise(
// CHECK: snippets.subgraph {{.*}}sym_name = "fused_conv_ew_ew9"
// CHECK-NOT: snippets.subgraph
// CHECK: func.return
func.func @side_elemwise(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %c = "t.conv"(%x) {fuse.pattern = "out_elemwise_fusable"} : (tensor<4xf32>) -> tensor<4xf32>
  %s = "t.ew"(%y) {fuse.pattern = "elemwise"} : (tensor<4xf32>) -> tensor<4xf32>
  %a = "t.ew9"(%c, %s) {fuse.pattern = "elemwise"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  func.return %a : tensor<4xf32>
}

// a broadcast one does,
// CHECK-LABEL: func.func @side_broadcast(
// CHECK: snippets.subgraph {{.*}}sym_name = "fused_conv_bc_ew9"
// CHECK-NOT: snippets.subgraph
// CHECK: func.return
func.func @side_broadcast(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %c = "t.conv"(%x) {fuse.pattern = "out_elemwise_fusable"} : (tensor<4xf32>) -> tensor<4xf32>
  %s = "t.bc"(%y) {fuse.pattern = "broadcast"} : (tensor<4xf32>) -> tensor<4xf32>
  %a = "t.ew9"(%c, %s) {fuse.pattern = "elemwise"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  func.return %a : tensor<4xf32>
}

// an injective one does not.
// CHECK-LABEL: func.func @side_injective(
// CHECK: snippets.subgraph {{.*}}sym_name = "fused_inj"
// CHECK: snippets.subgraph {{.*}}sym_name = "fused_conv_ew9"
// CHECK-NOT: snippets.subgraph
// CHECK: func.return
func.func @side_injective(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %c = "t.conv"(%x) {fuse.pattern = "out_elemwise_fusable"} : (tensor<4xf32>) -> tensor<4xf32>
  %s = "t.inj"(%y) {fuse.pattern = "injective"} : (tensor<4xf32>) -> tensor<4xf32>
  %a = "t.ew9"(%c, %s) {fuse.pattern = "elemwise"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  func.return %a : tensor<4xf32>
}

// The complex op that is first in the graph's order takes what both feed;
// CHECK-LABEL: func.func @two_convs(
// CHECK: snippets.subgraph {{.*}}sym_name = "fused_conv2"
// CHECK: snippets.subgraph {{.*}}sym_name = "fused_conv1_ew"
// CHECK-NOT: snippets.subgraph
// CHECK: func.return
func.func @two_convs(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %c = "t.conv1"(%x) {fuse.pattern = "out_elemwise_fusable"} : (tensor<4xf32>) -> tensor<4xf32>
  %d = "t.conv2"(%y) {fuse.pattern = "out_elemwise_fusable"} : (tensor<4xf32>) -> tensor<4xf32>
  %a = "t.ew"(%c, %d) {fuse.pattern = "elemwise"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  func.return %a : tensor<4xf32>
}

// the order is that of the search from the result, not of the text.
// CHECK-LABEL: func.func @two_convs_swapped(
// CHECK: snippets.subgraph {{.*}}sym_name = "fused_conv2"
// CHECK: snippets.subgraph {{.*}}sym_name = "fused_conv1_ew"
// CHECK-NOT: snippets.subgraph
// CHECK: func.return
func.func @two_convs_swapped(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %d = "t.conv2"(%y) {fuse.pattern = "out_elemwise_fusable"} : (tensor<4xf32>) -> tensor<4xf32>
  %c = "t.conv1"(%x) {fuse.pattern = "out_elemwise_fusable"} : (tensor<4xf32>) -> tensor<4xf32>
  %a = "t.ew"(%c, %d) {fuse.pattern = "elemwise"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  func.return %a : tensor<4xf32>
}

// A value that is also returned is not absorbed;
// CHECK-LABEL: func.func @returned_too(
// CHECK: snippets.subgraph {{.*}}sym_name = "fused_ew1"
// CHECK: snippets.subgraph {{.*}}sym_name = "fused_ew2"
// CHECK-NOT: snippets.subgraph
// CHECK: func.return
func.func @returned_too(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %a = "t.ew1"(%x) {fuse.pattern = "elemwise"} : (tensor<4xf32>) -> tensor<4xf32>
  %b = "t.ew2"(%a) {fuse.pattern = "elemwise"} : (tensor<4xf32>) -> tensor<4xf32>
  func.return %a, %b : tensor<4xf32>, tensor<4xf32>
}

// one that a single op reads twice is.
// CHECK-LABEL: func.func @read_twice(
// CHECK: snippets.subgraph {{.*}}sym_name = "fused_ew1_ew2"
// CHECK-NOT: snippets.subgraph
// CHECK: func.return
func.func @read_twice(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %a = "t.ew1"(%x) {fuse.pattern = "elemwise"} : (tensor<4xf32>) -> tensor<4xf32>
  %b = "t.ew2"(%a, %a) {fuse.pattern = "elemwise"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  func.return %b : tensor<4xf32>
}

// A diamond fuses with its start,
// CHECK-LABEL: func.func @diamond(
// CHECK: snippets.subgraph {{.*}}sym_name = "fused_conv_ew1_ew2_ew3"
// CHECK-NOT: snippets.subgraph
// CHECK: func.return
func.func @diamond(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %c = "t.conv"(%x) {fuse.pattern = "out_elemwise_fusable"} : (tensor<4xf32>) -> tensor<4xf32>
  %l = "t.ew1"(%c) {fuse.pattern = "elemwise"} : (tensor<4xf32>) -> tensor<4xf32>
  %r = "t.ew2"(%c) {fuse.pattern = "elemwise"} : (tensor<4xf32>) -> tensor<4xf32>
  %a = "t.ew3"(%l, %r) {fuse.pattern = "elemwise"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  func.return %a : tensor<4xf32>
}

// but an injective arm keeps a complex op out; the rest of the diamond fuses.
// CHECK-LABEL: func.func @injective_arm(
// CHECK: snippets.subgraph {{.*}}sym_name = "fused_conv"
// CHECK: snippets.subgraph {{.*}}sym_name = "fused_ew1_inj_ew3"
// CHECK-NOT: snippets.subgraph
// CHECK: func.return
func.func @injective_arm(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %c = "t.conv"(%x) {fuse.pattern = "out_elemwise_fusable"} : (tensor<4xf32>) -> tensor<4xf32>
  %l = "t.ew1"(%c) {fuse.pattern = "elemwise"} : (tensor<4xf32>) -> tensor<4xf32>
  %r = "t.inj"(%c) {fuse.pattern = "injective"} : (tensor<4xf32>) -> tensor<4xf32>
  %a = "t.ew3"(%l, %r) {fuse.pattern = "elemwise"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  func.return %a : tensor<4xf32>
}

// An elementwise op may have two injective arms,
// CHECK-LABEL: func.func @injective_arms(
// CHECK: snippets.subgraph {{.*}}sym_name = "fused_ew_inj1_inj2_ew3"
// CHECK-NOT: snippets.subgraph
// CHECK: func.return
func.func @injective_arms(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %c = "t.ew"(%x) {fuse.pattern = "elemwise"} : (tensor<4xf32>) -> tensor<4xf32>
  %l = "t.inj1"(%c) {fuse.pattern = "injective"} : (tensor<4xf32>) -> tensor<4xf32>
  %r = "t.inj2"(%c) {fuse.pattern = "injective"} : (tensor<4xf32>) -> tensor<4xf32>
  %a = "t.ew3"(%l, %r) {fuse.pattern = "elemwise"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  func.return %a : tensor<4xf32>
}

// but not a reduction in one.
// CHECK-LABEL: func.func @reduction_arm(
// CHECK: snippets.subgraph {{.*}}sym_name = "fused_ew"
// CHECK: snippets.subgraph {{.*}}sym_name = "fused_red"
// CHECK: snippets.subgraph {{.*}}sym_name = "fused_ew2_ew3"
// CHECK-NOT: snippets.subgraph
// CHECK: func.return
func.func @reduction_arm(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %c = "t.ew"(%x) {fuse.pattern = "elemwise"} : (tensor<4xf32>) -> tensor<4xf32>
  %l = "t.red"(%c) {fuse.pattern = "comm_reduce"} : (tensor<4xf32>) -> tensor<4xf32>
  %r = "t.ew2"(%c) {fuse.pattern = "elemwise"} : (tensor<4xf32>) -> tensor<4xf32>
  %a = "t.ew3"(%l, %r) {fuse.pattern = "elemwise"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  func.return %a : tensor<4xf32>
}

// Paths that never meet have no post-dominator;
// CHECK-LABEL: func.func @no_meeting(
// CHECK: snippets.subgraph {{.*}}sym_name = "fused_ew"
// CHECK: snippets.subgraph {{.*}}sym_name = "fused_ew1"
// CHECK: snippets.subgraph {{.*}}sym_name = "fused_ew2"
// CHECK-NOT: snippets.subgraph
// CHECK: func.return
func.func @no_meeting(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %a = "t.ew"(%x) {fuse.pattern = "elemwise"} : (tensor<4xf32>) -> tensor<4xf32>
  %b = "t.ew1"(%a) {fuse.pattern = "elemwise"} : (tensor<4xf32>) -> tensor<4xf32>
  %d = "t.ew2"(%a) {fuse.pattern = "elemwise"} : (tensor<4xf32>) -> tensor<4xf32>
  func.return %b, %d : tensor<4xf32>, tensor<4xf32>
}

// An edge from an operand of the result's shape counts as elementwise; a broadcasting one does not.
// CHECK-LABEL: func.func @conv_then_broadcast(
// CHECK: snippets.subgraph {{.*}}sym_name = "fused_conv"
// CHECK: snippets.subgraph {{.*}}sym_name = "fused_bc"
// CHECK-NOT: snippets.subgraph
// CHECK: func.return
func.func @conv_then_broadcast(%x: tensor<4xf32>) -> tensor<2x4xf32> {
  %0 = "t.conv"(%x) {fuse.pattern = "out_elemwise_fusable"} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = "t.bc"(%0) {fuse.pattern = "broadcast"} : (tensor<4xf32>) -> tensor<2x4xf32>
  func.return %1 : tensor<2x4xf32>
}

// CHECK-LABEL: func.func @conv_elemwise_broadcast(
// CHECK: snippets.subgraph {{.*}}sym_name = "fused_conv_ew"
// CHECK: snippets.subgraph {{.*}}sym_name = "fused_bc"
// CHECK-NOT: snippets.subgraph
// CHECK: func.return
func.func @conv_elemwise_broadcast(%x: tensor<4xf32>) -> tensor<2x4xf32> {
  %0 = "t.conv"(%x) {fuse.pattern = "out_elemwise_fusable"} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = "t.ew"(%0) {fuse.pattern = "elemwise"} : (tensor<4xf32>) -> tensor<4xf32>
  %2 = "t.bc"(%1) {fuse.pattern = "broadcast"} : (tensor<4xf32>) -> tensor<2x4xf32>
  func.return %2 : tensor<2x4xf32>
}

// CHECK-LABEL: func.func @conv_then_add(
// CHECK: snippets.subgraph {{.*}}sym_name = "fused_conv_add"
// CHECK-NOT: snippets.subgraph
// CHECK: func.return
func.func @conv_then_add(%x: tensor<4xf32>, %b: tensor<1xf32>) -> tensor<4xf32> {
  %0 = "t.conv"(%x) {fuse.pattern = "out_elemwise_fusable"} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = snippets.add %b, %0 : (tensor<1xf32>, tensor<4xf32>) -> tensor<4xf32>
  func.return %1 : tensor<4xf32>
}

// The published example: one group.
// CHECK-LABEL: func.func @example(
// CHECK-NEXT: snippets.subgraph (%{{.*}} = %x, %{{.*}} = %w) : {{.*}} attributes {primitive, sym_name = "fused_conv2d_add_relu_multiply_add"} {
// CHECK-NEXT: "t.conv2d"
// CHECK-NEXT: snippets.scalar 1.000000e+00 : f32
// CHECK-NEXT: snippets.add
// CHECK-NEXT: snippets.relu
// CHECK-NEXT: snippets.scalar 5.000000e-01 : f32
// CHECK-NEXT: snippets.multiply
// CHECK-NEXT: snippets.add
// CHECK-NEXT: snippets.yield
// CHECK-NEXT: }
// CHECK-NEXT: func.return
func.func @example(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x1x1xf32>) -> tensor<1x4x8x8xf32> {
  %one = snippets.scalar 1.0 : f32
  %half = snippets.scalar 0.5 : f32
  %0 = "t.conv2d"(%x, %w) {fuse.pattern = "out_elemwise_fusable"} : (tensor<1x3x8x8xf32>, tensor<4x3x1x1xf32>) -> tensor<1x4x8x8xf32>
  %1 = snippets.add %0, %one : (tensor<1x4x8x8xf32>, tensor<f32>) -> tensor<1x4x8x8xf32>
  %2 = snippets.relu %1 : tensor<1x4x8x8xf32>
  %3 = snippets.multiply %2, %half : (tensor<1x4x8x8xf32>, tensor<f32>) -> tensor<1x4x8x8xf32>
  %4 = snippets.add %2, %3 : tensor<1x4x8x8xf32>
  func.return %4 : tensor<1x4x8x8xf32>
}

// Ops of ONNX carry kinds: Relu joins the Conv before it, MaxPool and Gather do not.
// CHECK-LABEL: func.func @onnx(
// CHECK: snippets.subgraph {{.*}}sym_name = "fused_conv_relu"
// CHECK: snippets.subgraph {{.*}}sym_name = "fused_max_pool"
// CHECK: snippets.subgraph {{.*}}sym_name = "fused_transpose_reshape"
// CHECK: snippets.subgraph {{.*}}sym_name = "fused_reduce_mean"
// CHECK: snippets.subgraph {{.*}}sym_name = "fused_non_zero"
// CHECK-NOT: snippets.subgraph
// CHECK: func.return
func.func @onnx(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x1x1xf32>) -> tensor<2x?xi64> {
  %0 = onnx.node "Conv"(%x, %w) {domain = "", version = 11 : i64} : (tensor<1x3x8x8xf32>, tensor<4x3x1x1xf32>) -> tensor<1x4x8x8xf32>
  %1 = snippets.relu %0 : tensor<1x4x8x8xf32>
  %2 = onnx.node "MaxPool"(%1) {domain = "", version = 11 : i64} : (tensor<1x4x8x8xf32>) -> tensor<1x4x4x4xf32>
  %3 = onnx.node "Transpose"(%2) {domain = "", version = 11 : i64} : (tensor<1x4x4x4xf32>) -> tensor<4x4x4x1xf32>
  %4 = snippets.reshape %3 : (tensor<4x4x4x1xf32>) -> tensor<4x16xf32>
  %5 = onnx.node "ReduceMean"(%4) {domain = "", version = 11 : i64} : (tensor<4x16xf32>) -> tensor<4x1xf32>
  %6 = onnx.node "NonZero"(%5) {domain = "", version = 11 : i64} : (tensor<4x1xf32>) -> tensor<2x?xi64>
  func.return %6 : tensor<2x?xi64>
}

// What may have side effects or has regions is never wrapped nor fused; dead ops stay.
// CHECK-LABEL: func.func @left_alone(
// CHECK-NEXT: "t.unknown"(%x)
// CHECK-NEXT: snippets.subgraph {{.*}} attributes {primitive, sym_name = "fused_relu"}
// CHECK-NEXT: snippets.relu
// CHECK-NEXT: snippets.yield
// CHECK-NEXT: }
// CHECK-NEXT: "t.region"() ({
// CHECK-NEXT: "t.use"(%{{.*}})
// CHECK-NEXT: }) {fuse.pattern = "elemwise"}
// CHECK-NEXT: onnx.node "RandomNormalLike"(%x)
// CHECK-NEXT: func.return
func.func @left_alone(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "t.unknown"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = snippets.relu %0 : tensor<4xf32>
  %2 = "t.region"() ({
    "t.use"(%1) : (tensor<4xf32>) -> ()
  }) {fuse.pattern = "elemwise"} : () -> tensor<4xf32>
  %3 = onnx.node "RandomNormalLike"(%x) {domain = "", version = 1 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  func.return %2 : tensor<4xf32>
}

// A function that is primitive, and subgraphs that are there, are left alone.
// CHECK-LABEL: func.func @primitive(
// CHECK-NEXT: snippets.relu
// CHECK-NEXT: func.return
func.func @primitive(%x: tensor<4xf32>) -> tensor<4xf32> attributes {primitive} {
  %0 = snippets.relu %x : tensor<4xf32>
  func.return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @subgraph(
// CHECK-NEXT: snippets.subgraph {{.*}}sym_name = "mine"
// CHECK-NEXT: snippets.relu
// CHECK-NEXT: snippets.yield
// CHECK-NEXT: }
// CHECK-NEXT: snippets.subgraph {{.*}}sym_name = "fused_exp"
func.func @subgraph(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = snippets.subgraph (%a = %x) : (tensor<4xf32>) -> tensor<4xf32> attributes {sym_name = "mine"} {
    %1 = snippets.relu %a : tensor<4xf32>
    snippets.yield %1 : tensor<4xf32>
  }
  %2 = snippets.exp %0 : tensor<4xf32>
  func.return %2 : tensor<4xf32>
}

// An op with several results is one node; those that are used outside are results of the group.
// CHECK-LABEL: func.func @several_results(
// CHECK-NEXT: %{{.*}}, %{{.*}} = snippets.subgraph (%{{.*}} = %x) : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xf32>) attributes {primitive, sym_name = "fused_abs_split"}
func.func @several_results(%x: tensor<4xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %0 = snippets.abs %x : tensor<4xf32>
  %1, %2 = onnx.node "Split"(%0) {domain = "", version = 13 : i64} : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  func.return %1, %2 : tensor<2xf32>, tensor<2xf32>
}

// Blocks are partitioned one by one; what another block or a region reads is extern.
// CHECK-LABEL: func.func @blocks(
// CHECK: snippets.subgraph {{.*}}sym_name = "fused_exp"}
// CHECK: snippets.subgraph {{.*}}sym_name = "fused_abs"}
// CHECK: cf.cond_br
// CHECK: snippets.subgraph {{.*}}sym_name = "fused_relu_add"}
// CHECK: func.return
// CHECK: snippets.subgraph {{.*}}sym_name = "fused_relu"}
// CHECK: func.return
func.func @blocks(%x: tensor<4xf32>, %c: i1) -> tensor<4xf32> {
  %0 = snippets.exp %x : tensor<4xf32>
  %1 = snippets.abs %0 : tensor<4xf32>
  cf.cond_br %c, ^a(%1 : tensor<4xf32>), ^b
^a(%p: tensor<4xf32>):
  %2 = snippets.relu %p : tensor<4xf32>
  %3 = snippets.add %2, %1 : tensor<4xf32>
  func.return %3 : tensor<4xf32>
^b:
  %4 = snippets.relu %0 : tensor<4xf32>
  func.return %4 : tensor<4xf32>
}

// CHECK-LABEL: func.func @region(
// CHECK: snippets.subgraph {{.*}}sym_name = "fused_exp"}
// CHECK: snippets.subgraph {{.*}}sym_name = "fused_abs"}
// CHECK: scf.if
// CHECK-NEXT: snippets.subgraph {{.*}}sym_name = "fused_relu_sin"}
func.func @region(%x: tensor<4xf32>, %c: i1) -> tensor<4xf32> {
  %0 = snippets.exp %x : tensor<4xf32>
  %1 = snippets.abs %0 : tensor<4xf32>
  %r = scf.if %c -> (tensor<4xf32>) {
    %2 = snippets.relu %0 : tensor<4xf32>
    %3 = snippets.sin %2 : tensor<4xf32>
    scf.yield %3 : tensor<4xf32>
  } else {
    scf.yield %1 : tensor<4xf32>
  }
  func.return %r : tensor<4xf32>
}
