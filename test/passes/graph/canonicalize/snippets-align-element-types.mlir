// RUN: snippets-opt %s -p 'snippets-align-element-types{inputs=f16,- outputs=f16}' --verify-each | filecheck %s
// RUN: snippets-opt %s -p 'snippets-align-element-types' --verify-each | filecheck %s --check-prefix=NONE

// Arguments and results of the function are memory; the conversions are inside.
// CHECK-LABEL: func.func @interface(
// CHECK-SAME: %x: tensor<?xf16>, %y: tensor<?xf32>) -> tensor<?xf16> {
// CHECK-NEXT: snippets.subgraph (%a = %x, %b = %y) : (tensor<?xf16>, tensor<?xf32>) -> tensor<?xf16> {
// CHECK-NEXT: %[[A:.*]] = snippets.convert_saturation %a : (tensor<?xf16>) -> tensor<?xf32>
// CHECK-NEXT: %[[S:.*]] = snippets.add %[[A]], %b : tensor<?xf32>
// CHECK-NEXT: %[[R:.*]] = snippets.convert_saturation %[[S]] : (tensor<?xf32>) -> tensor<?xf16>
// CHECK-NEXT: snippets.yield %[[R]] : tensor<?xf16>
// CHECK: func.return %{{.*}} : tensor<?xf16>
// NONE-LABEL: func.func @interface(
// NONE-NOT: snippets.convert_saturation
// NONE-LABEL: func.func @attributes(
func.func @interface(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %0 = snippets.subgraph (%a = %x, %b = %y) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32> {
    %1 = snippets.add %a, %b : tensor<?xf32>
    snippets.yield %1 : tensor<?xf32>
  }
  func.return %0 : tensor<?xf32>
}

// The attributes of a subgraph go before the options, and go away.
// CHECK-LABEL: func.func @attributes(
// CHECK-SAME: %x: tensor<4xi8>) -> tensor<4xi32> {
// CHECK-NOT: snippets.input_types
// CHECK: snippets.convert_saturation %a : (tensor<4xi8>) -> tensor<4xi32>
// NONE: snippets.convert_saturation %a : (tensor<4xi8>) -> tensor<4xi32>
// NONE-LABEL: func.func @views(
func.func @attributes(%x: tensor<4xi32>) -> tensor<4xi32> {
  %0 = snippets.subgraph (%a = %x) : (tensor<4xi32>) -> tensor<4xi32> attributes {snippets.input_types = ["i8"], snippets.output_types = ["-"]} {
    %1 = snippets.abs %a : tensor<4xi32>
    snippets.yield %1 : tensor<4xi32>
  }
  func.return %0 : tensor<4xi32>
}

// After the views of an input and before those of a result.
// CHECK-LABEL: func.func @views(
// CHECK: snippets.transpose %a {permutation = array<i64: 1, 0>} : (tensor<2x3xf16>) -> tensor<3x2xf16>
// CHECK-NEXT: snippets.reshape %{{.*}} : (tensor<3x2xf16>) -> tensor<6xf16>
// CHECK-NEXT: snippets.convert_saturation %{{.*}} : (tensor<6xf16>) -> tensor<6xf32>
// CHECK-NEXT: snippets.add
// CHECK-NEXT: snippets.convert_saturation %{{.*}} : (tensor<6xf32>) -> tensor<6xf16>
// CHECK-NEXT: snippets.reshape %{{.*}} : (tensor<6xf16>) -> tensor<2x3xf16>
// CHECK-NEXT: snippets.yield
func.func @views(%x: tensor<2x3xf32>, %y: tensor<6xf32>) -> tensor<2x3xf32> {
  %0 = snippets.subgraph (%a = %x, %b = %y) : (tensor<2x3xf32>, tensor<6xf32>) -> tensor<2x3xf32> {
    %1 = snippets.transpose %a {permutation = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
    %2 = snippets.reshape %1 : (tensor<3x2xf32>) -> tensor<6xf32>
    %3 = snippets.add %2, %b : tensor<6xf32>
    %4 = snippets.reshape %3 : (tensor<6xf32>) -> tensor<2x3xf32>
    snippets.yield %4 : tensor<2x3xf32>
  }
  func.return %0 : tensor<2x3xf32>
}

// What is no interface of a function is converted outside: a value that another op makes or reads.
// CHECK-LABEL: func.func @inside(
// CHECK-SAME: %x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf16>, tensor<4xf32>) {
// CHECK-NEXT: %[[E:.*]] = snippets.exp %x : tensor<4xf32>
// CHECK-NEXT: %[[I:.*]] = snippets.convert_saturation %[[E]] : (tensor<4xf32>) -> tensor<4xf16>
// CHECK-NEXT: %[[S:.*]] = snippets.subgraph (%a = %[[I]], %b = %y)
// CHECK: %[[O:.*]] = snippets.convert_saturation %[[S]] : (tensor<4xf16>) -> tensor<4xf32>
// CHECK-NEXT: %[[L:.*]] = snippets.log %[[O]]
// CHECK-NEXT: func.return %[[S]], %[[L]] : tensor<4xf16>, tensor<4xf32>
func.func @inside(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %e = snippets.exp %x : tensor<4xf32>
  %0 = snippets.subgraph (%a = %e, %b = %y) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
    %1 = snippets.add %a, %b : tensor<4xf32>
    snippets.yield %1 : tensor<4xf32>
  }
  %l = snippets.log %0 : tensor<4xf32>
  func.return %0, %l : tensor<4xf32>, tensor<4xf32>
}

// A result that comes from its type in memory is not converted twice; a lossy conversion stays.
// CHECK-LABEL: func.func @converted(
// CHECK: snippets.yield %a : tensor<4xf16>
// CHECK-LABEL: func.func @lossy(
// CHECK: %[[N:.*]] = snippets.convert_truncation %{{.*}} : (tensor<4xf32>) -> tensor<4xi8>
// CHECK-NEXT: snippets.convert_saturation %[[N]] : (tensor<4xi8>) -> tensor<4xf16>
func.func @converted(%x: tensor<4xf16>, %y: tensor<4xf16>) -> tensor<4xf32> {
  %0 = snippets.subgraph (%a = %x, %b = %y) : (tensor<4xf16>, tensor<4xf16>) -> tensor<4xf32> {
    %1 = snippets.convert_truncation %a : (tensor<4xf16>) -> tensor<4xf32>
    snippets.yield %1 : tensor<4xf32>
  }
  func.return %0 : tensor<4xf32>
}
func.func @lossy(%x: tensor<4xf32>, %y: tensor<4xf16>) -> tensor<4xi8> {
  %0 = snippets.subgraph (%a = %x, %b = %y) : (tensor<4xf32>, tensor<4xf16>) -> tensor<4xi8> {
    %1 = snippets.convert_truncation %a : (tensor<4xf32>) -> tensor<4xi8>
    snippets.yield %1 : tensor<4xi8>
  }
  func.return %0 : tensor<4xi8>
}
