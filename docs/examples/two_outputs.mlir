// A value that is used inside of the kernel and returned too: a kernel with two outputs.
func.func @main(%x: tensor<33x17xf32> {snippets.name = "x"},
                %y: tensor<33x17xf32> {snippets.name = "y"})
    -> (tensor<33x17xf32> {snippets.name = "difference"},
        tensor<33x17xf32> {snippets.name = "activated"}) {
  %0 = snippets.subtract %x, %y : tensor<33x17xf32>
  %1 = snippets.gelu %0 : tensor<33x17xf32>
  func.return %0, %1 : tensor<33x17xf32>, tensor<33x17xf32>
}
