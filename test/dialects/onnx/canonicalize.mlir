// RUN: snippets-opt %s -p canonicalize,cse | filecheck %s

// Nodes are pure: unused ones vanish, equal ones are merged, but what is drawn at random is not.

// CHECK-LABEL: func.func @unused
func.func @unused(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NOT: onnx.node
  // CHECK: func.return %x
  %0 = onnx.node "Sin"(%x) {domain = "", version = 7 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = onnx.node "RandomNormalLike"(%x) {domain = "", version = 1 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  func.return %x : tensor<4xf32>
}

// CHECK-LABEL: func.func @equal_nodes
func.func @equal_nodes(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK-COUNT-1: onnx.node "Sin"
  // CHECK-NOT: onnx.node
  %0 = onnx.node "Sin"(%x) {domain = "", version = 7 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = onnx.node "Sin"(%x) {domain = "", version = 7 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  func.return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @random_nodes
func.func @random_nodes(%x: tensor<4xf32>, %c: tensor<i1>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  // CHECK-COUNT-2: onnx.node "RandomNormalLike"
  %0 = onnx.node "RandomNormalLike"(%x) {domain = "", version = 1 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = onnx.node "RandomNormalLike"(%x) {domain = "", version = 1 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  // A graph inside draws random numbers.
  // CHECK-COUNT-2: onnx.node "If"
  %2 = onnx.node "If"(%c) {domain = "", version = 16 : i64, random} : (tensor<i1>) -> tensor<4xf32>
  %3 = onnx.node "If"(%c) {domain = "", version = 16 : i64, random} : (tensor<i1>) -> tensor<4xf32>
  func.return %0, %1, %2, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @same_name_of_another_domain
func.func @same_name_of_another_domain(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK-COUNT-1: onnx.node "Dropout"
  // CHECK-NOT: onnx.node
  %0 = onnx.node "Dropout"(%x) {domain = "com.example", version = 1 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = onnx.node "Dropout"(%x) {domain = "com.example", version = 1 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  func.return %0, %1 : tensor<4xf32>, tensor<4xf32>
}
