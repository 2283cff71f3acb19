// RUN: snippets-opt %s --split-input-file --verify-diagnostics

// O1 - `op_type` is not empty.

func.func @o1_no_operator(%x: tensor<f32>) {
  // expected-error @+1 {{O1: onnx.node expects an operator's name, found an empty string}}
  %0 = onnx.node ""(%x) {domain = "", version = 13 : i64} : (tensor<f32>) -> tensor<f32>
  func.return
}

// -----

// O2 - `version` is at least 1.

func.func @o2_version_zero(%x: tensor<f32>) {
  // expected-error @+1 {{O2: onnx.node expects an opset version of 1 or more, found 0}}
  %0 = onnx.node "Relu"(%x) {domain = "", version = 0 : i64} : (tensor<f32>) -> tensor<f32>
  func.return
}

// -----

// O3 - `absent` lists positions among the inputs, in ascending order.

func.func @o3_absent_beyond_the_inputs(%x: tensor<f32>) {
  // expected-error @+1 {{O3: onnx.node expects ascending positions below 2 in absent, found [2]}}
  %0 = "onnx.node"(%x) <{op_type = "Clip", domain = "", version = 13 : i64, absent = array<i64: 2>}> : (tensor<f32>) -> tensor<f32>
  func.return
}

// -----

func.func @o3_absent_out_of_order(%x: tensor<f32>) {
  // expected-error @+1 {{O3: onnx.node expects ascending positions below 3 in absent, found [2, 1]}}
  %0 = "onnx.node"(%x) <{op_type = "Clip", domain = "", version = 13 : i64, absent = array<i64: 2, 1>}> : (tensor<f32>) -> tensor<f32>
  func.return
}

// -----

// O4 - there are at least as many operands as `captures`.

func.func @o4_capture_without_operand(%x: tensor<f32>) {
  // expected-error @+1 {{O4: onnx.node expects an operand for each of its 2 captures, found 1 operands}}
  %0 = "onnx.node"(%x) <{op_type = "If", domain = "", version = 13 : i64, captures = ["a", "b"]}> : (tensor<f32>) -> tensor<f32>
  func.return
}

// -----

func.func @version_is_required(%x: tensor<f32>) {
  // expected-error @+1 {{property 'version'}}
  %0 = onnx.node "Relu"(%x) {domain = ""} : (tensor<f32>) -> tensor<f32>
  func.return
}

// -----

func.func @operand_missing_in_type(%x: tensor<f32>) {
  // expected-error @+1 {{expected 0 operand types but had 1}}
  %0 = onnx.node "Relu"(%x) {domain = "", version = 13 : i64} : () -> tensor<f32>
  func.return
}

// -----

func.func @tensor_of_no_number(%x: tensor<f32>) {
  // expected-error @+1 {{expected dense<...>}}
  %0 = onnx.node "A"(%x) {domain = "", version = 13 : i64, attributes = {t = #onnx.tensor<"v", 1 : i64>}} : (tensor<f32>) -> tensor<f32>
  func.return
}
