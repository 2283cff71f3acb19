// RUN: snippets-opt %s -p snippets-move-elementwise-up --check-each --split-input-file | filecheck %s

// All that follows the reshape is computed before it: the residual through a view, the scale as a row, a number as it is.
// CHECK-LABEL: func.func @all
// CHECK: %[[P:.*]] = snippets.matmul
// CHECK-NEXT: %[[B:.*]] = snippets.add %[[P]], %bias : (tensor<4x6xf32>, tensor<6xf32>) -> tensor<4x6xf32>
// CHECK-NEXT: %[[T:.*]] = snippets.tanh %[[B]] : tensor<4x6xf32>
// CHECK-NEXT: %[[M:.*]] = snippets.multiply %[[B]], %[[T]] : tensor<4x6xf32>
// CHECK: %[[ROW:.*]] = snippets.reshape %scale : (tensor<1x1x6xf32>) -> tensor<6xf32>
// CHECK-NEXT: %[[S:.*]] = snippets.multiply %[[M]], %[[ROW]] : (tensor<4x6xf32>, tensor<6xf32>) -> tensor<4x6xf32>
// CHECK-NEXT: %[[D:.*]] = snippets.divide %[[S]], %number : (tensor<4x6xf32>, tensor<f32>) -> tensor<4x6xf32>
// CHECK-NEXT: %[[R:.*]] = snippets.reshape %residual : (tensor<2x2x6xf32>) -> tensor<4x6xf32>
// CHECK-NEXT: %[[A:.*]] = snippets.add %[[R]], %[[D]] : tensor<4x6xf32>
// CHECK-NEXT: %[[V:.*]] = snippets.reshape %[[A]] : (tensor<4x6xf32>) -> tensor<2x2x6xf32>
// CHECK-NEXT: func.return %[[V]]
func.func @all(%x: tensor<4x3xf32>, %w: tensor<3x6xf32>, %bias: tensor<6xf32>, %scale: tensor<1x1x6xf32>, %number: tensor<f32>, %residual: tensor<2x2x6xf32>) -> tensor<2x2x6xf32> {
  %0 = snippets.matmul %x, %w : (tensor<4x3xf32>, tensor<3x6xf32>) -> tensor<4x6xf32>
  %1 = snippets.add %0, %bias : (tensor<4x6xf32>, tensor<6xf32>) -> tensor<4x6xf32>
  %2 = snippets.reshape %1 : (tensor<4x6xf32>) -> tensor<2x2x6xf32>
  %3 = snippets.tanh %2 : tensor<2x2x6xf32>
  %4 = snippets.multiply %2, %3 : tensor<2x2x6xf32>
  %5 = snippets.multiply %4, %scale : (tensor<2x2x6xf32>, tensor<1x1x6xf32>) -> tensor<2x2x6xf32>
  %6 = snippets.divide %5, %number : (tensor<2x2x6xf32>, tensor<f32>) -> tensor<2x2x6xf32>
  %7 = snippets.add %residual, %6 : tensor<2x2x6xf32>
  func.return %7 : tensor<2x2x6xf32>
}

// -----

// Other element types pass: the result is compared on the shape of the product.
// CHECK-LABEL: func.func @types
// CHECK: snippets.greater %{{.*}}, %{{.*}} : (tensor<4x6xf32>, tensor<f32>) -> tensor<4x6xi1>
// CHECK-NEXT: snippets.reshape %{{.*}} : (tensor<4x6xi1>) -> tensor<24xi1>
func.func @types(%x: tensor<4x3xf32>, %w: tensor<3x6xf32>, %n: tensor<f32>) -> tensor<24xi1> {
  %0 = snippets.matmul %x, %w : (tensor<4x3xf32>, tensor<3x6xf32>) -> tensor<4x6xf32>
  %1 = snippets.reshape %0 : (tensor<4x6xf32>) -> tensor<24xf32>
  %2 = snippets.greater %1, %n : (tensor<24xf32>, tensor<f32>) -> tensor<24xi1>
  func.return %2 : tensor<24xi1>
}

