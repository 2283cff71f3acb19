// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx512 threads=2},snippets-tokenize-mlp' --split-input-file --explain=snippets-tokenize-mlp 2> %t.plan | filecheck %s
// RUN: filecheck %s --check-prefix=PLAN --input-file=%t.plan

// The hidden values of all rows have 16 MiB: one kernel, with bias and residual after the second product.
// PLAN: one kernel for snippets.matmul %h, snippets.add, snippets.gelu, snippets.matmul %o, snippets.add, snippets.add %y
// CHECK-LABEL: func.func @wide(
// CHECK-NEXT: %y = snippets.subgraph (%{{.*}} = %x, %{{.*}} = %w, %{{.*}} = %b, %{{.*}} = %v, %{{.*}} = %c)
// CHECK: snippets.yield %y
// CHECK-NEXT: }
// CHECK-NEXT: func.return %y
func.func @wide(%x: tensor<16384x64xf32>, %w: tensor<64x256xf32>, %b: tensor<256xf32>, %v: tensor<256x64xf32>, %c: tensor<64xf32>) -> tensor<16384x64xf32> {
  %h = snippets.matmul %x, %w : (tensor<16384x64xf32>, tensor<64x256xf32>) -> tensor<16384x256xf32>
  %0 = snippets.add %h, %b : (tensor<16384x256xf32>, tensor<256xf32>) -> tensor<16384x256xf32>
  %1 = snippets.gelu %0 : tensor<16384x256xf32>
  %o = snippets.matmul %1, %v : (tensor<16384x256xf32>, tensor<256x64xf32>) -> tensor<16384x64xf32>
  %2 = snippets.add %o, %c : (tensor<16384x64xf32>, tensor<64xf32>) -> tensor<16384x64xf32>
  %y = snippets.add %2, %x : tensor<16384x64xf32>
  func.return %y : tensor<16384x64xf32>
}

// -----

// Twin: the hidden values fit the cache.
// PLAN: kernels apart: W4: 1048576 bytes of hidden values, the second-level cache has 1048576
// CHECK-LABEL: func.func @narrow(
// CHECK-NOT: snippets.subgraph
func.func @narrow(%x: tensor<1024x64xf32>, %w: tensor<64x256xf32>, %v: tensor<256x64xf32>) -> tensor<1024x64xf32> {
  %h = snippets.matmul %x, %w : (tensor<1024x64xf32>, tensor<64x256xf32>) -> tensor<1024x256xf32>
  %1 = snippets.relu %h : tensor<1024x256xf32>
  %o = snippets.matmul %1, %v : (tensor<1024x256xf32>, tensor<256x64xf32>) -> tensor<1024x64xf32>
  func.return %o : tensor<1024x64xf32>
}

// -----

// PLAN: kernels apart: W5: blocks have 32 rows of 12288 bytes, fewer than 64
// CHECK-LABEL: func.func @low_blocks(
// CHECK-NOT: snippets.subgraph
func.func @low_blocks(%x: tensor<4096x768xf32>, %w: tensor<768x3072xf32>, %v: tensor<3072x768xf32>) -> tensor<4096x768xf32> {
  %h = snippets.matmul %x, %w : (tensor<4096x768xf32>, tensor<768x3072xf32>) -> tensor<4096x3072xf32>
  %1 = snippets.relu %h : tensor<4096x3072xf32>
  %o = snippets.matmul %1, %v : (tensor<4096x3072xf32>, tensor<3072x768xf32>) -> tensor<4096x768xf32>
  func.return %o : tensor<4096x768xf32>
}

// -----

// Two products of one input, multiplied: a gated MLP.
// PLAN: one kernel for snippets.matmul %g, snippets.swish, snippets.matmul %h, snippets.multiply, snippets.matmul %o
// CHECK-LABEL: func.func @gated(
// CHECK-NEXT: %o = snippets.subgraph
// CHECK-COUNT-3: snippets.matmul
// CHECK-NEXT: snippets.yield %o
func.func @gated(%x: tensor<16384x64xf32>, %w: tensor<64x256xf32>, %u: tensor<64x256xf32>, %v: tensor<256x64xf32>) -> tensor<16384x64xf32> {
  %g = snippets.matmul %x, %w : (tensor<16384x64xf32>, tensor<64x256xf32>) -> tensor<16384x256xf32>
  %0 = snippets.swish %g : tensor<16384x256xf32>
  %h = snippets.matmul %x, %u : (tensor<16384x64xf32>, tensor<64x256xf32>) -> tensor<16384x256xf32>
  %1 = snippets.multiply %0, %h : tensor<16384x256xf32>
  %o = snippets.matmul %1, %v : (tensor<16384x256xf32>, tensor<256x64xf32>) -> tensor<16384x64xf32>
  func.return %o : tensor<16384x64xf32>
}

