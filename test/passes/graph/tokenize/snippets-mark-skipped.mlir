// RUN: snippets-opt %s -p 'snippets-mark-skipped,snippets-mark-skipped{profile=onnxruntime}' | filecheck %s
// RUN: snippets-opt %s -p 'snippets-mark-skipped{profile=none}' | filecheck %s --check-prefix=NONE
// RUN: not snippets-opt %s -p 'snippets-mark-skipped{profile=onnx-runtime}' 2>&1 | filecheck %s --check-prefix=UNKNOWN
// RUN: not snippets-opt %s -p 'snippets-mark-skipped{force=a:cuda}' 2>&1 | filecheck %s --check-prefix=KIND
// RUN: snippets-opt %s -p 'snippets-mark-skipped{force="forced_out:reference|forced_in:snippets"}' | filecheck %s --check-prefix=FORCE
// RUN: snippets-opt %s -p 'snippets-mark-skipped,snippets-tokenize' | filecheck %s --check-prefix=TOKENS

// NONE: func.func @batch_normalization
// NONE-NOT: snippets.skipped
// NONE: func.func @marked_by_hand
// KIND: error: pass 'snippets-mark-skipped': force: expected one of snippets, onnxruntime, reference, inside, found 'cuda'
// UNKNOWN: error: pass 'snippets-mark-skipped': unknown profile 'onnx-runtime'; did you mean 'onnxruntime'

