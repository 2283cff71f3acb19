// RUN: snippets-opt %s -p 'snippets-align-element-types{inputs=f16,f17}' --split-input-file --verify-diagnostics

func.func @length(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{expected 1 input types for this subgraph, one each, found 2; write - for one that stays}}
  %0 = snippets.subgraph (%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    snippets.yield %a : tensor<4xf32>
  }
  func.return %0 : tensor<4xf32>
}

// -----

func.func @name(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{or -, found 'f17'}}
  %0 = snippets.subgraph (%a = %x, %b = %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
    %1 = snippets.add %a, %b : tensor<4xf32>
    snippets.yield %1 : tensor<4xf32>
  }
  func.return %0 : tensor<4xf32>
}
