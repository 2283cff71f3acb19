// A matrix product between two elementwise parts: ONNX Runtime runs it, kernels run the rest.
func.func @main(%x: tensor<16x32xf32> {snippets.name = "x"},
                %w: tensor<32x8xf32> {snippets.name = "w"},
                %b: tensor<8xf32> {snippets.name = "b"})
    -> (tensor<16x8xf32> {snippets.name = "y"}) {
  %0 = snippets.tanh %x : tensor<16x32xf32>
  %1 = onnx.node "MatMul"(%0, %w) {domain = "", version = 13 : i64, node_name = "product"}
      : (tensor<16x32xf32>, tensor<32x8xf32>) -> tensor<16x8xf32>
  %2 = snippets.add %1, %b : (tensor<16x8xf32>, tensor<8xf32>) -> tensor<16x8xf32>
  %3 = snippets.sigmoid %2 : tensor<16x8xf32>
  func.return %3 : tensor<16x8xf32>
}
