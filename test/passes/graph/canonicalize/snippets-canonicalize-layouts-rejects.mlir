// RUN: snippets-opt %s -p snippets-canonicalize-layouts --split-input-file --verify-diagnostics

// One layout for each input.
func.func @f(%x: tensor<2x8x3x3xf32>, %y: tensor<3xf32>) -> tensor<2x8x3x3xf32> {
  // expected-error @+1 {{expected 2 layouts for this subgraph, one each, found 1; write - for one that stays}}
  %0 = snippets.subgraph (%a = %x, %b = %y) : (tensor<2x8x3x3xf32>, tensor<3xf32>) -> tensor<2x8x3x3xf32> attributes {snippets.layouts = ["NCHW4c"]} {
    %1 = snippets.add %a, %b : (tensor<2x8x3x3xf32>, tensor<3xf32>) -> tensor<2x8x3x3xf32>
    snippets.yield %1 : tensor<2x8x3x3xf32>
  }
  func.return %0 : tensor<2x8x3x3xf32>
}

// -----

// The repeated axis has to be there.
func.func @f(%x: tensor<2x8x3x3xf32>, %y: tensor<3xf32>) -> tensor<2x8x3x3xf32> {
  // expected-error @+1 {{expected a layout such as NCHW or NCHW16c, or -, found 'NCHW4d'}}
  %0 = snippets.subgraph (%a = %x, %b = %y) : (tensor<2x8x3x3xf32>, tensor<3xf32>) -> tensor<2x8x3x3xf32> attributes {snippets.layouts = ["NCHW4d", "W"]} {
    %1 = snippets.add %a, %b : (tensor<2x8x3x3xf32>, tensor<3xf32>) -> tensor<2x8x3x3xf32>
    snippets.yield %1 : tensor<2x8x3x3xf32>
  }
  func.return %0 : tensor<2x8x3x3xf32>
}

// -----

// As many axes as dims.
func.func @f(%x: tensor<2x8x3x3xf32>, %y: tensor<3xf32>) -> tensor<2x8x3x3xf32> {
  // expected-error @+1 {{layout NCW4c has 3 axes, its input has rank 4}}
  %0 = snippets.subgraph (%a = %x, %b = %y) : (tensor<2x8x3x3xf32>, tensor<3xf32>) -> tensor<2x8x3x3xf32> attributes {snippets.layouts = ["NCW4c", "W"]} {
    %1 = snippets.add %a, %b : (tensor<2x8x3x3xf32>, tensor<3xf32>) -> tensor<2x8x3x3xf32>
    snippets.yield %1 : tensor<2x8x3x3xf32>
  }
  func.return %0 : tensor<2x8x3x3xf32>
}

// -----

// Two block sizes.
func.func @f(%x: tensor<2x8x3x3xf32>, %y: tensor<2x8x3x3xf32>) -> tensor<2x8x3x3xf32> {
  // expected-error @+1 {{blocked inputs need the layout of the highest rank, NCHW4c; found NCHW8c}}
  %0 = snippets.subgraph (%a = %x, %b = %y) : (tensor<2x8x3x3xf32>, tensor<2x8x3x3xf32>) -> tensor<2x8x3x3xf32> attributes {snippets.layouts = ["NCHW4c", "NCHW8c"]} {
    %1 = snippets.add %a, %b : (tensor<2x8x3x3xf32>, tensor<2x8x3x3xf32>) -> tensor<2x8x3x3xf32>
    snippets.yield %1 : tensor<2x8x3x3xf32>
  }
  func.return %0 : tensor<2x8x3x3xf32>
}

// -----

// Four blocked dims beside five planar ones.
func.func @f(%x: tensor<2x8x3x3xf32>, %y: tensor<1x2x8x3x3xf32>) -> tensor<1x2x8x3x3xf32> {
  // expected-error @+1 {{layout NCDHW has the rank of NCHW4c but differs from it}}
  %0 = snippets.subgraph (%a = %x, %b = %y) : (tensor<2x8x3x3xf32>, tensor<1x2x8x3x3xf32>) -> tensor<1x2x8x3x3xf32> attributes {snippets.layouts = ["NCHW4c", "NCDHW"]} {
    %1 = snippets.add %a, %b : (tensor<2x8x3x3xf32>, tensor<1x2x8x3x3xf32>) -> tensor<1x2x8x3x3xf32>
    snippets.yield %1 : tensor<1x2x8x3x3xf32>
  }
  func.return %0 : tensor<1x2x8x3x3xf32>
}

// -----

