// The logarithm of the softmax along the last dim, which no product of exp and log would overflow.
func.func @main(%x: tensor<64x1000xf32> {snippets.name = "x"}) -> (tensor<64x1000xf32> {snippets.name = "y"}) {
  %y = snippets.log_softmax %x {axis = 1 : i64} : tensor<64x1000xf32>
  func.return %y : tensor<64x1000xf32>
}
