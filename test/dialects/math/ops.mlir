// RUN: snippets-opt %s | snippets-opt - | filecheck %s
// RUN: snippets-opt --mlir-print-op-generic %s | snippets-opt - | filecheck %s

// CHECK-LABEL: @floats
func.func @floats(%x: f32, %v: vector<4xf32>) {
  // CHECK-NEXT: %0 = math.isnan %x : f32
  %0 = math.isnan %x : f32
  // CHECK-NEXT: %1 = math.isinf %v {fastmath = #arith.fastmath<contract>} : vector<4xf32>
  %1 = math.isinf %v {fastmath = #arith.fastmath<contract>} : vector<4xf32>
  // CHECK-NEXT: %2 = math.isfinite %x : f32
  %2 = math.isfinite %x : f32
  // CHECK-NEXT: %3 = math.isnormal %x : f32
  %3 = math.isnormal %x : f32
  // CHECK-NEXT: %4 = math.clampf %x to [%x, %x] : f32
  %4 = math.clampf %x to [%x, %x] : f32
  func.return
}
