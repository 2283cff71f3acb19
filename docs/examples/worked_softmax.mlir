// The kernel of docs/worked-kernel.md.
func.func @main(%x: tensor<64x1000xf32> {snippets.name = "x"}) -> (tensor<64x1000xf32> {snippets.name = "y"}) {
  %y = snippets.softmax %x {axis = 1 : i64} : tensor<64x1000xf32>
  func.return %y : tensor<64x1000xf32>
}
