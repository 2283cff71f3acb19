// The op is in a kernel, after a pass of the plug-in at its position.

// RUN: snippets-opt %s --load-dialect-plugin=@shrinking --load-pass-plugin=@shrinking -p snippets-tokenize | filecheck %s

// CHECK: snippets.subgraph
// CHECK: mine.softshrink
// CHECK-NOT: snippets.relu
// CHECK: snippets.maximum
func.func @main(%x: tensor<64xf32>) -> (tensor<64xf32> {snippets.name = "y"}) {
  %0 = snippets.exp %x : tensor<64xf32>
  %1 = mine.softshrink %0 : tensor<64xf32>
  %2 = snippets.relu %1 : tensor<64xf32>
  func.return %2 : tensor<64xf32>
}
