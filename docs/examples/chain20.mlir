// Twenty cheap ops on two arrays.
func.func @main(%x: tensor<65536xf32> {snippets.name = "x"}, %y: tensor<65536xf32> {snippets.name = "y"})
    -> (tensor<65536xf32> {snippets.name = "z"}) {
  %a = snippets.scalar 1.25 : f32
  %b = snippets.scalar 3.0 : f32
  %1 = snippets.multiply %x, %a : (tensor<65536xf32>, tensor<f32>) -> tensor<65536xf32>
  %2 = snippets.add %1, %y : tensor<65536xf32>
  %3 = snippets.maximum %2, %x : tensor<65536xf32>
  %4 = snippets.subtract %3, %x : tensor<65536xf32>
  %5 = snippets.minimum %4, %b : (tensor<65536xf32>, tensor<f32>) -> tensor<65536xf32>
  %6 = snippets.multiply %5, %1 : tensor<65536xf32>
  %7 = snippets.add %6, %2 : tensor<65536xf32>
  %8 = snippets.maximum %7, %3 : tensor<65536xf32>
  %9 = snippets.subtract %8, %4 : tensor<65536xf32>
  %10 = snippets.minimum %9, %5 : tensor<65536xf32>
  %11 = snippets.multiply %10, %6 : tensor<65536xf32>
  %12 = snippets.add %11, %7 : tensor<65536xf32>
  %13 = snippets.maximum %12, %8 : tensor<65536xf32>
  %14 = snippets.subtract %13, %9 : tensor<65536xf32>
  %15 = snippets.minimum %14, %10 : tensor<65536xf32>
  %16 = snippets.multiply %15, %11 : tensor<65536xf32>
  %17 = snippets.add %16, %12 : tensor<65536xf32>
  %18 = snippets.maximum %17, %13 : tensor<65536xf32>
  %19 = snippets.subtract %18, %14 : tensor<65536xf32>
  %z = snippets.minimum %19, %15 : tensor<65536xf32>
  func.return %z : tensor<65536xf32>
}
