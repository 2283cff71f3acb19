// RUN: snippets-opt %s -p convert-math-to-llvm | filecheck %s

// CHECK-LABEL: @fires
// CHECK-NEXT: llvm.intr.fma(%a, %a, %a) {fastmathFlags = #llvm.fastmath<nnan>} : (vector<8xf32>, vector<8xf32>, vector<8xf32>) -> vector<8xf32>
// CHECK-NEXT: llvm.intr.fabs(%a)
// CHECK-NEXT: llvm.intr.floor(%a)
// CHECK-NEXT: llvm.intr.ceil(%a)
// CHECK-NEXT: llvm.intr.trunc(%a)
// CHECK-NEXT: llvm.intr.roundeven(%a)
// CHECK-NEXT: llvm.intr.round(%a)
// CHECK-NEXT: llvm.intr.copysign(%a, %a)
// CHECK-NEXT: llvm.intr.sqrt(%s) : (f64) -> f64
// CHECK-NEXT: llvm.intr.ctpop(%i)
func.func @fires(%a: vector<8xf32>, %s: f64, %i: vector<8xi32>) {
  %0 = math.fma %a, %a, %a fastmath<nnan> : vector<8xf32>
  %1 = math.absf %a : vector<8xf32>
  %2 = math.floor %a : vector<8xf32>
  %3 = math.ceil %a : vector<8xf32>
  %4 = math.trunc %a : vector<8xf32>
  %5 = math.roundeven %a : vector<8xf32>
  %6 = math.round %a : vector<8xf32>
  %7 = math.copysign %a, %a : vector<8xf32>
  %8 = math.sqrt %s : f64
  %9 = math.ctpop %i : vector<8xi32>
  func.return
}

// Two instructions: 1 / sqrt(x), and max(x, 0 - x).
// CHECK-LABEL: @composed
// CHECK-NEXT: %[[R:.*]] = llvm.intr.sqrt(%a)
// CHECK-NEXT: %[[O:.*]] = llvm.mlir.constant(dense<1.000000e+00> : vector<8xf32>)
// CHECK-NEXT: llvm.fdiv %[[O]], %[[R]] : vector<8xf32>
// CHECK-NEXT: %[[Z:.*]] = llvm.mlir.zero : vector<8xi32>
// CHECK-NEXT: %[[N:.*]] = llvm.sub %[[Z]], %i : vector<8xi32>
// CHECK-NEXT: llvm.intr.smax(%i, %[[N]])
func.func @composed(%a: vector<8xf32>, %i: vector<8xi32>) {
  %0 = math.rsqrt %a : vector<8xf32>
  %1 = math.absi %i : vector<8xi32>
  func.return
}

// Does not fire: LLVM would call the C library once for each element.
// CHECK-LABEL: @library
// CHECK-NEXT: math.exp
// CHECK-NEXT: math.tanh
func.func @library(%a: vector<8xf32>) {
  %0 = math.exp %a : vector<8xf32>
  %1 = math.tanh %a : vector<8xf32>
  func.return
}

// Does not fire: vectors of two dimensions.
// CHECK-LABEL: @planes
// CHECK-NEXT: math.sqrt
func.func @planes(%a: vector<2x4xf32>) {
  %0 = math.sqrt %a : vector<2x4xf32>
  func.return
}

// Zeros are counted in 0, too; a normal number is neither subnormal nor infinite.
// CHECK-LABEL: @bits
// CHECK: %[[F:.*]] = llvm.mlir.constant(false) : i1
// CHECK-NEXT: llvm.call_intrinsic "llvm.ctlz.v4i32"(%a, %[[F]]) : (vector<4xi32>, i1) -> vector<4xi32>
// CHECK: llvm.call_intrinsic "llvm.cttz.i8"(%b, %{{.*}}) : (i8, i1) -> i8
// CHECK: llvm.fcmp "oge"
// CHECK: llvm.fcmp "olt"
// CHECK-NEXT: llvm.and %{{.*}}, %{{.*}} : i1
func.func @bits(%a: vector<4xi32>, %b: i8, %x: f32) -> (vector<4xi32>, i8, i1) {
  %0 = math.ctlz %a : vector<4xi32>
  %1 = math.cttz %b : i8
  %2 = math.isnormal %x : f32
  func.return %0, %1, %2 : vector<4xi32>, i8, i1
}

// Tests of kinds of numbers are comparisons.
// CHECK-LABEL: @kinds
// CHECK-NEXT: llvm.mlir.constant(0x7f800000 : f32) : f32
// CHECK-NEXT: llvm.intr.fabs(%a) : (f32) -> f32
// CHECK-NEXT: llvm.fcmp "olt" {{.*}} : f32
// CHECK-NEXT: llvm.mlir.constant(0x7f800000 : f32) : f32
// CHECK-NEXT: llvm.intr.fabs(%a) : (f32) -> f32
// CHECK-NEXT: llvm.fcmp "oeq" {{.*}} : f32
// CHECK-NEXT: llvm.fcmp "uno" %a, %a : f32
// CHECK-NEXT: llvm.intr.maximum(%a, %a) : (f32, f32) -> f32
// CHECK-NEXT: llvm.intr.minimum({{.*}}, %a) : (f32, f32) -> f32
// CHECK-NEXT: func.return
func.func @kinds(%a: f32) {
  %0 = math.isfinite %a : f32
  %1 = math.isinf %a : f32
  %2 = math.isnan %a : f32
  %3 = math.clampf %a to [%a, %a] : f32
  func.return
}
