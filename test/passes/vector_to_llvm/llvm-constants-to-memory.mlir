// RUN: snippets-opt %s -p 'llvm-constants-to-memory{keeps=2}' --verify-each --split-input-file | filecheck %s
// RUN: snippets-opt %s -p llvm-constants-to-memory --verify-each --split-input-file | filecheck %s --check-prefix=FEW
// RUN: snippets-opt %s -p 'llvm-constants-to-memory{keeps=2}' --split-input-file -t llvm | filecheck %s --check-prefix=TEXT
// RUN: snippets-opt %s -p 'llvm-constants-to-memory{keeps=3},llvm-constants-to-memory{keeps=2}' --verify-each --split-input-file | filecheck %s --check-prefix=TWICE

// Three constants where two may have registers: one that is read once, as an addend, stays where it
// is read. 0.0 and what a comparison reads stay constants.
builtin.module attributes {snippets.target = "x86-64-avx2"} {
  // CHECK: llvm.mlir.global internal @constant_0(dense<2.000000e+00> : vector<8xf32>) {{.*}}alignment = 32 : i64} : vector<8xf32>
  // CHECK: llvm.mlir.global internal @constant_1(dense<3.000000e+00> : vector<8xf32>)
  // CHECK: llvm.mlir.global internal @constant_2(dense<{{.*}}> : vector<8xf32>)
  // CHECK-LABEL: llvm.func @fires
  // CHECK: %[[ZERO:.*]] = llvm.mlir.constant(dense<0.000000e+00>
  // CHECK: %[[A:.*]] = llvm.mlir.addressof @constant_0 : !llvm.ptr
  // CHECK-NEXT: %[[TWO:.*]] = llvm.load %[[A]] invariant {alignment = 32 : i64} : !llvm.ptr -> vector<8xf32>
  // CHECK: %[[B:.*]] = llvm.mlir.addressof @constant_1 : !llvm.ptr
  // CHECK-NEXT: %[[THREE:.*]] = llvm.load %[[B]] {alignment = 32 : i64} : !llvm.ptr -> vector<8xf32>
  // CHECK: llvm.intr.fma(%x, %[[TWO]], %[[THREE]])
  // CHECK: llvm.intr.fma(%{{.*}}, %[[TWO]], %{{.*}})
  // CHECK: llvm.fadd %{{.*}}, %[[ZERO]]
  // CHECK: llvm.fcmp "olt" %{{.*}}, %c5
  // FEW-LABEL: llvm.func @fires
  // FEW-NOT: llvm.load
  // TEXT: @constant_1 = internal global <8 x float> splat (float 0x4008000000000000), align 32
  // TEXT: internal global <4 x i64> splat (i64 9223372036854775807), align 32
  // TEXT: load <8 x float>, ptr @constant_0, align 32, !invariant.load !1
  // TEXT: load <8 x float>, ptr @constant_1, align 32{{$}}
  // TEXT: !1 = !{}
  llvm.func @fires(%x: vector<8xf32>) -> vector<8xi1> {
    %c0 = llvm.mlir.constant(dense<0.0> : vector<8xf32>) : vector<8xf32>
    %c2 = llvm.mlir.constant(dense<2.0> : vector<8xf32>) : vector<8xf32>
    %c3 = llvm.mlir.constant(dense<3.0> : vector<8xf32>) : vector<8xf32>
    %c4 = llvm.mlir.constant(dense<0x7FC12345> : vector<8xf32>) : vector<8xf32>
    %c5 = llvm.mlir.constant(dense<5.0> : vector<8xf32>) : vector<8xf32>
    %0 = llvm.intr.fma(%x, %c2, %c3) : (vector<8xf32>, vector<8xf32>, vector<8xf32>) -> vector<8xf32>
    %1 = llvm.intr.fma(%0, %c2, %c4) : (vector<8xf32>, vector<8xf32>, vector<8xf32>) -> vector<8xf32>
    %2 = llvm.fadd %1, %c0 : vector<8xf32>
    %3 = llvm.fcmp "olt" %2, %c5 : vector<8xf32>
    llvm.return %3 : vector<8xi1>
  }

  // A vector of two registers reads one of them twice; the mask of an absolute value is a constant.
  // CHECK-LABEL: llvm.func @wide_and_absolute
  // CHECK: %[[M:.*]] = llvm.load %{{.*}} invariant {alignment = 32 : i64} : !llvm.ptr -> vector<4xi64>
  // CHECK-NEXT: %[[MASK:.*]] = llvm.shufflevector %[[M]], %[[M]] [0, 1, 2, 3, 0, 1, 2, 3] : vector<4xi64>
  // CHECK: %[[BITS:.*]] = llvm.bitcast %{{.*}} : vector<8xf64> to vector<8xi64>
  // CHECK-NEXT: %[[CLEAR:.*]] = llvm.and %[[BITS]], %[[MASK]] : vector<8xi64>
  // CHECK-NEXT: llvm.bitcast %[[CLEAR]] : vector<8xi64> to vector<8xf64>
  // CHECK: llvm.fmul
  llvm.func @wide_and_absolute(%x: vector<8xf64>) -> vector<8xf64> {
    %c2 = llvm.mlir.constant(dense<2.0> : vector<8xf64>) : vector<8xf64>
    %c3 = llvm.mlir.constant(dense<3.0> : vector<8xf64>) : vector<8xf64>
    %0 = llvm.intr.fabs(%x) : (vector<8xf64>) -> vector<8xf64>
    %1 = llvm.fmul %0, %c2 : vector<8xf64>
    %2 = llvm.fsub %c3, %1 : vector<8xf64>
    llvm.return %2 : vector<8xf64>
  }

  // Scalars, parts of a register, vectors of several numbers and integers stay constants.
  // CHECK: llvm.func @must_not
  // CHECK-NOT: llvm.load
  llvm.func @must_not(%x: f32, %y: vector<4xf32>, %z: vector<8xf32>, %i: vector<8xi32>) -> vector<8xf32> {
    %s2 = llvm.mlir.constant(2.0 : f32) : f32
    %s3 = llvm.mlir.constant(3.0 : f32) : f32
    %s4 = llvm.mlir.constant(4.0 : f32) : f32
    %0 = llvm.fmul %x, %s2 : f32
    %1 = llvm.fmul %0, %s3 : f32
    %2 = llvm.fmul %1, %s4 : f32
    %v2 = llvm.mlir.constant(dense<2.0> : vector<4xf32>) : vector<4xf32>
    %v3 = llvm.mlir.constant(dense<3.0> : vector<4xf32>) : vector<4xf32>
    %v4 = llvm.mlir.constant(dense<4.0> : vector<4xf32>) : vector<4xf32>
    %3 = llvm.fmul %y, %v2 : vector<4xf32>
    %4 = llvm.fmul %3, %v3 : vector<4xf32>
    %5 = llvm.fmul %4, %v4 : vector<4xf32>
    %w2 = llvm.mlir.constant(dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]> : vector<8xf32>) : vector<8xf32>
    %w3 = llvm.mlir.constant(dense<3.0> : vector<8xf32>) : vector<8xf32>
    %w4 = llvm.mlir.constant(dense<4.0> : vector<8xf32>) : vector<8xf32>
    %6 = llvm.fmul %z, %w2 : vector<8xf32>
    %7 = llvm.fmul %6, %w3 : vector<8xf32>
    %8 = llvm.fmul %7, %w4 : vector<8xf32>
    llvm.return %8 : vector<8xf32>
  }
}