// -----

// Does not fire: a row that the reshape cuts, a value that is broadcast, and a sum over the new dims.
// CHECK-LABEL: func.func @cut
// CHECK: snippets.add %{{.*}}, %row : (tensor<8x3xf32>, tensor<3xf32>) -> tensor<8x3xf32>
// CHECK: snippets.add %{{.*}}, %wide : (tensor<1x4x6xf32>, tensor<5x4x6xf32>) -> tensor<5x4x6xf32>
// CHECK: snippets.reduce_sum %{{.*}} : (tensor<2x2x6xf32>) -> tensor<2x2x1xf32>
func.func @cut(%x: tensor<4x3xf32>, %w: tensor<3x6xf32>, %row: tensor<3xf32>, %wide: tensor<5x4x6xf32>) -> (tensor<8x3xf32>, tensor<5x4x6xf32>, tensor<2x2x1xf32>) {
  %0 = snippets.matmul %x, %w : (tensor<4x3xf32>, tensor<3x6xf32>) -> tensor<4x6xf32>
  %1 = snippets.reshape %0 : (tensor<4x6xf32>) -> tensor<8x3xf32>
  %2 = snippets.add %1, %row : (tensor<8x3xf32>, tensor<3xf32>) -> tensor<8x3xf32>
  %3 = snippets.reshape %0 : (tensor<4x6xf32>) -> tensor<1x4x6xf32>
  %4 = snippets.add %3, %wide : (tensor<1x4x6xf32>, tensor<5x4x6xf32>) -> tensor<5x4x6xf32>
  %5 = snippets.reshape %0 : (tensor<4x6xf32>) -> tensor<2x2x6xf32>
  %6 = snippets.reduce_sum %5 {axes = array<i64: 2>, keep_dims} : (tensor<2x2x6xf32>) -> tensor<2x2x1xf32>
  func.return %2, %4, %6 : tensor<8x3xf32>, tensor<5x4x6xf32>, tensor<2x2x1xf32>
}

// -----

// Does not fire: no product, and an op that was marked.
// CHECK-LABEL: func.func @left
// CHECK: snippets.tanh %{{.*}} : tensor<24xf32>
// CHECK: snippets.tanh %{{.*}} {snippets.skipped = "kept"} : tensor<24xf32>
func.func @left(%x: tensor<4x6xf32>, %w: tensor<6x6xf32>) -> (tensor<24xf32>, tensor<24xf32>) {
  %0 = snippets.relu %x : tensor<4x6xf32>
  %1 = snippets.reshape %0 : (tensor<4x6xf32>) -> tensor<24xf32>
  %2 = snippets.tanh %1 : tensor<24xf32>
  %3 = snippets.matmul %x, %w : (tensor<4x6xf32>, tensor<6x6xf32>) -> tensor<4x6xf32>
  %4 = snippets.reshape %3 : (tensor<4x6xf32>) -> tensor<24xf32>
  %5 = snippets.tanh %4 {snippets.skipped = "kept"} : tensor<24xf32>
  func.return %2, %5 : tensor<24xf32>, tensor<24xf32>
}

// -----

