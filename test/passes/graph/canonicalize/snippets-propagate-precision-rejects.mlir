// RUN: snippets-opt %s -p 'snippets-set-target{target=generic},snippets-propagate-precision' --split-input-file --verify-diagnostics

// No wider integers hold these.
func.func @ui64(%x: tensor<4xui64>) -> tensor<4xui64> {
  %0 = snippets.subgraph (%a = %x) : (tensor<4xui64>) -> tensor<4xui64> {
    // expected-error @+1 {{snippets.add of ui64, ui64: no precision of target generic holds these values, expected f32, f32 or f64, f64 or i32, i32 or i64, i64; insert a snippets.convert_saturation}}
    %1 = snippets.add %a, %a : tensor<4xui64>
    snippets.yield %1 : tensor<4xui64>
  }
  func.return %0 : tensor<4xui64>
}

// -----

// No integers in memory have this width.
func.func @i4(%x: tensor<4xi4>) -> tensor<4xi4> {
  %0 = snippets.subgraph (%a = %x) : (tensor<4xi4>) -> tensor<4xi4> {
    // expected-error @+1 {{snippets.add of i4, i4: kernels cannot convert i4; keep the op out of the subgraph}}
    %1 = snippets.add %a, %a : tensor<4xi4>
    snippets.yield %1 : tensor<4xi4>
  }
  func.return %0 : tensor<4xi4>
}

// -----

// The next f32 rounds to the bf16 that it comes from.
func.func @next_of_bf16(%x: tensor<4xbf16>) -> tensor<4xbf16> {
  %0 = snippets.subgraph (%a = %x) : (tensor<4xbf16>) -> tensor<4xbf16> {
    // expected-error @+1 {{snippets.nextafter of bf16, bf16: no precision of target generic holds these values, expected f32, f32 or f64, f64; insert a snippets.convert_saturation}}
    %1 = snippets.nextafter %a, %a : tensor<4xbf16>
    snippets.yield %1 : tensor<4xbf16>
  }
  func.return %0 : tensor<4xbf16>
}
