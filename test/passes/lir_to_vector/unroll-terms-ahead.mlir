// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx512 tune=sapphirerapids},unroll-terms' --split-input-file | filecheck %s
// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx512},unroll-terms{count=4}' --split-input-file | filecheck %s --check-prefix=PLAIN

// Sums in 26 of 32 registers, and any number of terms: two in turn.
// CHECK-LABEL: func.func @full(
// CHECK: count = 2 : i32
// PLAIN-LABEL: func.func @full(
// PLAIN: count = 4 : i32
func.func @full(%b: !llvm.ptr, %a: vector<16xf32>, %n: i64) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9, %r10, %r11, %r12, %r13, %r14, %r15, %r16, %r17, %r18, %r19, %r20, %r21, %r22, %r23, %r24, %r25, %r26 = scf.for %k = %c0 to %n step %c1 iter_args(%p = %b, %s0 = %a, %s1 = %a, %s2 = %a, %s3 = %a, %s4 = %a, %s5 = %a, %s6 = %a, %s7 = %a, %s8 = %a, %s9 = %a, %s10 = %a, %s11 = %a, %s12 = %a, %s13 = %a, %s14 = %a, %s15 = %a, %s16 = %a, %s17 = %a, %s18 = %a, %s19 = %a, %s20 = %a, %s21 = %a, %s22 = %a, %s23 = %a, %s24 = %a, %s25 = %a) -> (!llvm.ptr, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>) : i64 {
    %v0 = llvm.load %p {alignment = 4 : i64} : !llvm.ptr -> vector<16xf32>
    %q = llvm.getelementptr %p[16] : (!llvm.ptr) -> !llvm.ptr, f32
    %v1 = llvm.load %q {alignment = 4 : i64} : !llvm.ptr -> vector<16xf32>
    %t0 = math.fma %a, %v0, %s0 : vector<16xf32>
    %t1 = math.fma %a, %v1, %s1 : vector<16xf32>
    %t2 = math.fma %a, %v0, %s2 : vector<16xf32>
    %t3 = math.fma %a, %v1, %s3 : vector<16xf32>
    %t4 = math.fma %a, %v0, %s4 : vector<16xf32>
    %t5 = math.fma %a, %v1, %s5 : vector<16xf32>
    %t6 = math.fma %a, %v0, %s6 : vector<16xf32>
    %t7 = math.fma %a, %v1, %s7 : vector<16xf32>
    %t8 = math.fma %a, %v0, %s8 : vector<16xf32>
    %t9 = math.fma %a, %v1, %s9 : vector<16xf32>
    %t10 = math.fma %a, %v0, %s10 : vector<16xf32>
    %t11 = math.fma %a, %v1, %s11 : vector<16xf32>
    %t12 = math.fma %a, %v0, %s12 : vector<16xf32>
    %t13 = math.fma %a, %v1, %s13 : vector<16xf32>
    %t14 = math.fma %a, %v0, %s14 : vector<16xf32>
    %t15 = math.fma %a, %v1, %s15 : vector<16xf32>
    %t16 = math.fma %a, %v0, %s16 : vector<16xf32>
    %t17 = math.fma %a, %v1, %s17 : vector<16xf32>
    %t18 = math.fma %a, %v0, %s18 : vector<16xf32>
    %t19 = math.fma %a, %v1, %s19 : vector<16xf32>
    %t20 = math.fma %a, %v0, %s20 : vector<16xf32>
    %t21 = math.fma %a, %v1, %s21 : vector<16xf32>
    %t22 = math.fma %a, %v0, %s22 : vector<16xf32>
    %t23 = math.fma %a, %v1, %s23 : vector<16xf32>
    %t24 = math.fma %a, %v0, %s24 : vector<16xf32>
    %t25 = math.fma %a, %v1, %s25 : vector<16xf32>
    %next = llvm.getelementptr %p[32] : (!llvm.ptr) -> !llvm.ptr, f32
    scf.yield %next, %t0, %t1, %t2, %t3, %t4, %t5, %t6, %t7, %t8, %t9, %t10, %t11, %t12, %t13, %t14, %t15, %t16, %t17, %t18, %t19, %t20, %t21, %t22, %t23, %t24, %t25 : !llvm.ptr, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>
  }
  func.return
}

