// RUN: snippets-opt %s -p convert-arith-to-llvm | filecheck %s

// Each op becomes one of llvm's with the same flags.
// CHECK-LABEL: @fires
// CHECK-NEXT: llvm.fadd %a, %a {fastmathFlags = #llvm.fastmath<contract>} : vector<8xf32>
// CHECK-NEXT: llvm.fsub
// CHECK-NEXT: llvm.fmul
// CHECK-NEXT: llvm.fdiv
// CHECK-NEXT: llvm.fneg
// CHECK-NEXT: llvm.intr.maximum
// CHECK-NEXT: llvm.intr.minnum
// CHECK-NEXT: llvm.add %i, %i overflow<nsw> : vector<8xi32>
// CHECK-NEXT: llvm.intr.umin
// CHECK-NEXT: llvm.shl %i, %i : vector<8xi32>
// CHECK-NEXT: llvm.ashr
// CHECK-NEXT: llvm.icmp "ult" %i, %i : vector<8xi32>
// CHECK-NEXT: %[[C:.*]] = llvm.fcmp "une" %a, %a {fastmathFlags = #llvm.fastmath<ninf>} : vector<8xf32>
// CHECK-NEXT: llvm.select %[[C]], %a, %a : vector<8xi1>, vector<8xf32>
// CHECK-NEXT: llvm.mlir.constant(dense<[0.000000e+00, 1.000000e+00]> : vector<2xf32>) : vector<2xf32>
// CHECK-NEXT: llvm.mlir.constant(true) : i1
// CHECK-NEXT: llvm.fpext %h : f16 to f64
// CHECK-NEXT: llvm.trunc %i : vector<8xi32> to vector<8xi8>
// CHECK-NEXT: llvm.uitofp %i : vector<8xi32> to vector<8xf32>
// CHECK-NEXT: llvm.bitcast %a : vector<8xf32> to vector<8xi32>
func.func @fires(%a: vector<8xf32>, %i: vector<8xi32>, %h: f16) {
  %0 = arith.addf %a, %a fastmath<contract> : vector<8xf32>
  %1 = arith.subf %a, %a : vector<8xf32>
  %2 = arith.mulf %a, %a : vector<8xf32>
  %3 = arith.divf %a, %a : vector<8xf32>
  %4 = arith.negf %a : vector<8xf32>
  %5 = arith.maximumf %a, %a : vector<8xf32>
  %6 = arith.minnumf %a, %a : vector<8xf32>
  %7 = arith.addi %i, %i overflow<nsw> : vector<8xi32>
  %8 = arith.minui %i, %i : vector<8xi32>
  %9 = arith.shli %i, %i : vector<8xi32>
  %10 = arith.shrsi %i, %i : vector<8xi32>
  %11 = arith.cmpi ult, %i, %i : vector<8xi32>
  %12 = arith.cmpf une, %a, %a fastmath<ninf> : vector<8xf32>
  %13 = arith.select %12, %a, %a : vector<8xi1>, vector<8xf32>
  %14 = arith.constant dense<[0.0, 1.0]> : vector<2xf32>
  %15 = arith.constant true
  %16 = arith.extf %h : f16 to f64
  %17 = arith.trunci %i : vector<8xi32> to vector<8xi8>
  %18 = arith.uitofp %i : vector<8xi32> to vector<8xf32>
  %19 = arith.bitcast %a : vector<8xf32> to vector<8xi32>
  func.return
}

// `index` is i64: a cast stands where an op that is not lowered gives or wants it.
// CHECK-LABEL: @index
// CHECK-NEXT: %[[C:.*]] = llvm.mlir.constant(1) : i64
// CHECK-NEXT: %[[N:.*]] = builtin.unrealized_conversion_cast %n : index to i64
// CHECK-NEXT: %[[S:.*]] = llvm.add %[[N]], %[[C]] : i64
// CHECK-NEXT: %[[R:.*]] = builtin.unrealized_conversion_cast %[[S]] : i64 to index
// CHECK-NEXT: llvm.trunc %[[S]] : i64 to i32
// CHECK-NEXT: llvm.sext %i : i32 to i64
// CHECK-NEXT: llvm.zext %i : i32 to i64
// CHECK-NEXT: func.return %[[R]] : index
func.func @index(%n: index, %i: i32) -> index {
  %1 = arith.constant 1 : index
  %2 = arith.addi %n, %1 : index
  %3 = arith.index_cast %2 : index to i32
  %4 = arith.index_cast %i : i32 to index
  %5 = arith.index_castui %i : i32 to index
  func.return %2 : index
}

// Low and high half of a product come from integers of twice the width.
// CHECK-LABEL: @extended
// CHECK: llvm.sext %i : i32 to i64
// CHECK: llvm.mul {{.*}} : i64
// CHECK: llvm.lshr {{.*}} : i64
// CHECK-NEXT: llvm.trunc {{.*}} : i64 to i32
// CHECK-NEXT: llvm.trunc {{.*}} : i64 to i32
func.func @extended(%i: i32) -> (i32, i32) {
  %0, %1 = arith.mulsi_extended %i, %i : i32
  func.return %0, %1 : i32, i32
}

// Does not fire: LLVM has no vectors of two dimensions, and no instruction that rounds down.
// CHECK-LABEL: @other_types
// CHECK-NEXT: arith.addf
// CHECK-NEXT: arith.floordivsi
func.func @other_types(%a: vector<2x4xf32>, %i: i32) {
  %0 = arith.addf %a, %a : vector<2x4xf32>
  %1 = arith.floordivsi %i, %i : i32
  func.return
}

