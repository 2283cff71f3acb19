// silu(x) * y, the gate of a SwiGLU layer: one kernel.
func.func @main(%x: tensor<4096x1024xf32> {snippets.name = "x"},
                %y: tensor<4096x1024xf32> {snippets.name = "y"})
    -> (tensor<4096x1024xf32> {snippets.name = "z"}) {
  %0 = snippets.sigmoid %x : tensor<4096x1024xf32>
  %1 = snippets.multiply %x, %0 : tensor<4096x1024xf32>
  %2 = snippets.multiply %1, %y : tensor<4096x1024xf32>
  func.return %2 : tensor<4096x1024xf32>
}
