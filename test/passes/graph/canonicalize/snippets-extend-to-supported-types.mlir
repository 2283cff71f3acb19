// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx2},snippets-extend-to-supported-types' --verify-each | filecheck %s
// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx2},snippets-extend-to-supported-types,snippets-extend-to-supported-types' --verify-each | filecheck %s
// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx2 math=strict},snippets-extend-to-supported-types' --verify-each | filecheck %s --check-prefix=STRICT
// RUN: snippets-opt %s -p 'snippets-set-target{target=generic},snippets-extend-to-supported-types' --verify-each | filecheck %s --check-prefix=GENERIC

// What reads a computed value reads it before it is rounded, through moves, too; the result is
// rounded once. With math=strict, every op is.
// CHECK-LABEL: func.func @floats(
// CHECK: %[[X:.*]] = snippets.convert_saturation %x : (tensor<4x8xbf16>) -> tensor<4x8xf32>
// CHECK: %[[S:.*]] = snippets.softmax %[[X]] {axis = 1 : i64} : tensor<4x8xf32>
// CHECK: %[[T:.*]] = snippets.transpose %[[S]] {{.*}} : (tensor<4x8xf32>) -> tensor<8x4xf32>
// CHECK: %[[D:.*]] = snippets.squared_difference %[[T]], %{{.*}} : (tensor<8x4xf32>, tensor<f32>) -> tensor<8x4xf32>
// CHECK: %[[R:.*]] = snippets.convert_saturation %[[D]] : (tensor<8x4xf32>) -> tensor<8x4xbf16>
// CHECK-NEXT: func.return %[[R]]
// STRICT-LABEL: func.func @floats(
// STRICT: snippets.softmax {{.*}} : tensor<4x8xf32>
// STRICT: snippets.transpose {{.*}} : (tensor<4x8xbf16>) -> tensor<8x4xbf16>
// STRICT: snippets.subtract {{.*}} -> tensor<8x4xf32>
// STRICT: (tensor<8x4xf32>) -> tensor<8x4xbf16>
// STRICT: snippets.multiply {{.*}} : tensor<8x4xf32>
// STRICT: (tensor<8x4xf32>) -> tensor<8x4xbf16>
func.func @floats(%x: tensor<4x8xbf16>) -> tensor<8x4xbf16> {
  %h = snippets.scalar 0.5 : bf16
  %0 = snippets.softmax %x {axis = 1 : i64} : tensor<4x8xbf16>
  %1 = snippets.transpose %0 {permutation = array<i64: 1, 0>} : (tensor<4x8xbf16>) -> tensor<8x4xbf16>
  %2 = snippets.squared_difference %1, %h : (tensor<8x4xbf16>, tensor<bf16>) -> tensor<8x4xbf16>
  func.return %2 : tensor<8x4xbf16>
}

// A conversion of the program rounds, on every target.
// CHECK-LABEL: func.func @rounded(
// CHECK: %[[E:.*]] = snippets.exp %{{.*}} : tensor<8xf32>
// CHECK: %[[H:.*]] = snippets.convert_saturation %[[E]] : (tensor<8xf32>) -> tensor<8xf16>
// CHECK: %[[W:.*]] = snippets.convert_truncation %[[H]] : (tensor<8xf16>) -> tensor<8xf32>
// CHECK: snippets.add %[[W]], %[[W]] : tensor<8xf32>
// GENERIC-LABEL: func.func @rounded(
// GENERIC: snippets.exp %{{.*}} : tensor<8xf32>
// GENERIC-NOT: snippets.skipped
// GENERIC: snippets.convert_truncation %{{.*}} : (tensor<8xf16>) -> tensor<8xf32>
func.func @rounded(%x: tensor<8xf16>) -> tensor<8xf32> {
  %0 = snippets.exp %x : tensor<8xf16>
  %1 = snippets.convert_truncation %0 : (tensor<8xf16>) -> tensor<8xf32>
  %2 = snippets.add %1, %1 : tensor<8xf32>
  func.return %2 : tensor<8xf32>
}

// Integers wrap after each op; comparisons give truth values as they are.
// CHECK-LABEL: func.func @integers(
// CHECK: snippets.add %{{.*}} : tensor<9xi32>
// CHECK-NEXT: %[[N:.*]] = snippets.convert_truncation %{{.*}} : (tensor<9xi32>) -> tensor<9xi8>
// CHECK: snippets.convert_saturation %[[N]] : (tensor<9xi8>) -> tensor<9xi32>
// CHECK: snippets.less {{.*}} : (tensor<9xi32>, tensor<9xi32>) -> tensor<9xi1>
func.func @integers(%x: tensor<9xi8>) -> tensor<9xi1> {
  %0 = snippets.add %x, %x : tensor<9xi8>
  %1 = snippets.less %0, %x : (tensor<9xi8>, tensor<9xi8>) -> tensor<9xi1>
  func.return %1 : tensor<9xi1>
}

// The largest of nothing is the lowest number of the type; a sum of nothing is 0 in all types.
// CHECK-LABEL: func.func @extremes(
// CHECK: snippets.cum_max %{{.*}} {axis = 0 : i64, exclusive} : tensor<9xi32>
// CHECK-NEXT: snippets.convert_saturation %{{.*}} : (tensor<9xi32>) -> tensor<9xi16>
// CHECK: snippets.cum_sum %{{.*}} {axis = 0 : i64, exclusive} : tensor<9xi32>
// CHECK-NEXT: snippets.convert_truncation %{{.*}} : (tensor<9xi32>) -> tensor<9xi16>
func.func @extremes(%x: tensor<9xi16>) -> (tensor<9xi16>, tensor<9xi16>) {
  %0 = snippets.cum_max %x {axis = 0 : i64, exclusive} : tensor<9xi16>
  %1 = snippets.cum_sum %x {axis = 0 : i64, exclusive} : tensor<9xi16>
  func.return %0, %1 : tensor<9xi16>, tensor<9xi16>
}

// These stay: an op that is skipped, one that depends on its own type, a type that no other holds,
// types that kernels have.
// CHECK-LABEL: func.func @others(
// CHECK-NEXT: snippets.exp %x {snippets.skipped} : tensor<8xbf16>
// CHECK-NEXT: snippets.nextafter %{{.*}} : tensor<8xbf16>
// CHECK-NEXT: snippets.add %n, %n : tensor<8xui64>
// CHECK-NEXT: snippets.add %f, %f : tensor<8xf32>
// CHECK-NEXT: func.return
func.func @others(%x: tensor<8xbf16>, %n: tensor<8xui64>, %f: tensor<8xf32>) -> (tensor<8xbf16>, tensor<8xui64>, tensor<8xf32>) {
  %0 = snippets.exp %x {snippets.skipped} : tensor<8xbf16>
  %1 = snippets.nextafter %0, %x : tensor<8xbf16>
  %2 = snippets.add %n, %n : tensor<8xui64>
  %3 = snippets.add %f, %f : tensor<8xf32>
  func.return %1, %2, %3 : tensor<8xbf16>, tensor<8xui64>, tensor<8xf32>
}