// -----

// Does not fire: the number of terms is known.
// CHECK-LABEL: func.func @known(
// CHECK: count = 4 : i32
func.func @known(%b: !llvm.ptr, %a: vector<16xf32>) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %n = arith.constant 128 : i64
  %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9, %r10, %r11, %r12, %r13, %r14, %r15, %r16, %r17, %r18, %r19, %r20, %r21, %r22, %r23, %r24, %r25, %r26 = scf.for %k = %c0 to %n step %c1 iter_args(%p = %b, %s0 = %a, %s1 = %a, %s2 = %a, %s3 = %a, %s4 = %a, %s5 = %a, %s6 = %a, %s7 = %a, %s8 = %a, %s9 = %a, %s10 = %a, %s11 = %a, %s12 = %a, %s13 = %a, %s14 = %a, %s15 = %a, %s16 = %a, %s17 = %a, %s18 = %a, %s19 = %a, %s20 = %a, %s21 = %a, %s22 = %a, %s23 = %a, %s24 = %a, %s25 = %a) -> (!llvm.ptr, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>) : i64 {
    %v0 = llvm.load %p {alignment = 4 : i64} : !llvm.ptr -> vector<16xf32>
    %q = llvm.getelementptr %p[16] : (!llvm.ptr) -> !llvm.ptr, f32
    %v1 = llvm.load %q {alignment = 4 : i64} : !llvm.ptr -> vector<16xf32>
    %t0 = math.fma %a, %v0, %s0 : vector<16xf32>
    %t1 = math.fma %a, %v1, %s1 : vector<16xf32>
    %t2 = math.fma %a, %v0, %s2 : vector<16xf32>
    %t3 = math.fma %a, %v1, %s3 : vector<16xf32>
    %t4 = math.fma %a, %v0, %s4 : vector<16xf32>
    %t5 = math.fma %a, %v1, %s5 : vector<16xf32>
    %t6 = math.fma %a, %v0, %s6 : vector<16xf32>
    %t7 = math.fma %a, %v1, %s7 : vector<16xf32>
    %t8 = math.fma %a, %v0, %s8 : vector<16xf32>
    %t9 = math.fma %a, %v1, %s9 : vector<16xf32>
    %t10 = math.fma %a, %v0, %s10 : vector<16xf32>
    %t11 = math.fma %a, %v1, %s11 : vector<16xf32>
    %t12 = math.fma %a, %v0, %s12 : vector<16xf32>
    %t13 = math.fma %a, %v1, %s13 : vector<16xf32>
    %t14 = math.fma %a, %v0, %s14 : vector<16xf32>
    %t15 = math.fma %a, %v1, %s15 : vector<16xf32>
    %t16 = math.fma %a, %v0, %s16 : vector<16xf32>
    %t17 = math.fma %a, %v1, %s17 : vector<16xf32>
    %t18 = math.fma %a, %v0, %s18 : vector<16xf32>
    %t19 = math.fma %a, %v1, %s19 : vector<16xf32>
    %t20 = math.fma %a, %v0, %s20 : vector<16xf32>
    %t21 = math.fma %a, %v1, %s21 : vector<16xf32>
    %t22 = math.fma %a, %v0, %s22 : vector<16xf32>
    %t23 = math.fma %a, %v1, %s23 : vector<16xf32>
    %t24 = math.fma %a, %v0, %s24 : vector<16xf32>
    %t25 = math.fma %a, %v1, %s25 : vector<16xf32>
    %next = llvm.getelementptr %p[32] : (!llvm.ptr) -> !llvm.ptr, f32
    scf.yield %next, %t0, %t1, %t2, %t3, %t4, %t5, %t6, %t7, %t8, %t9, %t10, %t11, %t12, %t13, %t14, %t15, %t16, %t17, %t18, %t19, %t20, %t21, %t22, %t23, %t24, %t25 : !llvm.ptr, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>
  }
  func.return
}

