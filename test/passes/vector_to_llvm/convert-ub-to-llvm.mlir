// RUN: snippets-opt %s -p convert-ub-to-llvm | filecheck %s

// CHECK-LABEL: @poison
// CHECK-NEXT: llvm.mlir.poison : vector<4xf32>
func.func @poison() -> vector<4xf32> {
  %0 = ub.poison : vector<4xf32>
  func.return %0 : vector<4xf32>
}

// Does not fire: LLVM has no vectors of two dimensions.
// CHECK-LABEL: @planes
// CHECK-NEXT: ub.poison
func.func @planes() -> vector<2x4xf32> {
  %0 = ub.poison : vector<2x4xf32>
  func.return %0 : vector<2x4xf32>
}
