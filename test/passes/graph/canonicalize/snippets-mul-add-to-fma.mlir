// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx2},snippets-mul-add-to-fma' --verify-each | filecheck %s
// RUN: snippets-opt %s -p 'snippets-set-target{target=generic},snippets-mul-add-to-fma' --verify-each | filecheck %s --check-prefix=GENERIC

// Without the instruction nothing changes.
// GENERIC-NOT: snippets.fma

// The product stands left or right; the addend may be smaller; f64 and dynamic dims, too.
// CHECK-LABEL: func.func @fires(
// CHECK-NOT: snippets.multiply
// CHECK: %[[A:.*]] = snippets.fma %a, %b, %c : (tensor<?x8xf32>, tensor<?x8xf32>, tensor<8xf32>) -> tensor<?x8xf32>
// CHECK-NEXT: %[[B:.*]] = snippets.fma %[[A]], %[[A]], %a : tensor<?x8xf32>
// CHECK-NEXT: snippets.fma %d, %d, %d : tensor<3xf64>
func.func @fires(%x: tensor<?x8xf32>, %y: tensor<?x8xf32>, %z: tensor<8xf32>, %w: tensor<3xf64>) -> (tensor<?x8xf32>, tensor<3xf64>) {
  %0, %1 = snippets.subgraph (%a = %x, %b = %y, %c = %z, %d = %w) : (tensor<?x8xf32>, tensor<?x8xf32>, tensor<8xf32>, tensor<3xf64>) -> (tensor<?x8xf32>, tensor<3xf64>) {
    %2 = snippets.multiply %a, %b : tensor<?x8xf32>
    %3 = snippets.add %2, %c : (tensor<?x8xf32>, tensor<8xf32>) -> tensor<?x8xf32>
    %4 = snippets.multiply %3, %3 : tensor<?x8xf32>
    %5 = snippets.add %a, %4 : tensor<?x8xf32>
    %6 = snippets.multiply %d, %d : tensor<3xf64>
    %7 = snippets.add %6, %d : tensor<3xf64>
    snippets.yield %5, %7 : tensor<?x8xf32>, tensor<3xf64>
  }
  func.return %0, %1 : tensor<?x8xf32>, tensor<3xf64>
}

// Of two products the first is taken.
// CHECK-LABEL: func.func @two_products(
// CHECK: %[[Q:.*]] = snippets.multiply %b, %b
// CHECK-NEXT: snippets.fma %a, %a, %[[Q]]
func.func @two_products(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = snippets.subgraph (%a = %x, %b = %y) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
    %1 = snippets.multiply %a, %a : tensor<4xf32>
    %2 = snippets.multiply %b, %b : tensor<4xf32>
    %3 = snippets.add %1, %2 : tensor<4xf32>
    snippets.yield %3 : tensor<4xf32>
  }
  func.return %0 : tensor<4xf32>
}

// A product with another use, one that is both operands, a smaller one, integers, a difference,
// and a sum outside of subgraphs.
// CHECK-LABEL: func.func @does_not_fire(
// CHECK-NOT: snippets.fma
// CHECK: func.return
func.func @does_not_fire(%x: tensor<2x4xf32>, %y: tensor<4xf32>, %n: tensor<4xi32>) -> (tensor<2x4xf32>, tensor<4xi32>, tensor<4xf32>) {
  %p = snippets.multiply %y, %y : tensor<4xf32>
  %q = snippets.add %p, %y : tensor<4xf32>
  %0, %1 = snippets.subgraph (%a = %x, %b = %y, %c = %n) : (tensor<2x4xf32>, tensor<4xf32>, tensor<4xi32>) -> (tensor<2x4xf32>, tensor<4xi32>) {
    %2 = snippets.multiply %a, %a : tensor<2x4xf32>
    %3 = snippets.add %2, %a : tensor<2x4xf32>
    %4 = snippets.add %2, %3 : tensor<2x4xf32>
    %5 = snippets.multiply %4, %a : tensor<2x4xf32>
    %6 = snippets.add %5, %5 : tensor<2x4xf32>
    %7 = snippets.multiply %b, %b : tensor<4xf32>
    %8 = snippets.add %7, %6 : (tensor<4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    %9 = snippets.multiply %8, %a : tensor<2x4xf32>
    %10 = snippets.subtract %9, %a : tensor<2x4xf32>
    %11 = snippets.multiply %c, %c : tensor<4xi32>
    %12 = snippets.add %11, %c : tensor<4xi32>
    snippets.yield %10, %12 : tensor<2x4xf32>, tensor<4xi32>
  }
  func.return %0, %1, %q : tensor<2x4xf32>, tensor<4xi32>, tensor<4xf32>
}
