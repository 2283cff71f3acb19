// RUN: snippets-opt %s -p convert-snippets-to-lir --split-input-file --verify-diagnostics

func.func @dynamic(%x: tensor<?xf32>) -> tensor<?xf32> {
  %r = snippets.subgraph (%a = %x) : (tensor<?xf32>) -> tensor<?xf32> {
    // expected-error @+1 {{snippets.relu has dynamic dims (tensor<?xf32>)}}
    %0 = snippets.relu %a : tensor<?xf32>
    snippets.yield %0 : tensor<?xf32>
  }
  func.return %r : tensor<?xf32>
}

// -----

func.func @reshape(%x: tensor<8xf32>) -> tensor<2x4xf32> {
  %r = snippets.subgraph (%a = %x) : (tensor<8xf32>) -> tensor<2x4xf32> {
    // expected-error @+1 {{snippets.reshape has no element-wise meaning}}
    %0 = snippets.reshape %a : (tensor<8xf32>) -> tensor<2x4xf32>
    snippets.yield %0 : tensor<2x4xf32>
  }
  func.return %r : tensor<2x4xf32>
}

// -----

func.func @constant() -> tensor<2xf32> {
  %r = snippets.subgraph () : () -> tensor<2xf32> {
    // expected-error @+1 {{snippets.constant has no element-wise meaning}}
    %0 = snippets.constant dense<[1.0, 2.0]> : tensor<2xf32>
    snippets.yield %0 : tensor<2xf32>
  }
  func.return %r : tensor<2xf32>
}
