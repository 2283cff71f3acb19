// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx2},unroll-terms' --split-input-file | filecheck %s
// RUN: snippets-opt %s -p 'unroll-terms{count=4}' --split-input-file | filecheck %s --check-prefix=UNKNOWN

// Sums in 12 of 16 registers leave none to leave the loop early: 5 of 50 terms in turn.
// CHECK-LABEL: func.func @full(
// CHECK: count = 5 : i32
// UNKNOWN-LABEL: func.func @full(
// UNKNOWN: count = 4 : i32
func.func @full(%b: !llvm.ptr, %a: vector<8xf32>) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %n = arith.constant 50 : i64
  %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9, %r10, %r11, %r12 = scf.for %k = %c0 to %n step %c1 iter_args(%p = %b, %s0 = %a, %s1 = %a, %s2 = %a, %s3 = %a, %s4 = %a, %s5 = %a, %s6 = %a, %s7 = %a, %s8 = %a, %s9 = %a, %s10 = %a, %s11 = %a) -> (!llvm.ptr, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>) : i64 {
    %v0 = llvm.load %p {alignment = 4 : i64} : !llvm.ptr -> vector<8xf32>
    %q = llvm.getelementptr %p[8] : (!llvm.ptr) -> !llvm.ptr, f32
    %v1 = llvm.load %q {alignment = 4 : i64} : !llvm.ptr -> vector<8xf32>
    %t0 = math.fma %a, %v0, %s0 : vector<8xf32>
    %t1 = math.fma %a, %v1, %s1 : vector<8xf32>
    %t2 = math.fma %a, %v0, %s2 : vector<8xf32>
    %t3 = math.fma %a, %v1, %s3 : vector<8xf32>
    %t4 = math.fma %a, %v0, %s4 : vector<8xf32>
    %t5 = math.fma %a, %v1, %s5 : vector<8xf32>
    %t6 = math.fma %a, %v0, %s6 : vector<8xf32>
    %t7 = math.fma %a, %v1, %s7 : vector<8xf32>
    %t8 = math.fma %a, %v0, %s8 : vector<8xf32>
    %t9 = math.fma %a, %v1, %s9 : vector<8xf32>
    %t10 = math.fma %a, %v0, %s10 : vector<8xf32>
    %t11 = math.fma %a, %v1, %s11 : vector<8xf32>
    %next = llvm.getelementptr %p[16] : (!llvm.ptr) -> !llvm.ptr, f32
    scf.yield %next, %t0, %t1, %t2, %t3, %t4, %t5, %t6, %t7, %t8, %t9, %t10, %t11 : !llvm.ptr, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>
  }
  func.return
}

// -----

// Does not fire: 10 sums stay in registers whatever is left over.
// CHECK-LABEL: func.func @room(
// CHECK: count = 4 : i32
// UNKNOWN-LABEL: func.func @room(
// UNKNOWN: count = 4 : i32
func.func @room(%b: !llvm.ptr, %a: vector<8xf32>) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %n = arith.constant 50 : i64
  %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9, %r10 = scf.for %k = %c0 to %n step %c1 iter_args(%p = %b, %s0 = %a, %s1 = %a, %s2 = %a, %s3 = %a, %s4 = %a, %s5 = %a, %s6 = %a, %s7 = %a, %s8 = %a, %s9 = %a) -> (!llvm.ptr, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>) : i64 {
    %v0 = llvm.load %p {alignment = 4 : i64} : !llvm.ptr -> vector<8xf32>
    %q = llvm.getelementptr %p[8] : (!llvm.ptr) -> !llvm.ptr, f32
    %v1 = llvm.load %q {alignment = 4 : i64} : !llvm.ptr -> vector<8xf32>
    %t0 = math.fma %a, %v0, %s0 : vector<8xf32>
    %t1 = math.fma %a, %v1, %s1 : vector<8xf32>
    %t2 = math.fma %a, %v0, %s2 : vector<8xf32>
    %t3 = math.fma %a, %v1, %s3 : vector<8xf32>
    %t4 = math.fma %a, %v0, %s4 : vector<8xf32>
    %t5 = math.fma %a, %v1, %s5 : vector<8xf32>
    %t6 = math.fma %a, %v0, %s6 : vector<8xf32>
    %t7 = math.fma %a, %v1, %s7 : vector<8xf32>
    %t8 = math.fma %a, %v0, %s8 : vector<8xf32>
    %t9 = math.fma %a, %v1, %s9 : vector<8xf32>
    %next = llvm.getelementptr %p[16] : (!llvm.ptr) -> !llvm.ptr, f32
    scf.yield %next, %t0, %t1, %t2, %t3, %t4, %t5, %t6, %t7, %t8, %t9 : !llvm.ptr, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>
  }
  func.return
}

