// RUN: snippets-opt %s -p snippets-sink-concats --split-input-file | filecheck %s

// A rotary embedding: what is read besides is sliced, or read whole where it broadcasts.
// CHECK-LABEL: @rotary
// CHECK-NOT: snippets.concat
// CHECK: snippets.slice %c {starts = array<i64: 0, 0>
// CHECK: snippets.slice %c {starts = array<i64: 0, 16>
// CHECK: %[[R:.*]] = snippets.concat %{{.*}}, %{{.*}} {axis = 1 : i64} : (tensor<2x16xf32>, tensor<2x16xf32>) -> tensor<2x32xf32>
// CHECK-NEXT: func.return %[[R]]
func.func @rotary(%x: tensor<2x32xf32>, %c: tensor<2x32xf32>, %s: tensor<2x1xf32>) -> tensor<2x32xf32> {
  %0 = snippets.slice %x {starts = array<i64: 0, 16>, steps = array<i64: 1, 1>} : (tensor<2x32xf32>) -> tensor<2x16xf32>
  %1 = snippets.negative %0 : tensor<2x16xf32>
  %2 = snippets.slice %x {starts = array<i64: 0, 0>, steps = array<i64: 1, 1>} : (tensor<2x32xf32>) -> tensor<2x16xf32>
  %3 = snippets.concat %1, %2 {axis = 1 : i64} : (tensor<2x16xf32>, tensor<2x16xf32>) -> tensor<2x32xf32>
  %4 = snippets.multiply %3, %s : (tensor<2x32xf32>, tensor<2x1xf32>) -> tensor<2x32xf32>
  %5 = snippets.multiply %x, %c : tensor<2x32xf32>
  %6 = snippets.add %5, %4 : tensor<2x32xf32>
  func.return %6 : tensor<2x32xf32>
}

// -----

// Two concats of equal parts.
// CHECK-LABEL: @two
// CHECK-NEXT: snippets.add %x, %x
// CHECK-NEXT: snippets.add %y, %y
// CHECK-NEXT: snippets.concat
// CHECK-NEXT: func.return
func.func @two(%x: tensor<2x32xf32>, %y: tensor<2x16xf32>) -> tensor<2x48xf32> {
  %0 = snippets.concat %x, %y {axis = 1 : i64} : (tensor<2x32xf32>, tensor<2x16xf32>) -> tensor<2x48xf32>
  %1 = snippets.concat %x, %y {axis = 1 : i64} : (tensor<2x32xf32>, tensor<2x16xf32>) -> tensor<2x48xf32>
  %2 = snippets.add %0, %1 : tensor<2x48xf32>
  func.return %2 : tensor<2x48xf32>
}

// -----

// Nested: a padded image.
// CHECK-LABEL: @nested
// CHECK-COUNT-3: snippets.relu
// CHECK-NEXT: snippets.concat {{.*}} {axis = 1 : i64}
// CHECK: snippets.concat {{.*}} {axis = 0 : i64}
// CHECK-NEXT: func.return
func.func @nested(%x: tensor<2x60xf32>, %v: tensor<1x64xf32>, %w: tensor<2x4xf32>) -> tensor<3x64xf32> {
  %0 = snippets.concat %x, %w {axis = 1 : i64} : (tensor<2x60xf32>, tensor<2x4xf32>) -> tensor<2x64xf32>
  %1 = snippets.concat %v, %0 {axis = 0 : i64} : (tensor<1x64xf32>, tensor<2x64xf32>) -> tensor<3x64xf32>
  %2 = snippets.relu %1 : tensor<3x64xf32>
  func.return %2 : tensor<3x64xf32>
}

// -----

// The parts of a stack get their new dim before they are computed.
// CHECK-LABEL: @stack
// CHECK-NEXT: snippets.reshape %x
// CHECK-NEXT: snippets.sin %{{.*}} : tensor<40x1xf32>
func.func @stack(%x: tensor<40xf32>, %y: tensor<40x1xf32>) -> tensor<40x2xf32> {
  %0 = snippets.sin %x : tensor<40xf32>
  %1 = snippets.reshape %0 : (tensor<40xf32>) -> tensor<40x1xf32>
  %2 = snippets.concat %1, %y {axis = 1 : i64} : (tensor<40x1xf32>, tensor<40x1xf32>) -> tensor<40x2xf32>
  func.return %2 : tensor<40x2xf32>
}

// -----

// Others read the concat, too; what broadcasts it; narrow parts; a reduction; a computed operand
// that others read.
// CHECK-LABEL: @stay
// CHECK-NEXT: snippets.concat
// CHECK-NEXT: snippets.relu
// CHECK-NEXT: snippets.concat
// CHECK-NEXT: snippets.add
// CHECK-NEXT: snippets.concat
// CHECK-NEXT: snippets.relu
// CHECK-NEXT: snippets.concat
// CHECK-NEXT: snippets.softmax
// CHECK-NEXT: snippets.exp
// CHECK-NEXT: snippets.concat
// CHECK-NEXT: snippets.add
// CHECK-NEXT: func.return
func.func @stay(%x: tensor<2x32xf32>, %y: tensor<2x2x64xf32>, %z: tensor<2x1xf32>, %w: tensor<2x64xf32>) -> (tensor<2x64xf32>, tensor<2x64xf32>, tensor<2x2x64xf32>, tensor<2x2xf32>, tensor<2x64xf32>, tensor<2x64xf32>, tensor<2x64xf32>) {
  %0 = snippets.concat %x, %x {axis = 1 : i64} : (tensor<2x32xf32>, tensor<2x32xf32>) -> tensor<2x64xf32>
  %1 = snippets.relu %0 : tensor<2x64xf32>
  %2 = snippets.concat %x, %x {axis = 1 : i64} : (tensor<2x32xf32>, tensor<2x32xf32>) -> tensor<2x64xf32>
  %3 = snippets.add %2, %y : (tensor<2x64xf32>, tensor<2x2x64xf32>) -> tensor<2x2x64xf32>
  %4 = snippets.concat %z, %z {axis = 1 : i64} : (tensor<2x1xf32>, tensor<2x1xf32>) -> tensor<2x2xf32>
  %5 = snippets.relu %4 : tensor<2x2xf32>
  %6 = snippets.concat %x, %x {axis = 1 : i64} : (tensor<2x32xf32>, tensor<2x32xf32>) -> tensor<2x64xf32>
  %7 = snippets.softmax %6 {axis = 1 : i64} : tensor<2x64xf32>
  %8 = snippets.exp %w : tensor<2x64xf32>
  %9 = snippets.concat %x, %x {axis = 1 : i64} : (tensor<2x32xf32>, tensor<2x32xf32>) -> tensor<2x64xf32>
  %10 = snippets.add %9, %8 : tensor<2x64xf32>
  func.return %0, %1, %3, %5, %7, %8, %10 : tensor<2x64xf32>, tensor<2x64xf32>, tensor<2x2x64xf32>, tensor<2x2xf32>, tensor<2x64xf32>, tensor<2x64xf32>, tensor<2x64xf32>
}
