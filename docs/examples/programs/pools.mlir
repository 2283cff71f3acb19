// The example of the project's founding document without layouts: two poolings, a concat, a copy.
program.graph @main "topology" (%input0 "input0": tensor<1x1x3x8xi8>, %input1 "input1": tensor<1x1x3x8xi8>) {
  %0 = program.node "pool0" (%x = %input0) : (tensor<1x1x3x8xi8>) -> tensor<1x1x2x7xi8> {
    %v = onnx.node "MaxPool"(%x) {domain = "", version = 13 : i64, attributes = {kernel_shape = array<i64: 2, 2>, strides = array<i64: 1, 1>}} : (tensor<1x1x3x8xi8>) -> tensor<1x1x2x7xi8>
    program.yield %v : tensor<1x1x2x7xi8>
  }
  %1 = program.node "pool1" (%x = %input1) : (tensor<1x1x3x8xi8>) -> tensor<1x1x2x7xi8> {
    %v = onnx.node "MaxPool"(%x) {domain = "", version = 13 : i64, attributes = {kernel_shape = array<i64: 2, 2>, strides = array<i64: 1, 1>}} : (tensor<1x1x3x8xi8>) -> tensor<1x1x2x7xi8>
    program.yield %v : tensor<1x1x2x7xi8>
  }
  %2 = program.node "concat" (%a = %0, %b = %1) : (tensor<1x1x2x7xi8>, tensor<1x1x2x7xi8>) -> tensor<1x2x2x7xi8> {
    %v = onnx.node "Concat"(%a, %b) {domain = "", version = 13 : i64, attributes = {axis = 1 : i64}} : (tensor<1x1x2x7xi8>, tensor<1x1x2x7xi8>) -> tensor<1x2x2x7xi8>
    program.yield %v : tensor<1x2x2x7xi8>
  }
  %3 = program.node "copy" (%x = %2) : (tensor<1x2x2x7xi8>) -> tensor<1x2x2x7xi8> {
    %v = onnx.node "Identity"(%x) {domain = "", version = 13 : i64} : (tensor<1x2x2x7xi8>) -> tensor<1x2x2x7xi8>
    program.yield %v : tensor<1x2x2x7xi8>
  }
  program.output %3 as "copy" : tensor<1x2x2x7xi8>
}