// -----

// Nine rows at distances that the call knows: their addresses have no registers.
// CHECK-LABEL: func.func @far(
// CHECK-NOT: count =
func.func @far(%b: !llvm.ptr, %x: !llvm.ptr, %z: vector<8xf32>, %n: i64, %d0: i64, %d1: i64, %d2: i64, %d3: i64, %d4: i64, %d5: i64, %d6: i64, %d7: i64, %d8: i64) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9, %r10 = scf.for %k = %c0 to %n step %c1 iter_args(%p = %b, %w = %x, %s0 = %z, %s1 = %z, %s2 = %z, %s3 = %z, %s4 = %z, %s5 = %z, %s6 = %z, %s7 = %z, %s8 = %z) -> (!llvm.ptr, !llvm.ptr, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>) : i64 {
    %v = llvm.load %p {alignment = 4 : i64} : !llvm.ptr -> vector<8xf32>
    %a0 = llvm.getelementptr %w[%d0] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    %l0 = llvm.load %a0 {alignment = 4 : i64} : !llvm.ptr -> f32
    %e0 = vector.broadcast %l0 : f32 to vector<8xf32>
    %t0 = math.fma %e0, %v, %s0 : vector<8xf32>
    %a1 = llvm.getelementptr %w[%d1] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    %l1 = llvm.load %a1 {alignment = 4 : i64} : !llvm.ptr -> f32
    %e1 = vector.broadcast %l1 : f32 to vector<8xf32>
    %t1 = math.fma %e1, %v, %s1 : vector<8xf32>
    %a2 = llvm.getelementptr %w[%d2] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    %l2 = llvm.load %a2 {alignment = 4 : i64} : !llvm.ptr -> f32
    %e2 = vector.broadcast %l2 : f32 to vector<8xf32>
    %t2 = math.fma %e2, %v, %s2 : vector<8xf32>
    %a3 = llvm.getelementptr %w[%d3] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    %l3 = llvm.load %a3 {alignment = 4 : i64} : !llvm.ptr -> f32
    %e3 = vector.broadcast %l3 : f32 to vector<8xf32>
    %t3 = math.fma %e3, %v, %s3 : vector<8xf32>
    %a4 = llvm.getelementptr %w[%d4] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    %l4 = llvm.load %a4 {alignment = 4 : i64} : !llvm.ptr -> f32
    %e4 = vector.broadcast %l4 : f32 to vector<8xf32>
    %t4 = math.fma %e4, %v, %s4 : vector<8xf32>
    %a5 = llvm.getelementptr %w[%d5] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    %l5 = llvm.load %a5 {alignment = 4 : i64} : !llvm.ptr -> f32
    %e5 = vector.broadcast %l5 : f32 to vector<8xf32>
    %t5 = math.fma %e5, %v, %s5 : vector<8xf32>
    %a6 = llvm.getelementptr %w[%d6] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    %l6 = llvm.load %a6 {alignment = 4 : i64} : !llvm.ptr -> f32
    %e6 = vector.broadcast %l6 : f32 to vector<8xf32>
    %t6 = math.fma %e6, %v, %s6 : vector<8xf32>
    %a7 = llvm.getelementptr %w[%d7] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    %l7 = llvm.load %a7 {alignment = 4 : i64} : !llvm.ptr -> f32
    %e7 = vector.broadcast %l7 : f32 to vector<8xf32>
    %t7 = math.fma %e7, %v, %s7 : vector<8xf32>
    %a8 = llvm.getelementptr %w[%d8] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    %l8 = llvm.load %a8 {alignment = 4 : i64} : !llvm.ptr -> f32
    %e8 = vector.broadcast %l8 : f32 to vector<8xf32>
    %t8 = math.fma %e8, %v, %s8 : vector<8xf32>
    %next = llvm.getelementptr %p[8] : (!llvm.ptr) -> !llvm.ptr, f32
    %after = llvm.getelementptr %w[1] : (!llvm.ptr) -> !llvm.ptr, f32
    scf.yield %next, %after, %t0, %t1, %t2, %t3, %t4, %t5, %t6, %t7, %t8 : !llvm.ptr, !llvm.ptr, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>
  }
  func.return
}