// Two orders of one rank.
func.func @f(%x: tensor<2x8x3x3xf32>, %y: tensor<2x8x3x3xf32>) -> tensor<2x8x3x3xf32> {
  // expected-error @+1 {{layout NHWC has the rank of NCHW but differs from it}}
  %0 = snippets.subgraph (%a = %x, %b = %y) : (tensor<2x8x3x3xf32>, tensor<2x8x3x3xf32>) -> tensor<2x8x3x3xf32> attributes {snippets.layouts = ["NCHW", "NHWC"]} {
    %1 = snippets.add %a, %b : (tensor<2x8x3x3xf32>, tensor<2x8x3x3xf32>) -> tensor<2x8x3x3xf32>
    snippets.yield %1 : tensor<2x8x3x3xf32>
  }
  func.return %0 : tensor<2x8x3x3xf32>
}

// -----

// A planar input along the blocked axis.
func.func @f(%x: tensor<2x8x3x3xf32>, %y: tensor<8x1x1xf32>) -> tensor<2x8x3x3xf32> {
  // expected-error @+1 {{axis C of a planar input has size 8, expected 1 beside NCHW4c; give it the layout NCHW4c}}
  %0 = snippets.subgraph (%a = %x, %b = %y) : (tensor<2x8x3x3xf32>, tensor<8x1x1xf32>) -> tensor<2x8x3x3xf32> attributes {snippets.layouts = ["NCHW4c", "CHW"]} {
    %1 = snippets.add %a, %b : (tensor<2x8x3x3xf32>, tensor<8x1x1xf32>) -> tensor<2x8x3x3xf32>
    snippets.yield %1 : tensor<2x8x3x3xf32>
  }
  func.return %0 : tensor<2x8x3x3xf32>
}

// -----

// A block would turn one channel into four.
func.func @f(%x: tensor<2x1x3x3xf32>, %y: tensor<3xf32>) -> tensor<2x1x3x3xf32> {
  // expected-error @+1 {{axis C of an input with layout NCHW4c has size 1, which a block would pad; use the planar layout NCHW}}
  %0 = snippets.subgraph (%a = %x, %b = %y) : (tensor<2x1x3x3xf32>, tensor<3xf32>) -> tensor<2x1x3x3xf32> attributes {snippets.layouts = ["NCHW4c", "W"]} {
    %1 = snippets.add %a, %b : (tensor<2x1x3x3xf32>, tensor<3xf32>) -> tensor<2x1x3x3xf32>
    snippets.yield %1 : tensor<2x1x3x3xf32>
  }
  func.return %0 : tensor<2x1x3x3xf32>
}

// -----

// More axes than the base.
func.func @f(%x: tensor<8x3xf32>, %y: tensor<2x8x3xf32>) -> tensor<2x8x3xf32> {
  // expected-error @+1 {{an input of rank 3 has more axes than CW4c; give it a layout}}
  %0 = snippets.subgraph (%a = %x, %b = %y) : (tensor<8x3xf32>, tensor<2x8x3xf32>) -> tensor<2x8x3xf32> attributes {snippets.layouts = ["CW4c", "-"]} {
    %1 = snippets.add %a, %b : (tensor<8x3xf32>, tensor<2x8x3xf32>) -> tensor<2x8x3xf32>
    snippets.yield %1 : tensor<2x8x3xf32>
  }
  func.return %0 : tensor<2x8x3xf32>
}

// -----

// A value in the function that would have to be padded.
func.func @f(%x: tensor<2x6x3x3xf32>, %y: tensor<3xf32>) -> tensor<2x6x3x3xf32> {
  %e = snippets.exp %x : tensor<2x6x3x3xf32>
  // expected-error @+1 {{a value of shape 2x6x3x3 inside of a function cannot be rearranged to NCHW4c without padding; let it be an argument or a result of the function}}
  %0 = snippets.subgraph (%a = %e, %b = %y) : (tensor<2x6x3x3xf32>, tensor<3xf32>) -> tensor<2x6x3x3xf32> attributes {snippets.layouts = ["NCHW4c", "W"]} {
    %1 = snippets.add %a, %b : (tensor<2x6x3x3xf32>, tensor<3xf32>) -> tensor<2x6x3x3xf32>
    snippets.yield %1 : tensor<2x6x3x3xf32>
  }
  func.return %0 : tensor<2x6x3x3xf32>
}

// -----

// Blocks change what a reduction counts.
func.func @f(%x: tensor<2x8x3x3xf32>) -> tensor<2x8x3xf32> {
  %0 = snippets.subgraph (%a = %x) : (tensor<2x8x3x3xf32>) -> tensor<2x8x3xf32> attributes {snippets.layouts = ["NCHW4c"]} {
    // expected-error @+1 {{snippets.reduce_sum counts the dims of its operand, which NCHW4c changes; give this subgraph planar layouts}}
    %1 = snippets.reduce_sum %a {axes = array<i64: 3>} : (tensor<2x8x3x3xf32>) -> tensor<2x8x3xf32>
    snippets.yield %1 : tensor<2x8x3xf32>
  }
  func.return %0 : tensor<2x8x3xf32>
}