// Between two products: dims of 1 around a mask and a softmax. The mask of fewer dims, the spread
// constant and the broadcast mask are read as they are.
// CHECK-LABEL: func.func @attention
// CHECK: %[[S:.*]] = snippets.matmul %q, %k
// CHECK-NEXT: %[[A:.*]] = snippets.add %[[S]], %bias : (tensor<3x5x7xf32>, tensor<1x1x7xf32>) -> tensor<3x5x7xf32>
// CHECK: %[[M:.*]] = snippets.select %mask, %[[A]], %{{.*}} : (tensor<5x7xi1>, tensor<3x5x7xf32>, tensor<f32>) -> tensor<3x5x7xf32>
// CHECK-NEXT: %[[P:.*]] = snippets.softmax %[[M]] {axis = 2 : i64} : tensor<3x5x7xf32>
// CHECK-NEXT: snippets.matmul %[[P]], %v
func.func @attention(%q: tensor<3x5x4xf32>, %k: tensor<3x4x7xf32>, %v: tensor<3x7x2xf32>, %bias: tensor<1x1x7xf32>, %mask: tensor<5x7xi1>) -> tensor<3x5x2xf32> {
  %0 = snippets.matmul %q, %k : (tensor<3x5x4xf32>, tensor<3x4x7xf32>) -> tensor<3x5x7xf32>
  %1 = snippets.reshape %0 : (tensor<3x5x7xf32>) -> tensor<3x5x1x7xf32>
  %2 = snippets.add %1, %bias : (tensor<3x5x1x7xf32>, tensor<1x1x7xf32>) -> tensor<3x5x1x7xf32>
  %3 = snippets.reshape %2 : (tensor<3x5x1x7xf32>) -> tensor<1x3x5x7xf32>
  %c = snippets.scalar -1.0e4 : f32
  %4 = snippets.broadcast %c : (tensor<f32>) -> tensor<3x5x7xf32>
  %5 = snippets.reshape %4 : (tensor<3x5x7xf32>) -> tensor<1x3x5x7xf32>
  %6 = snippets.broadcast %mask : (tensor<5x7xi1>) -> tensor<3x5x7xi1>
  %7 = snippets.reshape %6 : (tensor<3x5x7xi1>) -> tensor<1x3x5x7xi1>
  %8 = snippets.select %7, %3, %5 : (tensor<1x3x5x7xi1>, tensor<1x3x5x7xf32>, tensor<1x3x5x7xf32>) -> tensor<1x3x5x7xf32>
  %9 = snippets.softmax %8 {axis = 3 : i64} : tensor<1x3x5x7xf32>
  %10 = snippets.reshape %9 : (tensor<1x3x5x7xf32>) -> tensor<3x5x7xf32>
  %11 = snippets.matmul %10, %v : (tensor<3x5x7xf32>, tensor<3x7x2xf32>) -> tensor<3x5x2xf32>
  func.return %11 : tensor<3x5x2xf32>
}

// -----

// One dim of unknown size, and dims of 1 around it.
// CHECK-LABEL: func.func @dynamic
// CHECK: %[[S:.*]] = snippets.matmul
// CHECK-NEXT: %[[T:.*]] = snippets.tanh %[[S]] : tensor<?x7xf32>
// CHECK-NEXT: %[[P:.*]] = snippets.softmax %[[T]] {axis = 1 : i64}
// CHECK-NEXT: func.return %[[P]]
func.func @dynamic(%q: tensor<?x4xf32>, %k: tensor<4x7xf32>) -> tensor<?x7xf32> {
  %0 = snippets.matmul %q, %k : (tensor<?x4xf32>, tensor<4x7xf32>) -> tensor<?x7xf32>
  %1 = snippets.reshape %0 : (tensor<?x7xf32>) -> tensor<1x?x7xf32>
  %2 = snippets.tanh %1 : tensor<1x?x7xf32>
  %3 = snippets.softmax %2 {axis = 2 : i64} : tensor<1x?x7xf32>
  %4 = snippets.reshape %3 : (tensor<1x?x7xf32>) -> tensor<?x7xf32>
  func.return %4 : tensor<?x7xf32>
}

// -----