// -----

// Eight of them have.
// CHECK-LABEL: func.func @eight(
// CHECK: count = 4 : i32
func.func @eight(%b: !llvm.ptr, %x: !llvm.ptr, %z: vector<8xf32>, %n: i64, %d0: i64, %d1: i64, %d2: i64, %d3: i64, %d4: i64, %d5: i64, %d6: i64, %d7: i64) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9 = scf.for %k = %c0 to %n step %c1 iter_args(%p = %b, %w = %x, %s0 = %z, %s1 = %z, %s2 = %z, %s3 = %z, %s4 = %z, %s5 = %z, %s6 = %z, %s7 = %z) -> (!llvm.ptr, !llvm.ptr, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>) : i64 {
    %v = llvm.load %p {alignment = 4 : i64} : !llvm.ptr -> vector<8xf32>
    %a0 = llvm.getelementptr %w[%d0] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    %l0 = llvm.load %a0 {alignment = 4 : i64} : !llvm.ptr -> f32
    %e0 = vector.broadcast %l0 : f32 to vector<8xf32>
    %t0 = math.fma %e0, %v, %s0 : vector<8xf32>
    %a1 = llvm.getelementptr %w[%d1] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    %l1 = llvm.load %a1 {alignment = 4 : i64} : !llvm.ptr -> f32
    %e1 = vector.broadcast %l1 : f32 to vector<8xf32>
    %t1 = math.fma %e1, %v, %s1 : vector<8xf32>
    %a2 = llvm.getelementptr %w[%d2] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    %l2 = llvm.load %a2 {alignment = 4 : i64} : !llvm.ptr -> f32
    %e2 = vector.broadcast %l2 : f32 to vector<8xf32>
    %t2 = math.fma %e2, %v, %s2 : vector<8xf32>
    %a3 = llvm.getelementptr %w[%d3] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    %l3 = llvm.load %a3 {alignment = 4 : i64} : !llvm.ptr -> f32
    %e3 = vector.broadcast %l3 : f32 to vector<8xf32>
    %t3 = math.fma %e3, %v, %s3 : vector<8xf32>
    %a4 = llvm.getelementptr %w[%d4] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    %l4 = llvm.load %a4 {alignment = 4 : i64} : !llvm.ptr -> f32
    %e4 = vector.broadcast %l4 : f32 to vector<8xf32>
    %t4 = math.fma %e4, %v, %s4 : vector<8xf32>
    %a5 = llvm.getelementptr %w[%d5] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    %l5 = llvm.load %a5 {alignment = 4 : i64} : !llvm.ptr -> f32
    %e5 = vector.broadcast %l5 : f32 to vector<8xf32>
    %t5 = math.fma %e5, %v, %s5 : vector<8xf32>
    %a6 = llvm.getelementptr %w[%d6] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    %l6 = llvm.load %a6 {alignment = 4 : i64} : !llvm.ptr -> f32
    %e6 = vector.broadcast %l6 : f32 to vector<8xf32>
    %t6 = math.fma %e6, %v, %s6 : vector<8xf32>
    %a7 = llvm.getelementptr %w[%d7] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    %l7 = llvm.load %a7 {alignment = 4 : i64} : !llvm.ptr -> f32
    %e7 = vector.broadcast %l7 : f32 to vector<8xf32>
    %t7 = math.fma %e7, %v, %s7 : vector<8xf32>
    %next = llvm.getelementptr %p[8] : (!llvm.ptr) -> !llvm.ptr, f32
    %after = llvm.getelementptr %w[1] : (!llvm.ptr) -> !llvm.ptr, f32
    scf.yield %next, %after, %t0, %t1, %t2, %t3, %t4, %t5, %t6, %t7 : !llvm.ptr, !llvm.ptr, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>
  }
  func.return
}

// -----

