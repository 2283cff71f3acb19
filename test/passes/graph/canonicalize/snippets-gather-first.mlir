// RUN: snippets-opt %s -p snippets-gather-first --check-each --split-input-file --symbols | filecheck %s

// CHECK-LABEL: func.func @rows(
// CHECK: %[[G:.*]] = onnx.node "Gather"(%table, %ids) {{.*}}axis = 0{{.*}} : (tensor<4x3xf16>, tensor<2xi64>) -> tensor<2x3xf16>
// CHECK-NEXT: %[[R:.*]] = onnx.node "Cast"(%[[G]]) {{.*}}to = 1{{.*}} : (tensor<2x3xf16>) -> tensor<2x3xf32>
// CHECK-NEXT: func.return %[[R]]
func.func @rows(%ids: tensor<2xi64>) -> tensor<2x3xf32> {
  %table = snippets.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0], [-0.0, 0.0, 65504.0]]> : tensor<4x3xf16>
  %wide = onnx.node "Cast"(%table) {domain = "", version = 20 : i64, attributes = {to = 1 : i64}} : (tensor<4x3xf16>) -> tensor<4x3xf32>
  %rows = onnx.node "Gather"(%wide, %ids) {domain = "", version = 20 : i64, attributes = {axis = 0 : i64}} : (tensor<4x3xf32>, tensor<2xi64>) -> tensor<2x3xf32>
  func.return %rows : tensor<2x3xf32>
}

// -----

// Of any number of rows; the Cast stays for what else reads it.
// CHECK-LABEL: func.func @tied(
// CHECK: %wide = onnx.node "Cast"(%table)
// CHECK-NEXT: %[[G:.*]] = onnx.node "Gather"(%table, %ids) {{.*}} -> tensor<?x3xf16, #lir.sizes<?0>>
// CHECK-NEXT: onnx.node "Cast"(%[[G]]) {{.*}} -> tensor<?x3xf32, #lir.sizes<?0>>
// CHECK-NEXT: func.return %{{.*}}, %wide
func.func @tied(%ids: tensor<?xi64, #lir.sizes<?0>>) -> (tensor<?x3xf32, #lir.sizes<?0>>, tensor<4x3xf32>) {
  %table = snippets.constant dense<1.5> : tensor<4x3xf16>
  %wide = onnx.node "Cast"(%table) {domain = "", version = 13 : i64, attributes = {to = 1 : i64}} : (tensor<4x3xf16>) -> tensor<4x3xf32>
  %rows = onnx.node "Gather"(%wide, %ids) {domain = "", version = 13 : i64} : (tensor<4x3xf32>, tensor<?xi64, #lir.sizes<?0>>) -> tensor<?x3xf32, #lir.sizes<?0>>
  func.return %rows, %wide : tensor<?x3xf32, #lir.sizes<?0>>, tensor<4x3xf32>
}

// -----

// Each row is read more than once.
// CHECK-LABEL: func.func @more(
// CHECK: onnx.node "Gather"(%wide, %ids)
func.func @more(%ids: tensor<5xi64>) -> tensor<5x3xf32> {
  %table = snippets.constant dense<1.5> : tensor<4x3xf16>
  %wide = onnx.node "Cast"(%table) {domain = "", version = 20 : i64, attributes = {to = 1 : i64}} : (tensor<4x3xf16>) -> tensor<4x3xf32>
  %rows = onnx.node "Gather"(%wide, %ids) {domain = "", version = 20 : i64} : (tensor<4x3xf32>, tensor<5xi64>) -> tensor<5x3xf32>
  func.return %rows : tensor<5x3xf32>
}

// -----

// Not a constant.
// CHECK-LABEL: func.func @given(
// CHECK: onnx.node "Gather"(%wide, %ids)
func.func @given(%table: tensor<4x3xf16>, %ids: tensor<2xi64>) -> tensor<2x3xf32> {
  %wide = onnx.node "Cast"(%table) {domain = "", version = 20 : i64, attributes = {to = 1 : i64}} : (tensor<4x3xf16>) -> tensor<4x3xf32>
  %rows = onnx.node "Gather"(%wide, %ids) {domain = "", version = 20 : i64} : (tensor<4x3xf32>, tensor<2xi64>) -> tensor<2x3xf32>
  func.return %rows : tensor<2x3xf32>
}

// -----

// A conversion to a smaller type is done once.
// CHECK-LABEL: func.func @narrows(
// CHECK: onnx.node "Gather"(%narrow, %ids)
func.func @narrows(%ids: tensor<2xi64>) -> tensor<2x3xf16> {
  %table = snippets.constant dense<1.5> : tensor<4x3xf64>
  %narrow = onnx.node "Cast"(%table) {domain = "", version = 20 : i64, attributes = {to = 10 : i64}} : (tensor<4x3xf64>) -> tensor<4x3xf16>
  %rows = onnx.node "Gather"(%narrow, %ids) {domain = "", version = 20 : i64} : (tensor<4x3xf16>, tensor<2xi64>) -> tensor<2x3xf16>
  func.return %rows : tensor<2x3xf16>
}

// -----

// The user keeps the compiler away.
// CHECK-LABEL: func.func @skipped(
// CHECK: onnx.node "Gather"(%wide, %ids)
func.func @skipped(%ids: tensor<2xi64>) -> tensor<2x3xf32> {
  %table = snippets.constant dense<1.5> : tensor<4x3xf16>
  %wide = onnx.node "Cast"(%table) {domain = "", version = 20 : i64, attributes = {to = 1 : i64}} : (tensor<4x3xf16>) -> tensor<4x3xf32>
  %rows = onnx.node "Gather"(%wide, %ids) {domain = "", version = 20 : i64, snippets.skipped} : (tensor<4x3xf32>, tensor<2xi64>) -> tensor<2x3xf32>
  func.return %rows : tensor<2x3xf32>
}

// -----

// Another operator.
// CHECK-LABEL: func.func @other(
// CHECK: onnx.node "GatherElements"(%wide, %ids)
func.func @other(%ids: tensor<2x3xi64>) -> tensor<2x3xf32> {
  %table = snippets.constant dense<1.5> : tensor<4x3xf16>
  %wide = onnx.node "Cast"(%table) {domain = "", version = 20 : i64, attributes = {to = 1 : i64}} : (tensor<4x3xf16>) -> tensor<4x3xf32>
  %rows = onnx.node "GatherElements"(%wide, %ids) {domain = "", version = 20 : i64} : (tensor<4x3xf32>, tensor<2x3xi64>) -> tensor<2x3xf32>
  func.return %rows : tensor<2x3xf32>
}