// -----

// Does not fire: 24 sums leave room.
// CHECK-LABEL: func.func @room(
// CHECK: count = 4 : i32
func.func @room(%b: !llvm.ptr, %a: vector<16xf32>, %n: i64) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9, %r10, %r11, %r12, %r13, %r14, %r15, %r16, %r17, %r18, %r19, %r20, %r21, %r22, %r23, %r24 = scf.for %k = %c0 to %n step %c1 iter_args(%p = %b, %s0 = %a, %s1 = %a, %s2 = %a, %s3 = %a, %s4 = %a, %s5 = %a, %s6 = %a, %s7 = %a, %s8 = %a, %s9 = %a, %s10 = %a, %s11 = %a, %s12 = %a, %s13 = %a, %s14 = %a, %s15 = %a, %s16 = %a, %s17 = %a, %s18 = %a, %s19 = %a, %s20 = %a, %s21 = %a, %s22 = %a, %s23 = %a) -> (!llvm.ptr, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>) : i64 {
    %v0 = llvm.load %p {alignment = 4 : i64} : !llvm.ptr -> vector<16xf32>
    %q = llvm.getelementptr %p[16] : (!llvm.ptr) -> !llvm.ptr, f32
    %v1 = llvm.load %q {alignment = 4 : i64} : !llvm.ptr -> vector<16xf32>
    %t0 = math.fma %a, %v0, %s0 : vector<16xf32>
    %t1 = math.fma %a, %v1, %s1 : vector<16xf32>
    %t2 = math.fma %a, %v0, %s2 : vector<16xf32>
    %t3 = math.fma %a, %v1, %s3 : vector<16xf32>
    %t4 = math.fma %a, %v0, %s4 : vector<16xf32>
    %t5 = math.fma %a, %v1, %s5 : vector<16xf32>
    %t6 = math.fma %a, %v0, %s6 : vector<16xf32>
    %t7 = math.fma %a, %v1, %s7 : vector<16xf32>
    %t8 = math.fma %a, %v0, %s8 : vector<16xf32>
    %t9 = math.fma %a, %v1, %s9 : vector<16xf32>
    %t10 = math.fma %a, %v0, %s10 : vector<16xf32>
    %t11 = math.fma %a, %v1, %s11 : vector<16xf32>
    %t12 = math.fma %a, %v0, %s12 : vector<16xf32>
    %t13 = math.fma %a, %v1, %s13 : vector<16xf32>
    %t14 = math.fma %a, %v0, %s14 : vector<16xf32>
    %t15 = math.fma %a, %v1, %s15 : vector<16xf32>
    %t16 = math.fma %a, %v0, %s16 : vector<16xf32>
    %t17 = math.fma %a, %v1, %s17 : vector<16xf32>
    %t18 = math.fma %a, %v0, %s18 : vector<16xf32>
    %t19 = math.fma %a, %v1, %s19 : vector<16xf32>
    %t20 = math.fma %a, %v0, %s20 : vector<16xf32>
    %t21 = math.fma %a, %v1, %s21 : vector<16xf32>
    %t22 = math.fma %a, %v0, %s22 : vector<16xf32>
    %t23 = math.fma %a, %v1, %s23 : vector<16xf32>
    %next = llvm.getelementptr %p[32] : (!llvm.ptr) -> !llvm.ptr, f32
    scf.yield %next, %t0, %t1, %t2, %t3, %t4, %t5, %t6, %t7, %t8, %t9, %t10, %t11, %t12, %t13, %t14, %t15, %t16, %t17, %t18, %t19, %t20, %t21, %t22, %t23 : !llvm.ptr, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>
  }
  func.return
}
