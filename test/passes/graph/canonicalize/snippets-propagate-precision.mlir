// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx2},snippets-propagate-precision' --verify-each | filecheck %s
// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx2},snippets-propagate-precision,snippets-propagate-precision' --verify-each | filecheck %s

// Each op computes in f32 and is rounded to f16; a value is converted once for all its readers;
// a comparison gives i1 as it is.
// CHECK-LABEL: func.func @floats(
// CHECK: %[[A:.*]] = snippets.convert_saturation %a : (tensor<?xf16>) -> tensor<?xf32>
// CHECK-NEXT: %[[S:.*]] = snippets.add %[[A]], %[[A]] : tensor<?xf32>
// CHECK-NEXT: %[[R:.*]] = snippets.convert_saturation %[[S]] : (tensor<?xf32>) -> tensor<?xf16>
// CHECK-NEXT: %[[W:.*]] = snippets.convert_saturation %[[R]] : (tensor<?xf16>) -> tensor<?xf32>
// CHECK-NEXT: %[[C:.*]] = snippets.less %[[W]], %[[A]] : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xi1>
// CHECK-NEXT: snippets.yield %[[R]], %[[C]]
func.func @floats(%x: tensor<?xf16>) -> (tensor<?xf16>, tensor<?xi1>) {
  %0, %1 = snippets.subgraph (%a = %x) : (tensor<?xf16>) -> (tensor<?xf16>, tensor<?xi1>) {
    %2 = snippets.add %a, %a : tensor<?xf16>
    %3 = snippets.less %2, %a : (tensor<?xf16>, tensor<?xf16>) -> tensor<?xi1>
    snippets.yield %2, %3 : tensor<?xf16>, tensor<?xi1>
  }
  func.return %0, %1 : tensor<?xf16>, tensor<?xi1>
}

// Integers wrap on the way back; bounds are those of the narrow type; ui32 needs i64.
// CHECK-LABEL: func.func @integers(
// CHECK: snippets.clamp %{{.*}} {min = -128 : i64, max = 5 : i64} : tensor<4xi32>
// CHECK-NEXT: snippets.convert_truncation %{{.*}} : (tensor<4xi32>) -> tensor<4xi8>
// CHECK: snippets.reduce_max %{{.*}} : (tensor<4xi32>) -> tensor<i32>
// CHECK-NEXT: snippets.convert_saturation %{{.*}} : (tensor<i32>) -> tensor<i8>
// CHECK: snippets.divide %{{.*}} : tensor<4xi64>
// CHECK-NEXT: snippets.convert_truncation %{{.*}} : (tensor<4xi64>) -> tensor<4xui32>
func.func @integers(%x: tensor<4xi8>, %y: tensor<4xui32>) -> (tensor<i8>, tensor<4xui32>) {
  %0, %1 = snippets.subgraph (%a = %x, %b = %y) : (tensor<4xi8>, tensor<4xui32>) -> (tensor<i8>, tensor<4xui32>) {
    %2 = snippets.clamp %a {min = -1000 : i64, max = 5 : i64} : tensor<4xi8>
    %3 = snippets.reduce_max %2 {axes = array<i64: 0>} : (tensor<4xi8>) -> tensor<i8>
    %4 = snippets.divide %b, %b : tensor<4xui32>
    snippets.yield %3, %4 : tensor<i8>, tensor<4xui32>
  }
  func.return %0, %1 : tensor<i8>, tensor<4xui32>
}

// Two roundings stay two; a condition stays i1; attributes are rounded to bf16 first.
// CHECK-LABEL: func.func @roundings(
// CHECK: snippets.subtract %{{.*}} : tensor<4xf32>
// CHECK-NEXT: snippets.convert_saturation %{{.*}} : (tensor<4xf32>) -> tensor<4xbf16>
// CHECK: snippets.multiply %{{.*}} : tensor<4xf32>
// CHECK: snippets.leaky_relu %{{.*}} {alpha = 0.10009765625 : f64} : tensor<4xf32>
// CHECK: snippets.select %c, %{{.*}}, %{{.*}} : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
func.func @roundings(%x: tensor<4xbf16>, %y: tensor<4xi1>) -> tensor<4xbf16> {
  %0 = snippets.subgraph (%a = %x, %c = %y) : (tensor<4xbf16>, tensor<4xi1>) -> tensor<4xbf16> {
    %2 = snippets.squared_difference %a, %a : tensor<4xbf16>
    %3 = snippets.leaky_relu %2 {alpha = 0.1 : f64} : tensor<4xbf16>
    %4 = snippets.select %c, %3, %a : (tensor<4xi1>, tensor<4xbf16>, tensor<4xbf16>) -> tensor<4xbf16>
    snippets.yield %4 : tensor<4xbf16>
  }
  func.return %0 : tensor<4xbf16>
}

// Types that kernels compute in; ops that only move or convert; what is in no subgraph.
// CHECK-LABEL: func.func @does_not_fire(
// CHECK-NOT: convert_saturation
// CHECK: snippets.convert_truncation %{{.*}} : (tensor<1xi8>) -> tensor<1xf16>
// CHECK-NOT: convert
// CHECK: func.return
func.func @does_not_fire(%x: tensor<4xf32>, %y: tensor<4xi64>, %z: tensor<1xi8>) -> (tensor<4xf32>, tensor<4xi64>, tensor<4xf16>, tensor<1xi8>) {
  %o = snippets.add %z, %z : tensor<1xi8>
  %0, %1, %2 = snippets.subgraph (%a = %x, %b = %y, %c = %z) : (tensor<4xf32>, tensor<4xi64>, tensor<1xi8>) -> (tensor<4xf32>, tensor<4xi64>, tensor<4xf16>) {
    %3 = snippets.add %a, %a : tensor<4xf32>
    %4 = snippets.add %b, %b : tensor<4xi64>
    %5 = snippets.convert_truncation %c : (tensor<1xi8>) -> tensor<1xf16>
    %6 = snippets.broadcast %5 : (tensor<1xf16>) -> tensor<4xf16>
    snippets.yield %3, %4, %6 : tensor<4xf32>, tensor<4xi64>, tensor<4xf16>
  }
  func.return %0, %1, %2, %o : tensor<4xf32>, tensor<4xi64>, tensor<4xf16>, tensor<1xi8>
}