// -----

// Operands of this machine broadcast.
builtin.module attributes {snippets.target = "x86-64-avx512"} {
  // CHECK: llvm.func @other_machine
  // CHECK-NOT: llvm.load
  llvm.func @other_machine(%x: vector<16xf32>) -> vector<16xf32> {
    %c2 = llvm.mlir.constant(dense<2.0> : vector<16xf32>) : vector<16xf32>
    %c3 = llvm.mlir.constant(dense<3.0> : vector<16xf32>) : vector<16xf32>
    %c4 = llvm.mlir.constant(dense<4.0> : vector<16xf32>) : vector<16xf32>
    %0 = llvm.fmul %x, %c2 : vector<16xf32>
    %1 = llvm.fmul %0, %c3 : vector<16xf32>
    %2 = llvm.fmul %1, %c4 : vector<16xf32>
    llvm.return %2 : vector<16xf32>
  }
}

// -----

// A name that is taken.
builtin.module attributes {snippets.target = "x86-64-avx2"} {
  // CHECK: llvm.mlir.global internal @constant_1(dense<2.000000e+00>
  // CHECK: llvm.func @constant_0
  llvm.func @constant_0(%x: vector<8xf32>) -> vector<8xf32> {
    %c2 = llvm.mlir.constant(dense<2.0> : vector<8xf32>) : vector<8xf32>
    %c3 = llvm.mlir.constant(dense<3.0> : vector<8xf32>) : vector<8xf32>
    %c4 = llvm.mlir.constant(dense<4.0> : vector<8xf32>) : vector<8xf32>
    %0 = llvm.fmul %x, %c2 : vector<8xf32>
    %1 = llvm.fmul %0, %c3 : vector<8xf32>
    %2 = llvm.fmul %1, %c4 : vector<8xf32>
    llvm.return %2 : vector<8xf32>
  }
}