// These stay: the softmax is along another dim; the reshape breaks up its rows; no product makes
// what is reshaped; the dims of unknown size may be others.
// CHECK-LABEL: func.func @softmaxes_stay
// CHECK-COUNT-4: snippets.softmax %view
func.func @softmaxes_stay(%q: tensor<4x4xf32>, %k: tensor<4x6xf32>, %x: tensor<4x6xf32>, %z: tensor<4x?xf32>) -> (tensor<1x4x6xf32>, tensor<8x3xf32>, tensor<1x4x6xf32>, tensor<2x?xf32>) {
  %0 = snippets.matmul %q, %k : (tensor<4x4xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %view1 = snippets.reshape %0 : (tensor<4x6xf32>) -> tensor<1x4x6xf32>
  %2 = snippets.softmax %view1 {axis = 1 : i64} : tensor<1x4x6xf32>
  %view3 = snippets.reshape %0 : (tensor<4x6xf32>) -> tensor<8x3xf32>
  %4 = snippets.softmax %view3 {axis = 1 : i64} : tensor<8x3xf32>
  %view5 = snippets.reshape %x : (tensor<4x6xf32>) -> tensor<1x4x6xf32>
  %6 = snippets.softmax %view5 {axis = 2 : i64} : tensor<1x4x6xf32>
  %7 = snippets.matmul %q, %z : (tensor<4x4xf32>, tensor<4x?xf32>) -> tensor<4x?xf32>
  %view8 = snippets.reshape %7 : (tensor<4x?xf32>) -> tensor<2x?xf32>
  %9 = snippets.softmax %view8 {axis = 1 : i64} : tensor<2x?xf32>
  func.return %2, %4, %6, %9 : tensor<1x4x6xf32>, tensor<8x3xf32>, tensor<1x4x6xf32>, tensor<2x?xf32>
}

// -----

// A mask has all heads, or one for all: beside groups of heads it has both dims, or ones.
// CHECK-LABEL: func.func @groups_of_heads(
// CHECK: %[[M:.*]] = snippets.reshape %m : (tensor<2x1x9x7xf32>) -> tensor<2x1x1x9x7xf32>
// CHECK-NEXT: snippets.add %{{.*}}, %[[M]]
// CHECK-NEXT: %[[B:.*]] = snippets.reshape %b : (tensor<6x1x1xf32>) -> tensor<1x2x3x1x1xf32>
// CHECK-NEXT: snippets.add %{{.*}}, %[[B]]
// CHECK-NEXT: snippets.reshape
// CHECK-NEXT: return
func.func @groups_of_heads(%q: tensor<2x2x3x9x4xf32>, %k: tensor<2x2x1x4x7xf32>, %m: tensor<2x1x9x7xf32>, %b: tensor<6x1x1xf32>) -> tensor<2x6x9x7xf32> {
  %0 = snippets.matmul %q, %k : (tensor<2x2x3x9x4xf32>, tensor<2x2x1x4x7xf32>) -> tensor<2x2x3x9x7xf32>
  %1 = snippets.reshape %0 : (tensor<2x2x3x9x7xf32>) -> tensor<2x6x9x7xf32>
  %2 = snippets.add %1, %m : (tensor<2x6x9x7xf32>, tensor<2x1x9x7xf32>) -> tensor<2x6x9x7xf32>
  %3 = snippets.add %2, %b : (tensor<2x6x9x7xf32>, tensor<6x1x1xf32>) -> tensor<2x6x9x7xf32>
  func.return %3 : tensor<2x6x9x7xf32>
}

// -----

// Stays: rows and heads are one dim after the reshape, and no dim of the operand.
// CHECK-LABEL: func.func @mixed_dims(
// CHECK: snippets.reshape
// CHECK-NEXT: snippets.add
func.func @mixed_dims(%q: tensor<6x9x4xf32>, %k: tensor<6x4x7xf32>, %m: tensor<2x1x7xf32>) -> tensor<2x27x7xf32> {
  %0 = snippets.matmul %q, %k : (tensor<6x9x4xf32>, tensor<6x4x7xf32>) -> tensor<6x9x7xf32>
  %1 = snippets.reshape %0 : (tensor<6x9x7xf32>) -> tensor<2x27x7xf32>
  %2 = snippets.add %1, %m : (tensor<2x27x7xf32>, tensor<2x1x7xf32>) -> tensor<2x27x7xf32>
  func.return %2 : tensor<2x27x7xf32>
}
