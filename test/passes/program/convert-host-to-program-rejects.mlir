// RUN: snippets-opt %s -p convert-host-to-program{lowered=true} --verify-diagnostics

// expected-error @+1 {{@main: expected no subgraphs, found some}}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = snippets.subgraph (%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    %0 = snippets.relu %a : tensor<4xf32>
    snippets.yield %0 : tensor<4xf32>
  }
  func.return %y : tensor<4xf32>
}
