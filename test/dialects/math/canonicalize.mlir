// RUN: snippets-opt %s --canonicalize | filecheck %s

// What is not used goes.
// CHECK-LABEL: @unused
// CHECK-NEXT: func.return
func.func @unused(%x: f32) {
  %0 = math.isnan %x : f32
  %1 = math.clampf %x to [%x, %x] : f32
  func.return
}