// -----

// The second run finds the memory that the first one has made for another function: the constants
// that both of them read are there once.
builtin.module attributes {snippets.target = "x86-64-avx2"} {
  // TWICE: llvm.func @constant_0
  // TWICE: builtin.module
  // TWICE-NEXT: llvm.mlir.global internal @constant_0(dense<2.000000e+00> : vector<8xf32>)
  // TWICE-NEXT: llvm.mlir.global internal @constant_1(dense<3.000000e+00> : vector<8xf32>)
  // TWICE-NEXT: llvm.mlir.global internal @constant_2(dense<4.000000e+00> : vector<8xf32>)
  // TWICE-NEXT: llvm.mlir.global internal @constant_3(dense<5.000000e+00> : vector<8xf32>)
  // TWICE-NEXT: llvm.mlir.global internal @constant_4(dense<6.000000e+00> : vector<8xf32>)
  // TWICE-NEXT: llvm.func @first_run
  llvm.func @first_run(%x: vector<8xf32>) -> vector<8xf32> {
    %c2 = llvm.mlir.constant(dense<2.0> : vector<8xf32>) : vector<8xf32>
    %c3 = llvm.mlir.constant(dense<3.0> : vector<8xf32>) : vector<8xf32>
    %c4 = llvm.mlir.constant(dense<4.0> : vector<8xf32>) : vector<8xf32>
    %c5 = llvm.mlir.constant(dense<5.0> : vector<8xf32>) : vector<8xf32>
    %0 = llvm.fmul %x, %c2 : vector<8xf32>
    %1 = llvm.fmul %0, %c3 : vector<8xf32>
    %2 = llvm.fmul %1, %c4 : vector<8xf32>
    %3 = llvm.fmul %2, %c5 : vector<8xf32>
    llvm.return %3 : vector<8xf32>
  }

  // TWICE: llvm.func @second_run
  // TWICE: llvm.mlir.addressof @constant_3
  // TWICE: llvm.mlir.addressof @constant_4
  // TWICE: llvm.mlir.addressof @constant_0
  llvm.func @second_run(%x: vector<8xf32>) -> vector<8xf32> {
    %c2 = llvm.mlir.constant(dense<2.0> : vector<8xf32>) : vector<8xf32>
    %c5 = llvm.mlir.constant(dense<5.0> : vector<8xf32>) : vector<8xf32>
    %c6 = llvm.mlir.constant(dense<6.0> : vector<8xf32>) : vector<8xf32>
    %0 = llvm.fmul %x, %c5 : vector<8xf32>
    %1 = llvm.fmul %0, %c6 : vector<8xf32>
    %2 = llvm.fmul %1, %c2 : vector<8xf32>
    llvm.return %2 : vector<8xf32>
  }
}