// -----

// Twins: products of two inputs are no gated MLP; one whose weight lies otherwise has other loops.
// PLAN: no elementwise ops lead from product to product
// CHECK-LABEL: func.func @two_inputs(
// CHECK-NOT: snippets.subgraph
func.func @two_inputs(%x: tensor<16384x64xf32>, %z: tensor<16384x64xf32>, %w: tensor<64x256xf32>, %u: tensor<64x256xf32>, %v: tensor<256x64xf32>) -> tensor<16384x64xf32> {
  %g = snippets.matmul %x, %w : (tensor<16384x64xf32>, tensor<64x256xf32>) -> tensor<16384x256xf32>
  %h = snippets.matmul %z, %u : (tensor<16384x64xf32>, tensor<64x256xf32>) -> tensor<16384x256xf32>
  %1 = snippets.multiply %g, %h : tensor<16384x256xf32>
  %o = snippets.matmul %1, %v : (tensor<16384x256xf32>, tensor<256x64xf32>) -> tensor<16384x64xf32>
  func.return %o : tensor<16384x64xf32>
}

// -----

// PLAN: kernels apart: W2: P4: a third matrix product stands beside two
// CHECK-LABEL: func.func @one_transposed(
// CHECK-NOT: snippets.subgraph
func.func @one_transposed(%x: tensor<16384x64xf32>, %w: tensor<64x256xf32>, %u: tensor<256x64xf32>, %v: tensor<256x64xf32>) -> tensor<16384x64xf32> {
  %g = snippets.matmul %x, %w : (tensor<16384x64xf32>, tensor<64x256xf32>) -> tensor<16384x256xf32>
  %h = snippets.matmul %x, %u {transpose_b} : (tensor<16384x64xf32>, tensor<256x64xf32>) -> tensor<16384x256xf32>
  %1 = snippets.multiply %g, %h : tensor<16384x256xf32>
  %o = snippets.matmul %1, %v : (tensor<16384x256xf32>, tensor<256x64xf32>) -> tensor<16384x64xf32>
  func.return %o : tensor<16384x64xf32>
}

// -----

