// Attention: softmax(q k^T / 8 + mask) v, for 4 heads.
func.func @main(%q: tensor<4x300x64xf32>, %k: tensor<4x2048x64xf32>, %v: tensor<4x2048x64xf32>,
    %mask: tensor<2048xf32>) -> tensor<4x300x64xf32> {
  %scale = snippets.constant dense<0.125> : tensor<f32>
  %0 = snippets.matmul %q, %k {transpose_b} : (tensor<4x300x64xf32>, tensor<4x2048x64xf32>) -> tensor<4x300x2048xf32>
  %1 = snippets.multiply %0, %scale : (tensor<4x300x2048xf32>, tensor<f32>) -> tensor<4x300x2048xf32>
  %2 = snippets.add %1, %mask : (tensor<4x300x2048xf32>, tensor<2048xf32>) -> tensor<4x300x2048xf32>
  %3 = snippets.softmax %2 {axis = 2 : i64} : tensor<4x300x2048xf32>
  %4 = snippets.matmul %3, %v : (tensor<4x300x2048xf32>, tensor<4x2048x64xf32>) -> tensor<4x300x64xf32>
  func.return %4 : tensor<4x300x64xf32>
}