// Does not fire: a host function, by its signature.
// CHECK-LABEL: @host
// CHECK-NEXT: arith.constant
func.func @host(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = arith.constant 1.0 : f32
  func.return %a : tensor<4xf32>
}

// Does not fire: a host function, by its body.
// CHECK-LABEL: @caller
// CHECK-NEXT: arith.constant
func.func @caller() {
  %0 = arith.constant 1.0 : f32
  lir.call @kernel() : () -> ()
  func.return
}
lir.kernel @kernel "linear" () -> () {
}

// The other ops.
// CHECK-LABEL: @others
// CHECK-NEXT: llvm.sext %i : vector<8xi32> to vector<8xi64>
// CHECK-NEXT: llvm.zext %i : vector<8xi32> to vector<8xi64>
// CHECK-NEXT: llvm.fptosi %a : vector<8xf32> to vector<8xi32>
// CHECK-NEXT: llvm.fptoui %a : vector<8xf32> to vector<8xi32>
// CHECK-NEXT: llvm.sitofp %i : vector<8xi32> to vector<8xf32>
// CHECK-NEXT: llvm.fptrunc %d : f64 to f32
// CHECK-NEXT: llvm.frem %a, %a : vector<8xf32>
// CHECK-NEXT: llvm.intr.maxnum(%a, %a) : (vector<8xf32>, vector<8xf32>) -> vector<8xf32>
// CHECK-NEXT: llvm.intr.minimum(%a, %a) : (vector<8xf32>, vector<8xf32>) -> vector<8xf32>
// CHECK-NEXT: llvm.and %i, %i : vector<8xi32>
// CHECK-NEXT: llvm.or %i, %i : vector<8xi32>
// CHECK-NEXT: llvm.xor %i, %i : vector<8xi32>
// CHECK-NEXT: llvm.sdiv %i, %i : vector<8xi32>
// CHECK-NEXT: llvm.udiv %i, %i : vector<8xi32>
// CHECK-NEXT: llvm.srem %i, %i : vector<8xi32>
// CHECK-NEXT: llvm.urem %i, %i : vector<8xi32>
// CHECK-NEXT: llvm.intr.smax(%i, %i) : (vector<8xi32>, vector<8xi32>) -> vector<8xi32>
// CHECK-NEXT: llvm.intr.umax(%i, %i) : (vector<8xi32>, vector<8xi32>) -> vector<8xi32>
// CHECK-NEXT: llvm.intr.smin(%i, %i) : (vector<8xi32>, vector<8xi32>) -> vector<8xi32>
// CHECK-NEXT: llvm.sub %i, %i : vector<8xi32>
// CHECK-NEXT: llvm.mul %i, %i : vector<8xi32>
// CHECK-NEXT: llvm.lshr %i, %i : vector<8xi32>
// CHECK-NEXT: func.return
func.func @others(%a: vector<8xf32>, %i: vector<8xi32>, %d: f64) {
  %0 = arith.extsi %i : vector<8xi32> to vector<8xi64>
  %1 = arith.extui %i : vector<8xi32> to vector<8xi64>
  %2 = arith.fptosi %a : vector<8xf32> to vector<8xi32>
  %3 = arith.fptoui %a : vector<8xf32> to vector<8xi32>
  %4 = arith.sitofp %i : vector<8xi32> to vector<8xf32>
  %5 = arith.truncf %d : f64 to f32
  %6 = arith.remf %a, %a : vector<8xf32>
  %7 = arith.maxnumf %a, %a : vector<8xf32>
  %8 = arith.minimumf %a, %a : vector<8xf32>
  %9 = arith.andi %i, %i : vector<8xi32>
  %10 = arith.ori %i, %i : vector<8xi32>
  %11 = arith.xori %i, %i : vector<8xi32>
  %12 = arith.divsi %i, %i : vector<8xi32>
  %13 = arith.divui %i, %i : vector<8xi32>
  %14 = arith.remsi %i, %i : vector<8xi32>
  %15 = arith.remui %i, %i : vector<8xi32>
  %16 = arith.maxsi %i, %i : vector<8xi32>
  %17 = arith.maxui %i, %i : vector<8xi32>
  %18 = arith.minsi %i, %i : vector<8xi32>
  %19 = arith.subi %i, %i : vector<8xi32>
  %20 = arith.muli %i, %i : vector<8xi32>
  %21 = arith.shrui %i, %i : vector<8xi32>
  func.return
}

// Both halves of an unsigned product.
// CHECK-LABEL: @both_halves
// CHECK-NEXT: llvm.zext %i : i32 to i64
// CHECK-NEXT: llvm.zext %i : i32 to i64
// CHECK-NEXT: llvm.mul {{.*}} : i64
// CHECK-NEXT: llvm.mlir.constant(32) : i64
// CHECK-NEXT: llvm.lshr {{.*}} : i64
// CHECK-NEXT: llvm.trunc {{.*}} : i64 to i32
// CHECK-NEXT: llvm.trunc {{.*}} : i64 to i32
// CHECK-NEXT: func.return %low, %high : i32, i32
func.func @both_halves(%i: i32) -> (i32, i32) {
  %low, %high = arith.mului_extended %i, %i : i32
  func.return %low, %high : i32, i32
}