// The engine folds the normalization of a convolution into its weights; the constant may be on
// either side. What comes after the activation is ours.
// CHECK-LABEL: func.func @batch_normalization(
// CHECK: snippets.multiply{{.*}}snippets.skipped = "onnxruntime fuses it into Conv (conv-multiply: ConvMulFusion)
// CHECK: snippets.add{{.*}}snippets.skipped = "onnxruntime fuses it into Conv (conv-add: ConvAddFusion)
// CHECK: snippets.relu{{.*}}snippets.skipped = "onnxruntime fuses it into Conv (conv-activation: ConvActivationFusion)
// CHECK: snippets.exp %3 :
// TOKENS-LABEL: func.func @batch_normalization(
// TOKENS-NOT: subgraph
// TOKENS: snippets.relu{{.*}}snippets.reason = "onnxruntime fuses it into Conv
// TOKENS: snippets.subgraph
// TOKENS-NEXT: snippets.exp
func.func @batch_normalization(%x: tensor<1x2x4x4xf32>) -> (tensor<1x2x4x4xf32>) {
  %w = snippets.constant dense<0.5> : tensor<2x2x1x1xf32>
  %c = snippets.constant dense<[[[2.0]], [[3.0]]]> : tensor<2x1x1xf32>
  %0 = onnx.node "Conv"(%x, %w) {domain = "", version = 13 : i64} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %1 = snippets.multiply %0, %c : (tensor<1x2x4x4xf32>, tensor<2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %2 = snippets.add %c, %1 : (tensor<2x1x1xf32>, tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  %3 = snippets.relu %2 : tensor<1x2x4x4xf32>
  %4 = snippets.exp %3 : tensor<1x2x4x4xf32>
  func.return %4 : tensor<1x2x4x4xf32>
}

// CHECK-LABEL: func.func @activations(
// CHECK: snippets.relu{{.*}}snippets.skipped = "onnxruntime fuses it into Conv (conv-activation
// CHECK: snippets.sigmoid{{.*}}snippets.skipped = "onnxruntime fuses it into Conv (conv-activation
// CHECK: snippets.tanh{{.*}}snippets.skipped = "onnxruntime fuses it into Conv (conv-activation
// CHECK: snippets.hsigmoid{{.*}}snippets.skipped = "onnxruntime fuses it into Conv (conv-activation
// CHECK: snippets.leaky_relu{{.*}}snippets.skipped = "onnxruntime fuses it into Conv (conv-activation
// CHECK: snippets.clamp{{.*}}snippets.skipped = "onnxruntime fuses it into Conv (conv-activation
func.func @activations(%x: tensor<1x2x4x4xf32>) -> (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) {
  %w = snippets.constant dense<0.5> : tensor<2x2x1x1xf32>
  %c0 = onnx.node "Conv"(%x, %w) {domain = "", version = 13 : i64} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %r0 = snippets.relu %c0 : tensor<1x2x4x4xf32>
  %c1 = onnx.node "Conv"(%x, %w) {domain = "", version = 13 : i64} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %r1 = snippets.sigmoid %c1 : tensor<1x2x4x4xf32>
  %c2 = onnx.node "Conv"(%x, %w) {domain = "", version = 13 : i64} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %r2 = snippets.tanh %c2 : tensor<1x2x4x4xf32>
  %c3 = onnx.node "Conv"(%x, %w) {domain = "", version = 13 : i64} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %r3 = snippets.hsigmoid %c3 : tensor<1x2x4x4xf32>
  %c4 = onnx.node "Conv"(%x, %w) {domain = "", version = 13 : i64} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %r4 = snippets.leaky_relu %c4 {alpha = 0.1 : f64} : tensor<1x2x4x4xf32>
  %c5 = onnx.node "Conv"(%x, %w) {domain = "", version = 13 : i64} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %r5 = snippets.clamp %c5 {min = 0.0 : f32, max = 6.0 : f32} : tensor<1x2x4x4xf32>
  func.return %r0, %r1, %r2, %r3, %r4, %r5 : tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>
}

// The engine runs these as nodes of their own after a convolution.
// CHECK-LABEL: func.func @other_ops(
// CHECK-NOT: snippets.skipped
// CHECK: func.return
func.func @other_ops(%x: tensor<1x2x4x4xf32>) -> (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) {
  %w = snippets.constant dense<0.5> : tensor<2x2x1x1xf32>
  %c0 = onnx.node "Conv"(%x, %w) {domain = "", version = 13 : i64} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %r0 = snippets.hswish %c0 : tensor<1x2x4x4xf32>
  %c1 = onnx.node "Conv"(%x, %w) {domain = "", version = 13 : i64} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %r1 = snippets.elu %c1 {alpha = 1.0 : f64} : tensor<1x2x4x4xf32>
  %c2 = onnx.node "Conv"(%x, %w) {domain = "", version = 13 : i64} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %r2 = snippets.softplus %c2 : tensor<1x2x4x4xf32>
  %c3 = onnx.node "Conv"(%x, %w) {domain = "", version = 13 : i64} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %r3 = snippets.exp %c3 : tensor<1x2x4x4xf32>
  %c4 = onnx.node "Conv"(%x, %w) {domain = "", version = 13 : i64} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %r4 = snippets.negative %c4 : tensor<1x2x4x4xf32>
  func.return %r0, %r1, %r2, %r3, %r4 : tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>
}

// CHECK-LABEL: func.func @two_activations(
// CHECK: snippets.relu{{.*}}snippets.skipped = "onnxruntime fuses it into Conv
// CHECK: snippets.tanh %1 :
func.func @two_activations(%x: tensor<1x2x4x4xf32>) -> (tensor<1x2x4x4xf32>) {
  %w = snippets.constant dense<0.5> : tensor<2x2x1x1xf32>
  %0 = onnx.node "Conv"(%x, %w) {domain = "", version = 13 : i64} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %1 = snippets.relu %0 : tensor<1x2x4x4xf32>
  %2 = snippets.tanh %1 : tensor<1x2x4x4xf32>
  func.return %2 : tensor<1x2x4x4xf32>
}

// CHECK-LABEL: func.func @two_readers(
// CHECK-NOT: snippets.skipped
// CHECK: func.return
func.func @two_readers(%x: tensor<1x2x4x4xf32>) -> (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) {
  %w = snippets.constant dense<0.5> : tensor<2x2x1x1xf32>
  %0 = onnx.node "Conv"(%x, %w) {domain = "", version = 13 : i64} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %1 = snippets.relu %0 : tensor<1x2x4x4xf32>
  %2 = snippets.negative %0 : tensor<1x2x4x4xf32>
  func.return %1, %2 : tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>
}

// CHECK-LABEL: func.func @returned_too(
// CHECK-NOT: snippets.skipped
// CHECK: func.return
func.func @returned_too(%x: tensor<1x2x4x4xf32>) -> (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) {
  %w = snippets.constant dense<0.5> : tensor<2x2x1x1xf32>
  %0 = onnx.node "Conv"(%x, %w) {domain = "", version = 13 : i64} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %1 = snippets.relu %0 : tensor<1x2x4x4xf32>
  func.return %0, %1 : tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>
}

// CHECK-LABEL: func.func @read_twice(
// CHECK-NOT: snippets.skipped
// CHECK: func.return
func.func @read_twice(%x: tensor<1x2x4x4xf32>) -> (tensor<1x2x4x4xf32>) {
  %w = snippets.constant dense<0.5> : tensor<2x2x1x1xf32>
  %0 = onnx.node "Conv"(%x, %w) {domain = "", version = 13 : i64} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %1 = snippets.add %0, %0 : (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  func.return %1 : tensor<1x2x4x4xf32>
}

// A single number is folded into the weights, but not into the bias.
// CHECK-LABEL: func.func @factor_of_one_number(
// CHECK: snippets.multiply{{.*}}snippets.skipped = "onnxruntime fuses it into Conv (conv-multiply
// CHECK: snippets.add %2, %s :
func.func @factor_of_one_number(%x: tensor<1x2x4x4xf32>) -> (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) {
  %w = snippets.constant dense<0.5> : tensor<2x2x1x1xf32>
  %s = snippets.scalar 2.0 : f32
  %0 = onnx.node "Conv"(%x, %w) {domain = "", version = 13 : i64} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %1 = snippets.multiply %0, %s : (tensor<1x2x4x4xf32>, tensor<f32>) -> tensor<1x2x4x4xf32>
  %2 = onnx.node "Conv"(%x, %w) {domain = "", version = 13 : i64} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %3 = snippets.add %2, %s : (tensor<1x2x4x4xf32>, tensor<f32>) -> tensor<1x2x4x4xf32>
  func.return %1, %3 : tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>
}

// CHECK-LABEL: func.func @no_constant(
// CHECK-NOT: snippets.skipped
// CHECK: func.return
func.func @no_constant(%x: tensor<1x2x4x4xf32>, %s: tensor<2x1x1xf32>) -> (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) {
  %w = snippets.constant dense<0.5> : tensor<2x2x1x1xf32>
  %0 = onnx.node "Conv"(%x, %w) {domain = "", version = 13 : i64} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %1 = snippets.multiply %0, %s : (tensor<1x2x4x4xf32>, tensor<2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %2 = onnx.node "Conv"(%x, %w) {domain = "", version = 13 : i64} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %3 = snippets.add %2, %s : (tensor<1x2x4x4xf32>, tensor<2x1x1xf32>) -> tensor<1x2x4x4xf32>
  func.return %1, %3 : tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>
}

// CHECK-LABEL: func.func @wrong_channels(
// CHECK-NOT: snippets.skipped
// CHECK: func.return
func.func @wrong_channels(%x: tensor<1x2x4x4xf32>) -> (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) {
  %w = snippets.constant dense<0.5> : tensor<2x2x1x1xf32>
  %k = snippets.constant dense<[[1.0], [2.0], [3.0], [4.0]]> : tensor<4x1xf32>
  %0 = onnx.node "Conv"(%x, %w) {domain = "", version = 13 : i64} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %1 = snippets.multiply %0, %k : (tensor<1x2x4x4xf32>, tensor<4x1xf32>) -> tensor<1x2x4x4xf32>
  %2 = onnx.node "Conv"(%x, %w) {domain = "", version = 13 : i64} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %3 = snippets.add %2, %k : (tensor<1x2x4x4xf32>, tensor<4x1xf32>) -> tensor<1x2x4x4xf32>
  func.return %1, %3 : tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>
}

// Only activations are fused into a convolution whose weights are not known.
// CHECK-LABEL: func.func @weights_at_run_time(
// CHECK: snippets.multiply %0, %c :
// CHECK: snippets.relu{{.*}}snippets.skipped = "onnxruntime fuses it into Conv
func.func @weights_at_run_time(%x: tensor<1x2x4x4xf32>, %w: tensor<2x2x1x1xf32>) -> (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) {
  %c = snippets.constant dense<[[[2.0]], [[3.0]]]> : tensor<2x1x1xf32>
  %0 = onnx.node "Conv"(%x, %w) {domain = "", version = 13 : i64} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %1 = snippets.multiply %0, %c : (tensor<1x2x4x4xf32>, tensor<2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %2 = onnx.node "Conv"(%x, %w) {domain = "", version = 13 : i64} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %3 = snippets.relu %2 : tensor<1x2x4x4xf32>
  func.return %1, %3 : tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>
}

// CHECK-LABEL: func.func @weights_from_a_node(
// CHECK: snippets.multiply{{.*}}snippets.skipped = "onnxruntime fuses it into Conv
func.func @weights_from_a_node(%x: tensor<1x2x4x4xf32>) -> (tensor<1x2x4x4xf32>) {
  %s = snippets.constant dense<[2, 2, 1, 1]> : tensor<4xi64>
  %w = onnx.node "ConstantOfShape"(%s) {domain = "", version = 13 : i64} : (tensor<4xi64>) -> tensor<2x2x1x1xf32>
  %c = snippets.constant dense<[[[2.0]], [[3.0]]]> : tensor<2x1x1xf32>
  %0 = onnx.node "Conv"(%x, %w) {domain = "", version = 13 : i64} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %1 = snippets.multiply %0, %c : (tensor<1x2x4x4xf32>, tensor<2x1x1xf32>) -> tensor<1x2x4x4xf32>
  func.return %1 : tensor<1x2x4x4xf32>
}

// CHECK-LABEL: func.func @subtract(
// CHECK-NOT: snippets.skipped
// CHECK: func.return
func.func @subtract(%x: tensor<1x2x4x4xf32>) -> (tensor<1x2x4x4xf32>) {
  %w = snippets.constant dense<0.5> : tensor<2x2x1x1xf32>
  %c = snippets.constant dense<[[[2.0]], [[3.0]]]> : tensor<2x1x1xf32>
  %0 = onnx.node "Conv"(%x, %w) {domain = "", version = 13 : i64} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %1 = snippets.subtract %0, %c : (tensor<1x2x4x4xf32>, tensor<2x1x1xf32>) -> tensor<1x2x4x4xf32>
  func.return %1 : tensor<1x2x4x4xf32>
}

// A second convolution, or what follows one, is added in place.
// CHECK-LABEL: func.func @residual(
// CHECK: snippets.add{{.*}}snippets.skipped = "onnxruntime fuses it into Conv (conv-residual: NchwcTransformer)
// CHECK: snippets.relu{{.*}}snippets.skipped = "onnxruntime fuses it into Conv (conv-activation
// CHECK: snippets.add{{.*}}snippets.skipped = "onnxruntime fuses it into Conv (conv-residual
// CHECK: snippets.relu{{.*}}snippets.skipped = "onnxruntime fuses it into Conv (conv-activation
func.func @residual(%x: tensor<1x2x4x4xf32>) -> (tensor<1x2x4x4xf32>) {
  %w = snippets.constant dense<0.5> : tensor<2x2x1x1xf32>
  %0 = onnx.node "Conv"(%x, %w) {domain = "", version = 13 : i64} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %1 = onnx.node "Conv"(%x, %w) {domain = "", version = 13 : i64} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %2 = snippets.add %0, %1 : (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  %3 = snippets.relu %2 : tensor<1x2x4x4xf32>
  %4 = onnx.node "Conv"(%3, %w) {domain = "", version = 13 : i64} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %5 = snippets.add %3, %4 : (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  %6 = snippets.relu %5 : tensor<1x2x4x4xf32>
  func.return %6 : tensor<1x2x4x4xf32>
}

// After a sum fewer activations are fused.
// CHECK-LABEL: func.func @activations_of_a_sum(
// CHECK: snippets.relu{{.*}}snippets.skipped = "onnxruntime fuses it into Conv (conv-activation: NchwcTransformer)
// CHECK: snippets.sigmoid{{.*}}snippets.skipped = "onnxruntime fuses it into Conv (conv-activation
// CHECK: snippets.tanh{{.*}}snippets.skipped = "onnxruntime fuses it into Conv (conv-activation
// CHECK: snippets.hsigmoid{{.*}}snippets.skipped = "onnxruntime fuses it into Conv (conv-activation
func.func @activations_of_a_sum(%x: tensor<1x2x4x4xf32>) -> (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) {
  %w = snippets.constant dense<0.5> : tensor<2x2x1x1xf32>
  %a0 = onnx.node "Conv"(%x, %w) {domain = "", version = 13 : i64} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %b0 = onnx.node "Conv"(%x, %w) {domain = "", version = 13 : i64} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %s0 = snippets.add %a0, %b0 : tensor<1x2x4x4xf32>
  %r0 = snippets.relu %s0 : tensor<1x2x4x4xf32>
  %a1 = onnx.node "Conv"(%x, %w) {domain = "", version = 13 : i64} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %b1 = onnx.node "Conv"(%x, %w) {domain = "", version = 13 : i64} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %s1 = snippets.add %a1, %b1 : tensor<1x2x4x4xf32>
  %r1 = snippets.sigmoid %s1 : tensor<1x2x4x4xf32>
  %a2 = onnx.node "Conv"(%x, %w) {domain = "", version = 13 : i64} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %b2 = onnx.node "Conv"(%x, %w) {domain = "", version = 13 : i64} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %s2 = snippets.add %a2, %b2 : tensor<1x2x4x4xf32>
  %r2 = snippets.tanh %s2 : tensor<1x2x4x4xf32>
  %a3 = onnx.node "Conv"(%x, %w) {domain = "", version = 13 : i64} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %b3 = onnx.node "Conv"(%x, %w) {domain = "", version = 13 : i64} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %s3 = snippets.add %a3, %b3 : tensor<1x2x4x4xf32>
  %r3 = snippets.hsigmoid %s3 : tensor<1x2x4x4xf32>
  func.return %r0, %r1, %r2, %r3 : tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>
}

// The engine runs these as nodes of their own after a sum, though not after a convolution alone.
// CHECK-LABEL: func.func @other_ops_of_a_sum(
// CHECK: snippets.clamp %{{.*}} {min = 0.000000e+00 : f32, max = 6.000000e+00 : f32} :
// CHECK: snippets.leaky_relu %{{.*}} {alpha = 1.000000e-01 : f64} :
func.func @other_ops_of_a_sum(%x: tensor<1x2x4x4xf32>) -> (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) {
  %w = snippets.constant dense<0.5> : tensor<2x2x1x1xf32>
  %a0 = onnx.node "Conv"(%x, %w) {domain = "", version = 13 : i64} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %b0 = onnx.node "Conv"(%x, %w) {domain = "", version = 13 : i64} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %s0 = snippets.add %a0, %b0 : tensor<1x2x4x4xf32>
  %r0 = snippets.clamp %s0 {min = 0.0 : f32, max = 6.0 : f32} : tensor<1x2x4x4xf32>
  %a1 = onnx.node "Conv"(%x, %w) {domain = "", version = 13 : i64} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %b1 = onnx.node "Conv"(%x, %w) {domain = "", version = 13 : i64} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %s1 = snippets.add %a1, %b1 : tensor<1x2x4x4xf32>
  %r1 = snippets.leaky_relu %s1 {alpha = 0.1 : f64} : tensor<1x2x4x4xf32>
  func.return %r0, %r1 : tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>
}

// CHECK-LABEL: func.func @residual_of_a_pool(
// CHECK: snippets.add{{.*}}snippets.skipped = "onnxruntime fuses it into Conv (conv-residual
func.func @residual_of_a_pool(%x: tensor<1x2x4x4xf32>) -> (tensor<1x2x4x4xf32>) {
  %w = snippets.constant dense<0.5> : tensor<2x2x1x1xf32>
  %0 = onnx.node "Conv"(%x, %w) {domain = "", version = 13 : i64} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %1 = onnx.node "MaxPool"(%0) {domain = "", version = 13 : i64} : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  %2 = onnx.node "Conv"(%1, %w) {domain = "", version = 13 : i64} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %3 = snippets.add %2, %1 : (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  func.return %3 : tensor<1x2x4x4xf32>
}

// It would have to be brought into the layout of convolutions first.
// CHECK-LABEL: func.func @residual_of_an_input(
// CHECK-NOT: snippets.skipped
// CHECK: func.return
func.func @residual_of_an_input(%x: tensor<1x2x4x4xf32>, %r: tensor<1x2x4x4xf32>) -> (tensor<1x2x4x4xf32>) {
  %w = snippets.constant dense<0.5> : tensor<2x2x1x1xf32>
  %0 = onnx.node "Conv"(%x, %w) {domain = "", version = 13 : i64} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %1 = snippets.add %0, %r : (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  func.return %1 : tensor<1x2x4x4xf32>
}

// CHECK-LABEL: func.func @residual_of_another_node(
// CHECK-NOT: snippets.skipped
// CHECK: func.return
func.func @residual_of_another_node(%x: tensor<1x2x4x4xf32>) -> (tensor<1x2x4x4xf32>) {
  %w = snippets.constant dense<0.5> : tensor<2x2x1x1xf32>
  %0 = onnx.node "Conv"(%x, %w) {domain = "", version = 13 : i64} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %1 = onnx.node "Transpose"(%x) {domain = "", version = 13 : i64} : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  %2 = snippets.add %0, %1 : (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  func.return %2 : tensor<1x2x4x4xf32>
}

// The other convolution runs after a kernel, in another session.
// CHECK-LABEL: func.func @residual_of_a_later_session(
// CHECK: snippets.relu{{.*}}snippets.skipped = "onnxruntime fuses it into Conv
// CHECK-NEXT: snippets.add %0, %3 : 
func.func @residual_of_a_later_session(%x: tensor<1x2x4x4xf32>) -> (tensor<1x2x4x4xf32>) {
  %w = snippets.constant dense<0.5> : tensor<2x2x1x1xf32>
  %0 = onnx.node "Conv"(%x, %w) {domain = "", version = 13 : i64} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %k = onnx.node "Conv"(%x, %w) {domain = "", version = 13 : i64} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %1 = snippets.exp %k : tensor<1x2x4x4xf32>
  %2 = onnx.node "Conv"(%1, %w) {domain = "", version = 13 : i64} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %3 = snippets.relu %2 : tensor<1x2x4x4xf32>
  %4 = snippets.add %0, %3 : (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  func.return %4 : tensor<1x2x4x4xf32>
}

// CHECK-LABEL: func.func @residual_of_other_shape(
// CHECK-NOT: snippets.skipped
// CHECK: func.return
func.func @residual_of_other_shape(%x: tensor<1x2x4x4xf32>) -> (tensor<1x2x4x4xf32>) {
  %w = snippets.constant dense<0.5> : tensor<2x2x1x1xf32>
  %p = snippets.constant dense<0.5> : tensor<1x2x1x1xf32>
  %0 = onnx.node "Conv"(%x, %w) {domain = "", version = 13 : i64} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %1 = onnx.node "Conv"(%x, %p) {domain = "", version = 13 : i64} : (tensor<1x2x4x4xf32>, tensor<1x2x1x1xf32>) -> tensor<1x1x4x4xf32>
  %2 = snippets.add %0, %1 : (tensor<1x2x4x4xf32>, tensor<1x1x4x4xf32>) -> tensor<1x2x4x4xf32>
  func.return %2 : tensor<1x2x4x4xf32>
}

// CHECK-LABEL: func.func @double(
// CHECK-NOT: snippets.skipped
// CHECK: func.return
func.func @double(%x: tensor<1x2x4x4xf64>) -> (tensor<1x2x4x4xf64>) {
  %w = snippets.constant dense<0.5> : tensor<2x2x1x1xf64>
  %0 = onnx.node "Conv"(%x, %w) {domain = "", version = 13 : i64} : (tensor<1x2x4x4xf64>, tensor<2x2x1x1xf64>) -> tensor<1x2x4x4xf64>
  %1 = snippets.relu %0 : tensor<1x2x4x4xf64>
  func.return %1 : tensor<1x2x4x4xf64>
}

// CHECK-LABEL: func.func @old_opset(
// CHECK-NOT: snippets.skipped
// CHECK: func.return
func.func @old_opset(%x: tensor<1x2x4x4xf32>) -> (tensor<1x2x4x4xf32>) {
  %w = snippets.constant dense<0.5> : tensor<2x2x1x1xf32>
  %0 = onnx.node "Conv"(%x, %w) {domain = "", version = 6 : i64} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %1 = snippets.relu %0 : tensor<1x2x4x4xf32>
  func.return %1 : tensor<1x2x4x4xf32>
}

// CHECK-LABEL: func.func @other_domain(
// CHECK-NOT: snippets.skipped
// CHECK: func.return
func.func @other_domain(%x: tensor<1x2x4x4xf32>) -> (tensor<1x2x4x4xf32>) {
  %w = snippets.constant dense<0.5> : tensor<2x2x1x1xf32>
  %0 = onnx.node "Conv"(%x, %w) {domain = "mine", version = 13 : i64} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %1 = snippets.relu %0 : tensor<1x2x4x4xf32>
  func.return %1 : tensor<1x2x4x4xf32>
}

// CHECK-LABEL: func.func @no_weights(
// CHECK-NOT: snippets.skipped
// CHECK: func.return
func.func @no_weights(%x: tensor<1x2x4x4xf32>) -> (tensor<1x2x4x4xf32>) {
  %0 = onnx.node "Conv"(%x) {domain = "", version = 13 : i64} : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  %1 = snippets.relu %0 : tensor<1x2x4x4xf32>
  func.return %1 : tensor<1x2x4x4xf32>
}

// CHECK-LABEL: func.func @not_a_start(
// CHECK-NOT: snippets.skipped
// CHECK: func.return
func.func @not_a_start(%x: tensor<1x2x4x4xf32>) -> (tensor<1x2x4x4xf32>) {
  %0 = onnx.node "Softmax"(%x) {domain = "", version = 13 : i64} : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  %1 = snippets.relu %0 : tensor<1x2x4x4xf32>
  func.return %1 : tensor<1x2x4x4xf32>
}

// CHECK-LABEL: func.func @matmul_plus_5(
// CHECK: snippets.add{{.*}}snippets.skipped = "onnxruntime fuses it into MatMul (matmul-add: MatMulAddFusion)
// CHECK: snippets.relu{{.*}}snippets.skipped = "onnxruntime fuses it into MatMul (gemm-activation: GemmActivationFusion)
func.func @matmul_plus_5(%a: tensor<4x8xf32>, %b: tensor<8x5xf32>, %c: tensor<5xf32>) -> (tensor<4x5xf32>) {
  %0 = onnx.node "MatMul"(%a, %b) {domain = "", version = 13 : i64} : (tensor<4x8xf32>, tensor<8x5xf32>) -> tensor<4x5xf32>
  %1 = snippets.add %c, %0 : (tensor<5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
  %2 = snippets.relu %1 : tensor<4x5xf32>
  func.return %2 : tensor<4x5xf32>
}

// CHECK-LABEL: func.func @matmul_plus_1x5(
// CHECK: snippets.add{{.*}}snippets.skipped = "onnxruntime fuses it into MatMul (matmul-add: MatMulAddFusion)
// CHECK: snippets.relu{{.*}}snippets.skipped = "onnxruntime fuses it into MatMul (gemm-activation: GemmActivationFusion)
func.func @matmul_plus_1x5(%a: tensor<4x8xf32>, %b: tensor<8x5xf32>, %c: tensor<1x5xf32>) -> (tensor<4x5xf32>) {
  %0 = onnx.node "MatMul"(%a, %b) {domain = "", version = 13 : i64} : (tensor<4x8xf32>, tensor<8x5xf32>) -> tensor<4x5xf32>
  %1 = snippets.add %c, %0 : (tensor<1x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
  %2 = snippets.relu %1 : tensor<4x5xf32>
  func.return %2 : tensor<4x5xf32>
}

// CHECK-LABEL: func.func @matmul_plus_4x1(
// CHECK: snippets.add{{.*}}snippets.skipped = "onnxruntime fuses it into MatMul (matmul-add: MatMulAddFusion)
// CHECK: snippets.relu{{.*}}snippets.skipped = "onnxruntime fuses it into MatMul (gemm-activation: GemmActivationFusion)
func.func @matmul_plus_4x1(%a: tensor<4x8xf32>, %b: tensor<8x5xf32>, %c: tensor<4x1xf32>) -> (tensor<4x5xf32>) {
  %0 = onnx.node "MatMul"(%a, %b) {domain = "", version = 13 : i64} : (tensor<4x8xf32>, tensor<8x5xf32>) -> tensor<4x5xf32>
  %1 = snippets.add %c, %0 : (tensor<4x1xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
  %2 = snippets.relu %1 : tensor<4x5xf32>
  func.return %2 : tensor<4x5xf32>
}

// CHECK-LABEL: func.func @matmul_plus_4x5(
// CHECK: snippets.add{{.*}}snippets.skipped = "onnxruntime fuses it into MatMul (matmul-add: MatMulAddFusion)
// CHECK: snippets.relu{{.*}}snippets.skipped = "onnxruntime fuses it into MatMul (gemm-activation: GemmActivationFusion)
func.func @matmul_plus_4x5(%a: tensor<4x8xf32>, %b: tensor<8x5xf32>, %c: tensor<4x5xf32>) -> (tensor<4x5xf32>) {
  %0 = onnx.node "MatMul"(%a, %b) {domain = "", version = 13 : i64} : (tensor<4x8xf32>, tensor<8x5xf32>) -> tensor<4x5xf32>
  %1 = snippets.add %c, %0 : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
  %2 = snippets.relu %1 : tensor<4x5xf32>
  func.return %2 : tensor<4x5xf32>
}

// CHECK-LABEL: func.func @matmul_plus_number(
// CHECK-NOT: snippets.skipped
// CHECK: func.return
func.func @matmul_plus_number(%a: tensor<4x8xf32>, %b: tensor<8x5xf32>, %c: tensor<f32>) -> (tensor<4x5xf32>) {
  %0 = onnx.node "MatMul"(%a, %b) {domain = "", version = 13 : i64} : (tensor<4x8xf32>, tensor<8x5xf32>) -> tensor<4x5xf32>
  %1 = snippets.add %0, %c : (tensor<4x5xf32>, tensor<f32>) -> tensor<4x5xf32>
  %2 = snippets.relu %1 : tensor<4x5xf32>
  func.return %2 : tensor<4x5xf32>
}

// The sum would have to wait for a kernel, in another session.
// CHECK-LABEL: func.func @matmul_plus_kernel(
// CHECK-NOT: snippets.skipped
// CHECK: func.return
func.func @matmul_plus_kernel(%a: tensor<4x8xf32>, %b: tensor<8x5xf32>, %c: tensor<5xf32>) -> (tensor<4x5xf32>) {
  %0 = onnx.node "MatMul"(%a, %b) {domain = "", version = 13 : i64} : (tensor<4x8xf32>, tensor<8x5xf32>) -> tensor<4x5xf32>
  %k = snippets.exp %c : tensor<5xf32>
  %1 = snippets.add %0, %k : (tensor<4x5xf32>, tensor<5xf32>) -> tensor<4x5xf32>
  func.return %1 : tensor<4x5xf32>
}

// CHECK-LABEL: func.func @matmul_without_bias(
// CHECK-NOT: snippets.skipped
// CHECK: func.return
func.func @matmul_without_bias(%a: tensor<4x8xf32>, %b: tensor<8x5xf32>) -> (tensor<4x5xf32>) {
  %0 = onnx.node "MatMul"(%a, %b) {domain = "", version = 13 : i64} : (tensor<4x8xf32>, tensor<8x5xf32>) -> tensor<4x5xf32>
  %1 = snippets.relu %0 : tensor<4x5xf32>
  func.return %1 : tensor<4x5xf32>
}

// CHECK-LABEL: func.func @matmul_times(
// CHECK-NOT: snippets.skipped
// CHECK: func.return
func.func @matmul_times(%a: tensor<4x8xf32>, %b: tensor<8x5xf32>, %c: tensor<5xf32>) -> (tensor<4x5xf32>) {
  %0 = onnx.node "MatMul"(%a, %b) {domain = "", version = 13 : i64} : (tensor<4x8xf32>, tensor<8x5xf32>) -> tensor<4x5xf32>
  %1 = snippets.multiply %0, %c : (tensor<4x5xf32>, tensor<5xf32>) -> tensor<4x5xf32>
  func.return %1 : tensor<4x5xf32>
}

// The engine reshapes after the product, so the activation stays a node.
// CHECK-LABEL: func.func @matmul_of_a_batch(
// CHECK: snippets.add{{.*}}snippets.skipped = "onnxruntime fuses it into MatMul (matmul-add: MatMulAddFusion)
// CHECK-NEXT: snippets.relu %1 :
func.func @matmul_of_a_batch(%a: tensor<2x4x8xf32>, %b: tensor<8x5xf32>, %c: tensor<5xf32>) -> (tensor<2x4x5xf32>) {
  %0 = onnx.node "MatMul"(%a, %b) {domain = "", version = 13 : i64} : (tensor<2x4x8xf32>, tensor<8x5xf32>) -> tensor<2x4x5xf32>
  %1 = snippets.add %0, %c : (tensor<2x4x5xf32>, tensor<5xf32>) -> tensor<2x4x5xf32>
  %2 = snippets.relu %1 : tensor<2x4x5xf32>
  func.return %2 : tensor<2x4x5xf32>
}

// CHECK-LABEL: func.func @matmul_of_batches(
// CHECK-NOT: snippets.skipped
// CHECK: func.return
func.func @matmul_of_batches(%a: tensor<2x4x8xf32>, %b: tensor<2x8x5xf32>, %c: tensor<5xf32>) -> (tensor<2x4x5xf32>) {
  %0 = onnx.node "MatMul"(%a, %b) {domain = "", version = 13 : i64} : (tensor<2x4x8xf32>, tensor<2x8x5xf32>) -> tensor<2x4x5xf32>
  %1 = snippets.add %0, %c : (tensor<2x4x5xf32>, tensor<5xf32>) -> tensor<2x4x5xf32>
  func.return %1 : tensor<2x4x5xf32>
}

// CHECK-LABEL: func.func @gemm(
// CHECK: snippets.elu{{.*}}snippets.skipped = "onnxruntime fuses it into Gemm (gemm-activation
// CHECK: snippets.hsigmoid{{.*}}snippets.skipped = "onnxruntime fuses it into Gemm (gemm-activation
// CHECK: snippets.leaky_relu{{.*}}snippets.skipped = "onnxruntime fuses it into Gemm (gemm-activation
// CHECK: snippets.relu{{.*}}snippets.skipped = "onnxruntime fuses it into Gemm (gemm-activation
// CHECK: snippets.sigmoid{{.*}}snippets.skipped = "onnxruntime fuses it into Gemm (gemm-activation
// CHECK: snippets.softplus{{.*}}snippets.skipped = "onnxruntime fuses it into Gemm (gemm-activation
// CHECK: snippets.softsign{{.*}}snippets.skipped = "onnxruntime fuses it into Gemm (gemm-activation
// CHECK: snippets.tanh{{.*}}snippets.skipped = "onnxruntime fuses it into Gemm (gemm-activation
func.func @gemm(%a: tensor<4x8xf32>, %b: tensor<8x5xf32>) -> (tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>) {
  %g0 = onnx.node "Gemm"(%a, %b) {domain = "", version = 13 : i64} : (tensor<4x8xf32>, tensor<8x5xf32>) -> tensor<4x5xf32>
  %r0 = snippets.elu %g0 {alpha = 0.5 : f64} : tensor<4x5xf32>
  %g1 = onnx.node "Gemm"(%a, %b) {domain = "", version = 13 : i64} : (tensor<4x8xf32>, tensor<8x5xf32>) -> tensor<4x5xf32>
  %r1 = snippets.hsigmoid %g1 : tensor<4x5xf32>
  %g2 = onnx.node "Gemm"(%a, %b) {domain = "", version = 13 : i64} : (tensor<4x8xf32>, tensor<8x5xf32>) -> tensor<4x5xf32>
  %r2 = snippets.leaky_relu %g2 {alpha = 0.5 : f64} : tensor<4x5xf32>
  %g3 = onnx.node "Gemm"(%a, %b) {domain = "", version = 13 : i64} : (tensor<4x8xf32>, tensor<8x5xf32>) -> tensor<4x5xf32>
  %r3 = snippets.relu %g3 : tensor<4x5xf32>
  %g4 = onnx.node "Gemm"(%a, %b) {domain = "", version = 13 : i64} : (tensor<4x8xf32>, tensor<8x5xf32>) -> tensor<4x5xf32>
  %r4 = snippets.sigmoid %g4 : tensor<4x5xf32>
  %g5 = onnx.node "Gemm"(%a, %b) {domain = "", version = 13 : i64} : (tensor<4x8xf32>, tensor<8x5xf32>) -> tensor<4x5xf32>
  %r5 = snippets.softplus %g5 : tensor<4x5xf32>
  %g6 = onnx.node "Gemm"(%a, %b) {domain = "", version = 13 : i64} : (tensor<4x8xf32>, tensor<8x5xf32>) -> tensor<4x5xf32>
  %r6 = snippets.softsign %g6 : tensor<4x5xf32>
  %g7 = onnx.node "Gemm"(%a, %b) {domain = "", version = 13 : i64} : (tensor<4x8xf32>, tensor<8x5xf32>) -> tensor<4x5xf32>
  %r7 = snippets.tanh %g7 : tensor<4x5xf32>
  func.return %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7 : tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>, tensor<4x5xf32>
}

// CHECK-LABEL: func.func @gemm_other_ops(
// CHECK-NOT: snippets.skipped
// CHECK: func.return
func.func @gemm_other_ops(%a: tensor<4x8xf32>, %b: tensor<8x5xf32>) -> (tensor<4x5xf32>, tensor<4x5xf32>) {
  %0 = onnx.node "Gemm"(%a, %b) {domain = "", version = 13 : i64} : (tensor<4x8xf32>, tensor<8x5xf32>) -> tensor<4x5xf32>
  %1 = snippets.clamp %0 {min = 0.0 : f32, max = 6.0 : f32} : tensor<4x5xf32>
  %2 = onnx.node "Gemm"(%a, %b) {domain = "", version = 13 : i64} : (tensor<4x8xf32>, tensor<8x5xf32>) -> tensor<4x5xf32>
  %3 = snippets.abs %2 : tensor<4x5xf32>
  func.return %1, %3 : tensor<4x5xf32>, tensor<4x5xf32>
}

// What is marked keeps its text.
// CHECK-LABEL: func.func @marked_by_hand(
// CHECK: snippets.relu %0 {snippets.skipped = "mine"}
// CHECK: snippets.exp %x {snippets.skipped} :
func.func @marked_by_hand(%x: tensor<1x2x4x4xf32>) -> (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) {
  %w = snippets.constant dense<0.5> : tensor<2x2x1x1xf32>
  %0 = onnx.node "Conv"(%x, %w) {domain = "", version = 13 : i64} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %1 = snippets.relu %0 {snippets.skipped = "mine"} : tensor<1x2x4x4xf32>
  %2 = snippets.exp %x {snippets.skipped} : tensor<1x2x4x4xf32>
  func.return %1, %2 : tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>
}

// A transpose that only nodes read; reshapes do not count as readers that a kernel has.
// CHECK-LABEL: func.func @lone_transpose(
// CHECK: snippets.transpose %x {permutation = array<i64: 1, 0>, snippets.skipped = "onnxruntime moves it beside its own nodes (lone-transpose: no kernel reads it)"}
// CHECK: snippets.transpose %1 {permutation = array<i64: 1, 0>, snippets.skipped = "onnxruntime moves it
// CHECK: snippets.reshape %2 :
func.func @lone_transpose(%x: tensor<8x4xf32>, %b: tensor<8x5xf32>) -> tensor<20xf32> {
  %0 = snippets.transpose %x {permutation = array<i64: 1, 0>} : (tensor<8x4xf32>) -> tensor<4x8xf32>
  %1 = onnx.node "MatMul"(%0, %b) {domain = "", version = 13 : i64} : (tensor<4x8xf32>, tensor<8x5xf32>) -> tensor<4x5xf32>
  %2 = snippets.transpose %1 {permutation = array<i64: 1, 0>} : (tensor<4x5xf32>) -> tensor<5x4xf32>
  %3 = snippets.reshape %2 : (tensor<5x4xf32>) -> tensor<20xf32>
  func.return %3 : tensor<20xf32>
}

// A node that reads the shape alone is not beside a transpose; one that reads elements is.
// CHECK-LABEL: func.func @transpose_of_a_shape(
// CHECK: snippets.transpose %0 {permutation = array<i64: 1, 0>} :
// CHECK: onnx.node "Shape"
// CHECK: snippets.transpose %0 {permutation = array<i64: 1, 0>, snippets.skipped = "onnxruntime moves it
func.func @transpose_of_a_shape(%x: tensor<8x4xf32>) -> (tensor<32xf32>, tensor<2xi64>, tensor<2x32xi64>) {
  %0 = snippets.exp %x : tensor<8x4xf32>
  %1 = snippets.transpose %0 {permutation = array<i64: 1, 0>} : (tensor<8x4xf32>) -> tensor<4x8xf32>
  %2 = onnx.node "Shape"(%1) {domain = "", version = 13 : i64} : (tensor<4x8xf32>) -> tensor<2xi64>
  %3 = snippets.reshape %1 : (tensor<4x8xf32>) -> tensor<32xf32>
  %4 = snippets.transpose %0 {permutation = array<i64: 1, 0>} : (tensor<8x4xf32>) -> tensor<4x8xf32>
  %5 = onnx.node "NonZero"(%4) {domain = "", version = 13 : i64} : (tensor<4x8xf32>) -> tensor<2x32xi64>
  func.return %3, %2, %5 : tensor<32xf32>, tensor<2xi64>, tensor<2x32xi64>
}

// One that a kernel can read as a view, one with no node beside it, one of integers, and one beside a
// node of an old opset.
// CHECK-LABEL: func.func @other_transposes(
// CHECK-NOT: snippets.skipped
// CHECK: func.return
func.func @other_transposes(%x: tensor<8x4xf32>, %b: tensor<8x5xf32>, %i: tensor<8x4xi64>)
    -> (tensor<5x4xf32>, tensor<4x8xf32>, tensor<4x8xi64>, tensor<5x4xf32>) {
  %0 = onnx.node "MatMul"(%b, %b) {domain = "", version = 13 : i64} : (tensor<8x5xf32>, tensor<8x5xf32>) -> tensor<4x5xf32>
  %1 = snippets.transpose %0 {permutation = array<i64: 1, 0>} : (tensor<4x5xf32>) -> tensor<5x4xf32>
  %2 = snippets.relu %1 : tensor<5x4xf32>
  %3 = snippets.transpose %x {permutation = array<i64: 1, 0>} : (tensor<8x4xf32>) -> tensor<4x8xf32>
  %4 = onnx.node "Identity"(%i) {domain = "", version = 13 : i64} : (tensor<8x4xi64>) -> tensor<8x4xi64>
  %5 = snippets.transpose %4 {permutation = array<i64: 1, 0>} : (tensor<8x4xi64>) -> tensor<4x8xi64>
  %6 = onnx.node "MatMul"(%b, %b) {domain = "", version = 6 : i64} : (tensor<8x5xf32>, tensor<8x5xf32>) -> tensor<4x5xf32>
  %7 = snippets.transpose %6 {permutation = array<i64: 1, 0>} : (tensor<4x5xf32>) -> tensor<5x4xf32>
  func.return %2, %3, %5, %7 : tensor<5x4xf32>, tensor<4x8xf32>, tensor<4x8xi64>, tensor<5x4xf32>
}

// Elementwise ops between nodes on images: the session is not cut for what they would save.
// CHECK-LABEL: func.func @island(
// CHECK: snippets.multiply{{.*}}snippets.skipped = "onnxruntime keeps images in a layout of its own (island: a kernel saves 0.00 ms and costs 0.10 ms)"
// CHECK: snippets.relu{{.*}}snippets.skipped = "onnxruntime keeps images in a layout of its own (island
func.func @island(%x: tensor<1x2x4x4xf32>, %s: tensor<2x1x1xf32>) -> (tensor<1x2x4x4xf32>) {
  %w = snippets.constant dense<0.5> : tensor<2x2x1x1xf32>
  %0 = onnx.node "MaxPool"(%x) {domain = "", version = 13 : i64} : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  %1 = snippets.multiply %0, %s : (tensor<1x2x4x4xf32>, tensor<2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %2 = snippets.relu %1 : tensor<1x2x4x4xf32>
  %3 = onnx.node "Conv"(%2, %w) {domain = "", version = 13 : i64} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  func.return %3 : tensor<1x2x4x4xf32>
}

// What no node computes needs no cut before it, and what no image's node reads none after it; an
// op that the engine does not know, and sizes that are not known, make no island.
// CHECK-LABEL: func.func @no_island(
// CHECK-NOT: island
// CHECK: func.return
func.func @no_island(%x: tensor<1x2x4x4xf32>, %y: tensor<1x2x?x4xf32>) -> (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>, tensor<1x2x?x4xf32>) {
  %w = snippets.constant dense<0.5> : tensor<2x2x1x1xf32>
  %0 = snippets.relu %x : tensor<1x2x4x4xf32>
  %1 = onnx.node "Conv"(%0, %w) {domain = "", version = 13 : i64} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %2 = onnx.node "MaxPool"(%x) {domain = "", version = 13 : i64} : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  %3 = snippets.relu %2 : tensor<1x2x4x4xf32>
  %4 = onnx.node "MaxPool"(%x) {domain = "", version = 13 : i64} : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  %5 = snippets.exp %4 : tensor<1x2x4x4xf32>
  %6 = onnx.node "Conv"(%5, %w) {domain = "", version = 13 : i64} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %7 = onnx.node "MaxPool"(%y) {domain = "", version = 13 : i64} : (tensor<1x2x?x4xf32>) -> tensor<1x2x?x4xf32>
  %8 = snippets.relu %7 : tensor<1x2x?x4xf32>
  %9 = onnx.node "Conv"(%8, %w) {domain = "", version = 13 : i64} : (tensor<1x2x?x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x?x4xf32>
  func.return %1, %3, %6, %9 : tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>, tensor<1x2x?x4xf32>
}

// What is forced to run outside of kernels is marked, what is forced into one is not; without
// `force` it is the other way round. Ops of other names have what the profile says.
// FORCE-LABEL: func.func @forced(
// FORCE: %forced_in = snippets.relu %{{[0-9]+}} : tensor
// FORCE: snippets.relu{{.*}}snippets.skipped = "onnxruntime fuses it into Conv
// FORCE: %forced_out = snippets.exp %{{[0-9]+}} {snippets.skipped = "reference is forced"}
// CHECK-LABEL: func.func @forced(
// CHECK: %forced_in = snippets.relu{{.*}}snippets.skipped = "onnxruntime fuses it into Conv
// CHECK: snippets.relu{{.*}}snippets.skipped = "onnxruntime fuses it into Conv
// CHECK: %forced_out = snippets.exp %{{[0-9]+}} : tensor
func.func @forced(%x: tensor<1x2x4x4xf32>) -> (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) {
  %w = snippets.constant dense<0.5> : tensor<2x2x1x1xf32>
  %0 = onnx.node "Conv"(%x, %w) {domain = "", version = 13 : i64} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %forced_in = snippets.relu %0 : tensor<1x2x4x4xf32>
  %1 = onnx.node "Conv"(%forced_in, %w) {domain = "", version = 13 : i64} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %2 = snippets.relu %1 : tensor<1x2x4x4xf32>
  %3 = onnx.node "Conv"(%2, %w) {domain = "", version = 13 : i64} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %forced_out = snippets.exp %3 : tensor<1x2x4x4xf32>
  func.return %forced_in, %forced_out : tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>
}
