// RUN: snippets-opt --allow-unregistered-dialect %s -p snippets-fuse-ops | filecheck %s

// Tuples and stop_fusion.

// The tuple goes into the injective op that reads it (phase 1), its fields follow (phase 2).
// CHECK-LABEL: func.func @fields_follow(
// CHECK-NEXT: snippets.subgraph (%{{.*}} = %x, %{{.*}} = %y) : {{.*}}sym_name = "fused_exp_abs_concat{{(_[0-9]+)?}}"}
// CHECK: snippets.tuple
// CHECK: "t.concat"
// CHECK-NOT: snippets.subgraph
// CHECK: func.return
func.func @fields_follow(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<8xf32> {
  %0 = snippets.exp %x : tensor<4xf32>
  %1 = snippets.abs %y : tensor<4xf32>
  %2 = snippets.tuple %0, %1 : (tensor<4xf32>, tensor<4xf32>) -> tuple<tensor<4xf32>, tensor<4xf32>>
  %3 = "t.concat"(%2) {fuse.pattern = "injective"} : (tuple<tensor<4xf32>, tensor<4xf32>>) -> tensor<8xf32>
  func.return %3 : tensor<8xf32>
}

// A tuple that an opaque op reads stays a tuple, and nothing goes into it.
// CHECK-LABEL: func.func @tuple_of_opaque(
// CHECK: snippets.subgraph {{.*}}sym_name = "fused_exp{{(_[0-9]+)?}}"}
// CHECK: snippets.subgraph {{.*}}sym_name = "fused_abs{{(_[0-9]+)?}}"}
// CHECK: %[[T:.*]] = snippets.tuple
// CHECK-NEXT: snippets.subgraph (%{{.*}} = %[[T]]) : {{.*}}sym_name = "fused_opq{{(_[0-9]+)?}}"}
// CHECK: func.return
func.func @tuple_of_opaque(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<8xf32> {
  %0 = snippets.exp %x : tensor<4xf32>
  %1 = snippets.abs %y : tensor<4xf32>
  %2 = snippets.tuple %0, %1 : (tensor<4xf32>, tensor<4xf32>) -> tuple<tensor<4xf32>, tensor<4xf32>>
  %3 = "t.opq"(%2) {fuse.pattern = "opaque"} : (tuple<tensor<4xf32>, tensor<4xf32>>) -> tensor<8xf32>
  func.return %3 : tensor<8xf32>
}

// A tuple that is returned is extern.
// CHECK-LABEL: func.func @returned(
// CHECK: snippets.subgraph {{.*}}sym_name = "fused_exp{{(_[0-9]+)?}}"}
// CHECK: %[[T:.*]] = snippets.tuple
// CHECK-NEXT: func.return %[[T]]
func.func @returned(%x: tensor<4xf32>) -> tuple<tensor<4xf32>> {
  %0 = snippets.exp %x : tensor<4xf32>
  %1 = snippets.tuple %0 : (tensor<4xf32>) -> tuple<tensor<4xf32>>
  func.return %1 : tuple<tensor<4xf32>>
}

// A field of an argument is injective: it goes into what reads it, the tuple is the parameter.
// CHECK-LABEL: func.func @field_of_argument(
// CHECK-NEXT: snippets.subgraph (%{{.*}} = %t) : {{.*}} attributes {primitive, sym_name = "fused_exp{{(_[0-9]+)?}}"} {
// CHECK-NEXT: snippets.tuple_get
// CHECK-NEXT: snippets.exp
func.func @field_of_argument(%t: tuple<tensor<4xf32>, tensor<4xf32>>) -> tensor<4xf32> {
  %0 = snippets.tuple_get %t {index = 1 : i64} : (tuple<tensor<4xf32>, tensor<4xf32>>) -> tensor<4xf32>
  %1 = snippets.exp %0 : tensor<4xf32>
  func.return %1 : tensor<4xf32>
}

// A field of what an opaque op gives, alone, stays outside.
// CHECK-LABEL: func.func @lone_field(
// CHECK: snippets.subgraph {{.*}} sym_name = "fused_opq{{(_[0-9]+)?}}"}
// CHECK: snippets.yield
// CHECK-NEXT: }
// CHECK-NEXT: snippets.tuple_get
// CHECK-NEXT: func.return
func.func @lone_field(%x: tensor<4xf32>) -> tensor<4xf32> {
  %t = "t.opq"(%x) {fuse.pattern = "opaque"} : (tensor<4xf32>) -> tuple<tensor<4xf32>, tensor<4xf32>>
  %0 = snippets.tuple_get %t {index = 1 : i64} : (tuple<tensor<4xf32>, tensor<4xf32>>) -> tensor<4xf32>
  func.return %0 : tensor<4xf32>
}

// With its tuple it is a function of its own, which is not primitive: nothing is computed.
// CHECK-LABEL: func.func @field_of_tuple(
// CHECK-NEXT: snippets.subgraph (%{{.*}} = %x) : {{.*}} attributes {sym_name = "fused_tuple_tuple_get{{(_[0-9]+)?}}"} {
// CHECK-NEXT: snippets.tuple
// CHECK-NEXT: snippets.tuple_get
// CHECK-NEXT: snippets.yield
func.func @field_of_tuple(%x: tensor<4xf32>) -> tensor<4xf32> {
  %t = snippets.tuple %x : (tensor<4xf32>) -> tuple<tensor<4xf32>>
  %0 = snippets.tuple_get %t {index = 0 : i64} : (tuple<tensor<4xf32>>) -> tensor<4xf32>
  func.return %0 : tensor<4xf32>
}

// A split and its fields: the fields that meet again make one group with it.
// CHECK-LABEL: func.func @split(
// CHECK-NEXT: snippets.subgraph (%{{.*}} = %x) : {{.*}}sym_name = "fused_split_add{{(_[0-9]+)?}}"}
// CHECK-NOT: snippets.subgraph
// CHECK: func.return
func.func @split(%x: tensor<8xf32>) -> tensor<4xf32> {
  %t = "t.split"(%x) {fuse.pattern = "injective"} : (tensor<8xf32>) -> tuple<tensor<4xf32>, tensor<4xf32>>
  %0 = snippets.tuple_get %t {index = 0 : i64} : (tuple<tensor<4xf32>, tensor<4xf32>>) -> tensor<4xf32>
  %1 = snippets.tuple_get %t {index = 1 : i64} : (tuple<tensor<4xf32>, tensor<4xf32>>) -> tensor<4xf32>
  %2 = snippets.add %0, %1 : tensor<4xf32>
  func.return %2 : tensor<4xf32>
}

// A tuple inside of a tuple: the inner one is extern, and the field that has it opaque.
// CHECK-LABEL: func.func @nested(
// CHECK: snippets.tuple
// CHECK-NEXT: snippets.tuple
// CHECK-NEXT: snippets.tuple_get
// CHECK-NEXT: snippets.subgraph {{.*}}sym_name = "fused_concat{{(_[0-9]+)?}}"}
func.func @nested(%x: tensor<4xf32>) -> tensor<8xf32> {
  %0 = snippets.tuple %x : (tensor<4xf32>) -> tuple<tensor<4xf32>>
  %1 = snippets.tuple %0, %x : (tuple<tensor<4xf32>>, tensor<4xf32>) -> tuple<tuple<tensor<4xf32>>, tensor<4xf32>>
  %2 = snippets.tuple_get %1 {index = 1 : i64} : (tuple<tuple<tensor<4xf32>>, tensor<4xf32>>) -> tensor<4xf32>
  %3 = "t.concat"(%2) {fuse.pattern = "injective"} : (tensor<4xf32>) -> tensor<8xf32>
  func.return %3 : tensor<8xf32>
}

// Nothing crosses stop_fusion, and it is gone.
// CHECK-LABEL: func.func @stop(
// CHECK: snippets.subgraph {{.*}}sym_name = "fused_exp{{(_[0-9]+)?}}"}
// CHECK: snippets.subgraph {{.*}}sym_name = "fused_abs{{(_[0-9]+)?}}"}
// CHECK-NOT: stop_fusion
// CHECK: func.return
func.func @stop(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = snippets.exp %x : tensor<4xf32>
  %1 = snippets.stop_fusion %0 : tensor<4xf32>
  %2 = snippets.abs %1 : tensor<4xf32>
  func.return %2 : tensor<4xf32>
}

// CHECK-LABEL: func.func @only_stop(
// CHECK-NEXT: func.return %x
func.func @only_stop(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = snippets.stop_fusion %x : tensor<4xf32>
  %1 = snippets.stop_fusion %0 : tensor<4xf32>
  func.return %1 : tensor<4xf32>
}
