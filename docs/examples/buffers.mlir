// Two values of a row cross loops, and one of them is read again after the other is made.
func.func @main(%x: tensor<64x250xf32> {snippets.name = "x"}) -> (tensor<64x250xf32> {snippets.name = "y"}) {
  %e = snippets.exp %x : tensor<64x250xf32>
  %s = snippets.reduce_sum %e {axes = array<i64: 1>, keep_dims} : (tensor<64x250xf32>) -> tensor<64x1xf32>
  %q = snippets.divide %e, %s : (tensor<64x250xf32>, tensor<64x1xf32>) -> tensor<64x250xf32>
  %m = snippets.reduce_max %q {axes = array<i64: 1>, keep_dims} : (tensor<64x250xf32>) -> tensor<64x1xf32>
  %u = snippets.subtract %q, %m : (tensor<64x250xf32>, tensor<64x1xf32>) -> tensor<64x250xf32>
  %y = snippets.multiply %u, %e : tensor<64x250xf32>
  func.return %y : tensor<64x250xf32>
}