// Does not fire: distances that are known are part of the instructions.
// CHECK-LABEL: func.func @near(
// CHECK: count = 4 : i32
func.func @near(%b: !llvm.ptr, %x: !llvm.ptr, %z: vector<8xf32>, %n: i64) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9, %r10 = scf.for %k = %c0 to %n step %c1 iter_args(%p = %b, %w = %x, %s0 = %z, %s1 = %z, %s2 = %z, %s3 = %z, %s4 = %z, %s5 = %z, %s6 = %z, %s7 = %z, %s8 = %z) -> (!llvm.ptr, !llvm.ptr, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>) : i64 {
    %v = llvm.load %p {alignment = 4 : i64} : !llvm.ptr -> vector<8xf32>
    %a0 = llvm.getelementptr %w[512] : (!llvm.ptr) -> !llvm.ptr, f32
    %l0 = llvm.load %a0 {alignment = 4 : i64} : !llvm.ptr -> f32
    %e0 = vector.broadcast %l0 : f32 to vector<8xf32>
    %t0 = math.fma %e0, %v, %s0 : vector<8xf32>
    %a1 = llvm.getelementptr %w[1024] : (!llvm.ptr) -> !llvm.ptr, f32
    %l1 = llvm.load %a1 {alignment = 4 : i64} : !llvm.ptr -> f32
    %e1 = vector.broadcast %l1 : f32 to vector<8xf32>
    %t1 = math.fma %e1, %v, %s1 : vector<8xf32>
    %a2 = llvm.getelementptr %w[1536] : (!llvm.ptr) -> !llvm.ptr, f32
    %l2 = llvm.load %a2 {alignment = 4 : i64} : !llvm.ptr -> f32
    %e2 = vector.broadcast %l2 : f32 to vector<8xf32>
    %t2 = math.fma %e2, %v, %s2 : vector<8xf32>
    %a3 = llvm.getelementptr %w[2048] : (!llvm.ptr) -> !llvm.ptr, f32
    %l3 = llvm.load %a3 {alignment = 4 : i64} : !llvm.ptr -> f32
    %e3 = vector.broadcast %l3 : f32 to vector<8xf32>
    %t3 = math.fma %e3, %v, %s3 : vector<8xf32>
    %a4 = llvm.getelementptr %w[2560] : (!llvm.ptr) -> !llvm.ptr, f32
    %l4 = llvm.load %a4 {alignment = 4 : i64} : !llvm.ptr -> f32
    %e4 = vector.broadcast %l4 : f32 to vector<8xf32>
    %t4 = math.fma %e4, %v, %s4 : vector<8xf32>
    %a5 = llvm.getelementptr %w[3072] : (!llvm.ptr) -> !llvm.ptr, f32
    %l5 = llvm.load %a5 {alignment = 4 : i64} : !llvm.ptr -> f32
    %e5 = vector.broadcast %l5 : f32 to vector<8xf32>
    %t5 = math.fma %e5, %v, %s5 : vector<8xf32>
    %a6 = llvm.getelementptr %w[3584] : (!llvm.ptr) -> !llvm.ptr, f32
    %l6 = llvm.load %a6 {alignment = 4 : i64} : !llvm.ptr -> f32
    %e6 = vector.broadcast %l6 : f32 to vector<8xf32>
    %t6 = math.fma %e6, %v, %s6 : vector<8xf32>
    %a7 = llvm.getelementptr %w[4096] : (!llvm.ptr) -> !llvm.ptr, f32
    %l7 = llvm.load %a7 {alignment = 4 : i64} : !llvm.ptr -> f32
    %e7 = vector.broadcast %l7 : f32 to vector<8xf32>
    %t7 = math.fma %e7, %v, %s7 : vector<8xf32>
    %a8 = llvm.getelementptr %w[4608] : (!llvm.ptr) -> !llvm.ptr, f32
    %l8 = llvm.load %a8 {alignment = 4 : i64} : !llvm.ptr -> f32
    %e8 = vector.broadcast %l8 : f32 to vector<8xf32>
    %t8 = math.fma %e8, %v, %s8 : vector<8xf32>
    %next = llvm.getelementptr %p[8] : (!llvm.ptr) -> !llvm.ptr, f32
    %after = llvm.getelementptr %w[1] : (!llvm.ptr) -> !llvm.ptr, f32
    scf.yield %next, %after, %t0, %t1, %t2, %t3, %t4, %t5, %t6, %t7, %t8 : !llvm.ptr, !llvm.ptr, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>
  }
  func.return
}