// The call decides about the rows.
// PLAN: kernels apart: W3: the call decides how many hidden values there are
// CHECK-LABEL: func.func @dynamic(
// CHECK-NOT: snippets.subgraph
func.func @dynamic(%x: tensor<?x64xf32, #lir.sizes<?0>>, %w: tensor<64x256xf32>, %v: tensor<256x64xf32>) -> tensor<?x64xf32, #lir.sizes<?0>> {
  %h = snippets.matmul %x, %w : (tensor<?x64xf32, #lir.sizes<?0>>, tensor<64x256xf32>) -> tensor<?x256xf32, #lir.sizes<?0>>
  %1 = snippets.relu %h : tensor<?x256xf32, #lir.sizes<?0>>
  %o = snippets.matmul %1, %v : (tensor<?x256xf32, #lir.sizes<?0>>, tensor<256x64xf32>) -> tensor<?x64xf32, #lir.sizes<?0>>
  func.return %o : tensor<?x64xf32, #lir.sizes<?0>>
}

// -----

// The hidden values are a result, too.
// PLAN: kernels apart: W2: P4: more than the second matrix product reads snippets.relu
// CHECK-LABEL: func.func @hidden_is_read(
// CHECK-NOT: snippets.subgraph
func.func @hidden_is_read(%x: tensor<16384x64xf32>, %w: tensor<64x256xf32>, %v: tensor<256x64xf32>) -> (tensor<16384x64xf32>, tensor<16384x256xf32>) {
  %h = snippets.matmul %x, %w : (tensor<16384x64xf32>, tensor<64x256xf32>) -> tensor<16384x256xf32>
  %1 = snippets.relu %h : tensor<16384x256xf32>
  %o = snippets.matmul %1, %v : (tensor<16384x256xf32>, tensor<256x64xf32>) -> tensor<16384x64xf32>
  func.return %o, %1 : tensor<16384x64xf32>, tensor<16384x256xf32>
}

// -----

// Blocks of batches: 128 rows each, 512 of them.
// PLAN: one kernel for snippets.matmul %h, snippets.relu, snippets.matmul %o
// CHECK-LABEL: func.func @batches(
// CHECK: snippets.subgraph
func.func @batches(%x: tensor<128x512x16xf32>, %w: tensor<16x64xf32>, %v: tensor<64x16xf32>) -> tensor<128x512x16xf32> {
  %h = snippets.matmul %x, %w : (tensor<128x512x16xf32>, tensor<16x64xf32>) -> tensor<128x512x64xf32>
  %1 = snippets.relu %h : tensor<128x512x64xf32>
  %o = snippets.matmul %1, %v : (tensor<128x512x64xf32>, tensor<64x16xf32>) -> tensor<128x512x16xf32>
  func.return %o : tensor<128x512x16xf32>
}

// -----

// Too few blocks for the threads: what one kernel saves is less than what an unequal share costs.
// PLAN: kernels apart: W6: 7 blocks of 64 rows for 2 threads
// CHECK-LABEL: func.func @few_blocks(
// CHECK-NOT: snippets.subgraph
func.func @few_blocks(%x: tensor<448x16xf64>, %w: tensor<16x1024xf64>, %v: tensor<1024x16xf64>) -> tensor<448x16xf64> {
  %h = snippets.matmul %x, %w : (tensor<448x16xf64>, tensor<16x1024xf64>) -> tensor<448x1024xf64>
  %1 = snippets.relu %h : tensor<448x1024xf64>
  %o = snippets.matmul %1, %v : (tensor<448x1024xf64>, tensor<1024x16xf64>) -> tensor<448x16xf64>
  func.return %o : tensor<448x16xf64>
}

// -----

// A softmax between products is an attention.
// PLAN: no elementwise ops lead from product to product
// CHECK-LABEL: func.func @attention(
// CHECK-NOT: snippets.subgraph
func.func @attention(%q: tensor<16384x64xf32>, %k: tensor<64x256xf32>, %v: tensor<256x64xf32>) -> tensor<16384x64xf32> {
  %s = snippets.matmul %q, %k : (tensor<16384x64xf32>, tensor<64x256xf32>) -> tensor<16384x256xf32>
  %p = snippets.softmax %s {axis = 1 : i64} : tensor<16384x256xf32>
  %o = snippets.matmul %p, %v : (tensor<16384x256xf32>, tensor<256x64xf32>) -> tensor<16384x64xf32>
  func.return %o : tensor<16384x64xf32>
}

// -----

// A norm of the result's rows is in the kernel, and what follows it.
// PLAN: one kernel for snippets.matmul %h, snippets.relu, snippets.matmul %o, snippets.add, snippets.layer_norm %n, snippets.relu %y
// CHECK-LABEL: func.func @norm(
// CHECK: snippets.layer_norm
// CHECK: snippets.yield %y
func.func @norm(%x: tensor<16384x64xf32>, %w: tensor<64x256xf32>, %v: tensor<256x64xf32>, %g: tensor<64xf32>, %b: tensor<64xf32>) -> tensor<16384x64xf32> {
  %h = snippets.matmul %x, %w : (tensor<16384x64xf32>, tensor<64x256xf32>) -> tensor<16384x256xf32>
  %1 = snippets.relu %h : tensor<16384x256xf32>
  %o = snippets.matmul %1, %v : (tensor<16384x256xf32>, tensor<256x64xf32>) -> tensor<16384x64xf32>
  %2 = snippets.add %o, %x : tensor<16384x64xf32>
  %n = snippets.layer_norm %2, %g, %b {axis = 1 : i64, epsilon = 1.0e-05 : f64} : (tensor<16384x64xf32>, tensor<64xf32>, tensor<64xf32>) -> tensor<16384x64xf32>
  %y = snippets.relu %n : tensor<16384x64xf32>
  func.return %y : tensor<16384x64xf32>
}

// -----

// Where the products are two kernels, it is in that of the second one.
// PLAN: kernels apart: W4: 1048576 bytes of hidden values, the second-level cache has 1048576
// PLAN-NEXT: one kernel for snippets.matmul %o, snippets.add, snippets.rms_norm %n
// CHECK-LABEL: func.func @norm_of_the_second(
// CHECK: snippets.matmul %x, %w
// CHECK: %n = snippets.subgraph
func.func @norm_of_the_second(%x: tensor<4096x768xf32>, %w: tensor<768x64xf32>, %v: tensor<64x768xf32>, %g: tensor<768xf32>) -> tensor<4096x768xf32> {
  %h = snippets.matmul %x, %w : (tensor<4096x768xf32>, tensor<768x64xf32>) -> tensor<4096x64xf32>
  %1 = snippets.relu %h : tensor<4096x64xf32>
  %o = snippets.matmul %1, %v : (tensor<4096x64xf32>, tensor<64x768xf32>) -> tensor<4096x768xf32>
  %2 = snippets.add %o, %x : tensor<4096x768xf32>
  %n = snippets.rms_norm %2, %g {axis = 1 : i64, epsilon = 1.0e-05 : f64} : (tensor<4096x768xf32>, tensor<768xf32>) -> tensor<4096x768xf32>
  func.return %n : tensor<4096x768xf32>
}

// -----

// Twin: a block of its left operand is too large.
// PLAN: kernels apart: W5: blocks have 32 rows of 12288 bytes, fewer than 64
// PLAN-NEXT: snippets.rms_norm %n apart: W7: blocks of 128 rows read 1572864 bytes of the left operand
// CHECK-LABEL: func.func @norm_of_long_rows(
// CHECK-NOT: snippets.subgraph
func.func @norm_of_long_rows(%x: tensor<4096x768xf32>, %w: tensor<768x3072xf32>, %v: tensor<3072x768xf32>, %g: tensor<768xf32>) -> tensor<4096x768xf32> {
  %h = snippets.matmul %x, %w : (tensor<4096x768xf32>, tensor<768x3072xf32>) -> tensor<4096x3072xf32>
  %1 = snippets.relu %h : tensor<4096x3072xf32>
  %o = snippets.matmul %1, %v : (tensor<4096x3072xf32>, tensor<3072x768xf32>) -> tensor<4096x768xf32>
  %2 = snippets.add %o, %x : tensor<4096x768xf32>
  %n = snippets.rms_norm %2, %g {axis = 1 : i64, epsilon = 1.0e-05 : f64} : (tensor<4096x768xf32>, tensor<768xf32>) -> tensor<4096x768xf32>
  func.return %n : tensor<4096x768xf32>
}

// -----

// Twins: one block of rows for two threads; a row that 16 of are too many; a norm of columns.
// PLAN: kernels apart: W5
// PLAN-NEXT: snippets.layer_norm %n apart: W6: 1 blocks of 128 rows for 2 threads
// CHECK-LABEL: func.func @few_rows(
// CHECK-NOT: snippets.subgraph
func.func @few_rows(%x: tensor<128x768xf32>, %w: tensor<768x3072xf32>, %v: tensor<3072x768xf32>) -> tensor<128x768xf32> {
  %h = snippets.matmul %x, %w : (tensor<128x768xf32>, tensor<768x3072xf32>) -> tensor<128x3072xf32>
  %1 = snippets.relu %h : tensor<128x3072xf32>
  %o = snippets.matmul %1, %v : (tensor<128x3072xf32>, tensor<3072x768xf32>) -> tensor<128x768xf32>
  %n = snippets.layer_norm %o {axis = 1 : i64, epsilon = 1.0e-05 : f64} : (tensor<128x768xf32>) -> tensor<128x768xf32>
  func.return %n : tensor<128x768xf32>
}

// -----

// PLAN: snippets.layer_norm %n apart: W7: 16 rows of 36864 bytes, half of the second-level cache has fewer
// CHECK-LABEL: func.func @wide_rows(
// CHECK-NOT: snippets.subgraph
func.func @wide_rows(%x: tensor<4096x64xf32>, %w: tensor<64x3072xf32>, %v: tensor<3072x9216xf32>) -> tensor<4096x9216xf32> {
  %h = snippets.matmul %x, %w : (tensor<4096x64xf32>, tensor<64x3072xf32>) -> tensor<4096x3072xf32>
  %1 = snippets.relu %h : tensor<4096x3072xf32>
  %o = snippets.matmul %1, %v : (tensor<4096x3072xf32>, tensor<3072x9216xf32>) -> tensor<4096x9216xf32>
  %n = snippets.layer_norm %o {axis = 1 : i64, epsilon = 1.0e-05 : f64} : (tensor<4096x9216xf32>) -> tensor<4096x9216xf32>
  func.return %n : tensor<4096x9216xf32>
}

// -----

// PLAN: one kernel for snippets.matmul %h, snippets.relu, snippets.matmul %o{{$}}
// CHECK-LABEL: func.func @all_elements(
// CHECK: snippets.yield %o
func.func @all_elements(%x: tensor<16384x64xf32>, %w: tensor<64x256xf32>, %v: tensor<256x64xf32>) -> tensor<16384x64xf32> {
  %h = snippets.matmul %x, %w : (tensor<16384x64xf32>, tensor<64x256xf32>) -> tensor<16384x256xf32>
  %1 = snippets.relu %h : tensor<16384x256xf32>
  %o = snippets.matmul %1, %v : (tensor<16384x256xf32>, tensor<256x64xf32>) -> tensor<16384x64xf32>
  %n = snippets.layer_norm %o {axis = 0 : i64, epsilon = 1.0e-05 : f64} : (tensor<16384x64xf32>) -> tensor<16384x64xf32>
  func.return %n : tensor<16384x64xf32>
}