// -----

// `keeps` lets two constants have a register, but 15 of 16 registers hold other values at the second
// multiply-add: one constant more stays in the instruction that reads it.
builtin.module attributes {snippets.target = "x86-64-avx2"} {
  // CHECK-LABEL: llvm.func @many_live
  // CHECK: llvm.load %{{.*}} {alignment = 32 : i64} : !llvm.ptr -> vector<8xf32>
  // CHECK: llvm.load %{{.*}} {alignment = 32 : i64} : !llvm.ptr -> vector<8xf32>
  // CHECK: llvm.load %{{.*}} invariant {alignment = 32 : i64} : !llvm.ptr -> vector<8xf32>
  llvm.func @many_live(%x: vector<8xf32>, %a0: vector<8xf32>, %a1: vector<8xf32>, %a2: vector<8xf32>, %a3: vector<8xf32>, %a4: vector<8xf32>, %a5: vector<8xf32>, %a6: vector<8xf32>, %a7: vector<8xf32>, %a8: vector<8xf32>, %a9: vector<8xf32>, %a10: vector<8xf32>, %a11: vector<8xf32>, %a12: vector<8xf32>) -> vector<8xf32> {
    %c2 = llvm.mlir.constant(dense<2.0> : vector<8xf32>) : vector<8xf32>
    %c3 = llvm.mlir.constant(dense<3.0> : vector<8xf32>) : vector<8xf32>
    %c4 = llvm.mlir.constant(dense<4.0> : vector<8xf32>) : vector<8xf32>
    %0 = llvm.intr.fma(%x, %x, %c2) : (vector<8xf32>, vector<8xf32>, vector<8xf32>) -> vector<8xf32>
    %1 = llvm.intr.fma(%x, %0, %c3) : (vector<8xf32>, vector<8xf32>, vector<8xf32>) -> vector<8xf32>
    %2 = llvm.intr.fma(%x, %1, %c4) : (vector<8xf32>, vector<8xf32>, vector<8xf32>) -> vector<8xf32>
    %3 = llvm.fadd %2, %a0 : vector<8xf32>
    %4 = llvm.fadd %3, %a1 : vector<8xf32>
    %5 = llvm.fadd %4, %a2 : vector<8xf32>
    %6 = llvm.fadd %5, %a3 : vector<8xf32>
    %7 = llvm.fadd %6, %a4 : vector<8xf32>
    %8 = llvm.fadd %7, %a5 : vector<8xf32>
    %9 = llvm.fadd %8, %a6 : vector<8xf32>
    %10 = llvm.fadd %9, %a7 : vector<8xf32>
    %11 = llvm.fadd %10, %a8 : vector<8xf32>
    %12 = llvm.fadd %11, %a9 : vector<8xf32>
    %13 = llvm.fadd %12, %a10 : vector<8xf32>
    %14 = llvm.fadd %13, %a11 : vector<8xf32>
    %15 = llvm.fadd %14, %a12 : vector<8xf32>
    llvm.return %15 : vector<8xf32>
  }

  // Here 14 registers hold other values: two are left.
  // CHECK-LABEL: llvm.func @few_live
  // CHECK: llvm.load %{{.*}} {alignment = 32 : i64} : !llvm.ptr -> vector<8xf32>
  // CHECK: llvm.load %{{.*}} invariant {alignment = 32 : i64} : !llvm.ptr -> vector<8xf32>
  // CHECK: llvm.load %{{.*}} invariant {alignment = 32 : i64} : !llvm.ptr -> vector<8xf32>
  llvm.func @few_live(%x: vector<8xf32>, %a0: vector<8xf32>, %a1: vector<8xf32>, %a2: vector<8xf32>, %a3: vector<8xf32>, %a4: vector<8xf32>, %a5: vector<8xf32>, %a6: vector<8xf32>, %a7: vector<8xf32>, %a8: vector<8xf32>, %a9: vector<8xf32>, %a10: vector<8xf32>, %a11: vector<8xf32>) -> vector<8xf32> {
    %c2 = llvm.mlir.constant(dense<2.0> : vector<8xf32>) : vector<8xf32>
    %c3 = llvm.mlir.constant(dense<3.0> : vector<8xf32>) : vector<8xf32>
    %c4 = llvm.mlir.constant(dense<4.0> : vector<8xf32>) : vector<8xf32>
    %0 = llvm.intr.fma(%x, %x, %c2) : (vector<8xf32>, vector<8xf32>, vector<8xf32>) -> vector<8xf32>
    %1 = llvm.intr.fma(%x, %0, %c3) : (vector<8xf32>, vector<8xf32>, vector<8xf32>) -> vector<8xf32>
    %2 = llvm.intr.fma(%x, %1, %c4) : (vector<8xf32>, vector<8xf32>, vector<8xf32>) -> vector<8xf32>
    %3 = llvm.fadd %2, %a0 : vector<8xf32>
    %4 = llvm.fadd %3, %a1 : vector<8xf32>
    %5 = llvm.fadd %4, %a2 : vector<8xf32>
    %6 = llvm.fadd %5, %a3 : vector<8xf32>
    %7 = llvm.fadd %6, %a4 : vector<8xf32>
    %8 = llvm.fadd %7, %a5 : vector<8xf32>
    %9 = llvm.fadd %8, %a6 : vector<8xf32>
    %10 = llvm.fadd %9, %a7 : vector<8xf32>
    %11 = llvm.fadd %10, %a8 : vector<8xf32>
    %12 = llvm.fadd %11, %a9 : vector<8xf32>
    %13 = llvm.fadd %12, %a10 : vector<8xf32>
    %14 = llvm.fadd %13, %a11 : vector<8xf32>
    llvm.return %14 : vector<8xf32>
  }

  // Two instructions share each load, which takes a register for that.
  // CHECK-LABEL: llvm.func @wide_live
  // CHECK: llvm.load %{{.*}} {alignment = 32 : i64} : !llvm.ptr -> vector<4xf64>
  // CHECK: llvm.load %{{.*}} invariant {alignment = 32 : i64} : !llvm.ptr -> vector<4xf64>
  // CHECK: llvm.load %{{.*}} invariant {alignment = 32 : i64} : !llvm.ptr -> vector<4xf64>
  llvm.func @wide_live(%x: vector<8xf64>, %a0: vector<8xf64>, %a1: vector<8xf64>, %a2: vector<8xf64>, %a3: vector<8xf64>, %a4: vector<8xf64>, %a5: vector<8xf64>, %a6: vector<8xf64>) -> vector<8xf64> {
    %c2 = llvm.mlir.constant(dense<2.0> : vector<8xf64>) : vector<8xf64>
    %c3 = llvm.mlir.constant(dense<3.0> : vector<8xf64>) : vector<8xf64>
    %c4 = llvm.mlir.constant(dense<4.0> : vector<8xf64>) : vector<8xf64>
    %0 = llvm.intr.fma(%x, %x, %c2) : (vector<8xf64>, vector<8xf64>, vector<8xf64>) -> vector<8xf64>
    %1 = llvm.intr.fma(%x, %0, %c3) : (vector<8xf64>, vector<8xf64>, vector<8xf64>) -> vector<8xf64>
    %2 = llvm.intr.fma(%x, %1, %c4) : (vector<8xf64>, vector<8xf64>, vector<8xf64>) -> vector<8xf64>
    %3 = llvm.fadd %2, %a0 : vector<8xf64>
    %4 = llvm.fadd %3, %a1 : vector<8xf64>
    %5 = llvm.fadd %4, %a2 : vector<8xf64>
    %6 = llvm.fadd %5, %a3 : vector<8xf64>
    %7 = llvm.fadd %6, %a4 : vector<8xf64>
    %8 = llvm.fadd %7, %a5 : vector<8xf64>
    %9 = llvm.fadd %8, %a6 : vector<8xf64>
    llvm.return %9 : vector<8xf64>
  }
}
