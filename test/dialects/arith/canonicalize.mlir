// RUN: snippets-opt %s --canonicalize | filecheck %s

// A constant condition chooses a value, and so do two equal values.
// CHECK-LABEL: @chosen
// CHECK-NEXT: func.return %a, %b, %b : f32, f32, f32
func.func @chosen(%c: i1, %a: f32, %b: f32) -> (f32, f32, f32) {
  %true = arith.constant true
  %false = arith.constant false
  %0 = arith.select %true, %a, %b : f32
  %1 = arith.select %false, %a, %b : f32
  %2 = arith.select %c, %b, %b : f32
  func.return %0, %1, %2 : f32, f32, f32
}

// A maximum by compare and select is not arith.maximumf: NaN and -0.0 differ.
// CHECK-LABEL: @maximum
// CHECK-NEXT: arith.cmpf ogt
// CHECK-NEXT: arith.select
func.func @maximum(%a: f32, %b: f32) -> f32 {
  %0 = arith.cmpf ogt, %a, %b : f32
  %1 = arith.select %0, %a, %b : f32
  func.return %1 : f32
}

// Unused conversions go, sign extension too, which upstream keeps.
// CHECK-LABEL: @unused
// CHECK-NEXT: func.return
func.func @unused(%a: vector<8xi32>, %m: vector<8xi1>) {
  %0 = arith.extsi %a : vector<8xi32> to vector<8xi64>
  %1 = arith.select %m, %a, %a : vector<8xi1>, vector<8xi32>
  func.return
}
