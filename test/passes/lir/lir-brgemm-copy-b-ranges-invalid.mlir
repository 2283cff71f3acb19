// RUN: not snippets-opt %s -p 'snippets-set-target{target=x86-64-avx512},convert-snippets-to-lir,lir-optimize-domain,lir-mark-loops,lir-fuse-loops,lir-brgemm-blocking,lir-brgemm-copy-b' 2>&1 | filecheck %s

// A range begins with a size.
// CHECK: invalid.mlir:5:1: error: snippets.size_ranges: expected arrays of a size, the least number and the one it is less than, as
module attributes {snippets.size_ranges = [[32 : i64]]} {
  func.func @main(%x: tensor<64x8xf32>, %y: tensor<8x1024xf32>) -> tensor<64x1024xf32> {
    %r = snippets.subgraph (%a = %x, %b = %y) : (tensor<64x8xf32>, tensor<8x1024xf32>) -> tensor<64x1024xf32> {
      %0 = snippets.matmul %a, %b : (tensor<64x8xf32>, tensor<8x1024xf32>) -> tensor<64x1024xf32>
      snippets.yield %0 : tensor<64x1024xf32>
    }
    func.return %r : tensor<64x1024xf32>
  }
}
