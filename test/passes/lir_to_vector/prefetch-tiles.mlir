// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx2},prefetch-tiles' --verify-each --split-input-file | filecheck %s
// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx512},prefetch-tiles' --split-input-file | filecheck %s --check-prefix=NEVER
// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx512},prefetch-tiles{least=0}' --split-input-file | filecheck %s --check-prefix=ALWAYS
// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx2},prefetch-tiles{disable-patterns=tile-ahead}' --split-input-file | filecheck %s --check-prefix=NEVER
// RUN: not snippets-opt %s -p 'prefetch-tiles{least=-2}' --split-input-file 2>&1 | filecheck %s --check-prefix=REJECTS

// REJECTS: error: pass 'prefetch-tiles': expected bytes, or -1 for the target's, found least=-2

// NEVER-NOT: llvm.prefetch

// Two vectors of each of two rows of 4004 bytes, which the sums of 600 terms precede; the rows of
// the left operand have 2400 bytes: four lines of each of the next two.
// CHECK-LABEL: func.func @fires(
// CHECK-DAG: %[[READ:.*]] = arith.constant 0 : i32
// CHECK-DAG: %[[WRITE:.*]] = arith.constant 1 : i32
// CHECK-DAG: %[[KEEP:.*]] = arith.constant 3 : i32
// CHECK: scf.for %{{.*}} iter_args(%[[A:.*]] = %a, %[[C:.*]] = %c)
// CHECK: llvm.call_intrinsic "llvm.prefetch.p0"(%[[C]], %[[WRITE]], %[[KEEP]]
// CHECK: llvm.getelementptr %[[C]][63]
// CHECK: llvm.getelementptr %[[C]][4004]
// CHECK: llvm.getelementptr %[[C]][4067]
// CHECK: llvm.getelementptr %[[A]][4800]
// CHECK: llvm.call_intrinsic "llvm.prefetch.p0"(%{{.*}}, %[[READ]], %[[KEEP]]
// CHECK: llvm.getelementptr %[[A]][4864]
// CHECK: llvm.getelementptr %[[A]][4928]
// CHECK: llvm.getelementptr %[[A]][4992]
// CHECK: llvm.getelementptr %[[A]][7200]
// CHECK: llvm.getelementptr %[[A]][7392]
// CHECK: llvm.prefetch
// CHECK-NOT: llvm.prefetch
func.func @fires(%a: !llvm.ptr, %b: !llvm.ptr, %c: !llvm.ptr, %v: vector<8xf32>) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c2 = arith.constant 2 : i64
  %c400 = arith.constant 400 : i64
  %c600 = arith.constant 600 : i64
  %0, %1 = scf.for %m = %c0 to %c400 step %c2 iter_args(%p = %a, %q = %c) -> (!llvm.ptr, !llvm.ptr) : i64 {
    %2, %3, %4 = scf.for %k = %c0 to %c600 step %c1 iter_args(%r = %p, %s = %v, %t = %v) -> (!llvm.ptr, vector<8xf32>, vector<8xf32>) : i64 {
      %5 = llvm.load %r {alignment = 4 : i64} : !llvm.ptr -> f32
      %6 = vector.broadcast %5 : f32 to vector<8xf32>
      %7 = math.fma %6, %v, %s : vector<8xf32>
      %8 = llvm.getelementptr %r[600] : (!llvm.ptr) -> !llvm.ptr, f32
      %9 = llvm.load %8 {alignment = 4 : i64} : !llvm.ptr -> f32
      %10 = vector.broadcast %9 : f32 to vector<8xf32>
      %11 = math.fma %10, %v, %t : vector<8xf32>
      %12 = llvm.getelementptr %r[1] : (!llvm.ptr) -> !llvm.ptr, f32
      scf.yield %12, %7, %11 : !llvm.ptr, vector<8xf32>, vector<8xf32>
    }
    llvm.store %3, %q {alignment = 4 : i64} : vector<8xf32>, !llvm.ptr
    %13 = llvm.getelementptr %q[8] : (!llvm.ptr) -> !llvm.ptr, f32
    llvm.store %3, %13 {alignment = 4 : i64} : vector<8xf32>, !llvm.ptr
    %14 = llvm.getelementptr %q[1001] : (!llvm.ptr) -> !llvm.ptr, f32
    llvm.store %4, %14 {alignment = 4 : i64} : vector<8xf32>, !llvm.ptr
    %15 = llvm.getelementptr %q[1009] : (!llvm.ptr) -> !llvm.ptr, f32
    llvm.store %4, %15 {alignment = 4 : i64} : vector<8xf32>, !llvm.ptr
    %16 = llvm.getelementptr %p[1200] : (!llvm.ptr) -> !llvm.ptr, f32
    %17 = llvm.getelementptr %q[2002] : (!llvm.ptr) -> !llvm.ptr, f32
    scf.yield %16, %17 : !llvm.ptr, !llvm.ptr
  }
  func.return
}

// -----

// 100 products take 50 cycles on AVX-512's one unit and half as many: the tile is 4 or 8 ahead.
// ALWAYS-LABEL: func.func @ahead(
// ALWAYS: llvm.getelementptr %{{.*}}[16016] : (!llvm.ptr) -> !llvm.ptr, i8
// ALWAYS: llvm.getelementptr %{{.*}}[16047] : (!llvm.ptr) -> !llvm.ptr, i8
// Rule T5: 8 are too many.
// CHECK-LABEL: func.func @ahead(
// CHECK-NOT: llvm.prefetch
func.func @ahead(%c: !llvm.ptr, %v: vector<8xf32>) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c100 = arith.constant 100 : i64
  %c400 = arith.constant 400 : i64
  %0 = scf.for %m = %c0 to %c400 step %c1 iter_args(%q = %c) -> (!llvm.ptr) : i64 {
    %1 = scf.for %k = %c0 to %c100 step %c1 iter_args(%s = %v) -> (vector<8xf32>) : i64 {
      %2 = math.fma %v, %v, %s : vector<8xf32>
      scf.yield %2 : vector<8xf32>
    }
    llvm.store %1, %q {alignment = 4 : i64} : vector<8xf32>, !llvm.ptr
    %3 = llvm.getelementptr %q[1001] : (!llvm.ptr) -> !llvm.ptr, f32
    scf.yield %3 : !llvm.ptr
  }
  func.return
}

// -----

// Nothing says how many rows there are: they are taken to be many.
// CHECK-LABEL: func.func @any_rows(
// CHECK: llvm.prefetch
func.func @any_rows(%c: !llvm.ptr, %v: vector<8xf32>, %rows: i64) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c400 = arith.constant 400 : i64
  %0 = scf.for %m = %c0 to %rows step %c1 iter_args(%q = %c) -> (!llvm.ptr) : i64 {
    %1 = scf.for %k = %c0 to %c400 step %c1 iter_args(%s = %v) -> (vector<8xf32>) : i64 {
      %2 = math.fma %v, %v, %s : vector<8xf32>
      scf.yield %2 : vector<8xf32>
    }
    llvm.store %1, %q {alignment = 4 : i64} : vector<8xf32>, !llvm.ptr
    %3 = llvm.getelementptr %q[1001] : (!llvm.ptr) -> !llvm.ptr, f32
    scf.yield %3 : !llvm.ptr
  }
  func.return
}

// -----

// Rule T4: 40 rows stay in the cache; with a least of 0 they are asked for, too.
// CHECK-LABEL: func.func @small(
// CHECK-NOT: llvm.prefetch
// ALWAYS-LABEL: func.func @small(
// ALWAYS: llvm.prefetch
func.func @small(%c: !llvm.ptr, %v: vector<8xf32>) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c40 = arith.constant 40 : i64
  %c400 = arith.constant 400 : i64
  %0 = scf.for %m = %c0 to %c40 step %c1 iter_args(%q = %c) -> (!llvm.ptr) : i64 {
    %1 = scf.for %k = %c0 to %c400 step %c1 iter_args(%s = %v) -> (vector<8xf32>) : i64 {
      %2 = math.fma %v, %v, %s : vector<8xf32>
      scf.yield %2 : vector<8xf32>
    }
    llvm.store %1, %q {alignment = 4 : i64} : vector<8xf32>, !llvm.ptr
    %3 = llvm.getelementptr %q[1001] : (!llvm.ptr) -> !llvm.ptr, f32
    scf.yield %3 : !llvm.ptr
  }
  func.return
}

// -----

// Rule T3: columns inside of rows are stored in their order.
// CHECK-LABEL: func.func @in_order(
// CHECK-NOT: llvm.prefetch
// ALWAYS-LABEL: func.func @in_order(
// ALWAYS-NOT: llvm.prefetch
func.func @in_order(%c: !llvm.ptr, %v: vector<8xf32>) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c8 = arith.constant 8 : i64
  %c400 = arith.constant 400 : i64
  %c800000 = arith.constant 800000 : i64
  %0 = scf.for %m = %c0 to %c800000 step %c8 iter_args(%q = %c) -> (!llvm.ptr) : i64 {
    %1 = scf.for %k = %c0 to %c400 step %c1 iter_args(%s = %v) -> (vector<8xf32>) : i64 {
      %2 = math.fma %v, %v, %s : vector<8xf32>
      scf.yield %2 : vector<8xf32>
    }
    llvm.store %1, %q {alignment = 4 : i64} : vector<8xf32>, !llvm.ptr
    %3 = llvm.getelementptr %q[8] : (!llvm.ptr) -> !llvm.ptr, f32
    scf.yield %3 : !llvm.ptr
  }
  func.return
}

// -----

// Rule T2: what is stored before the sums, or at one place, is in the cache. Rule T1: no products.
// CHECK-LABEL: func.func @not_a_result(
// CHECK-NOT: llvm.prefetch
// ALWAYS-LABEL: func.func @not_a_result(
// ALWAYS-NOT: llvm.prefetch
func.func @not_a_result(%c: !llvm.ptr, %d: !llvm.ptr, %v: vector<8xf32>) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c400 = arith.constant 400 : i64
  %0 = scf.for %m = %c0 to %c400 step %c1 iter_args(%q = %c) -> (!llvm.ptr) : i64 {
    llvm.store %v, %q {alignment = 4 : i64} : vector<8xf32>, !llvm.ptr
    %1 = scf.for %k = %c0 to %c400 step %c1 iter_args(%s = %v) -> (vector<8xf32>) : i64 {
      %2 = math.fma %v, %v, %s : vector<8xf32>
      scf.yield %2 : vector<8xf32>
    }
    llvm.store %1, %d {alignment = 4 : i64} : vector<8xf32>, !llvm.ptr
    %3 = llvm.getelementptr %q[1001] : (!llvm.ptr) -> !llvm.ptr, f32
    scf.yield %3 : !llvm.ptr
  }
  %4 = scf.for %m = %c0 to %c400 step %c1 iter_args(%q = %c) -> (!llvm.ptr) : i64 {
    %5 = scf.for %k = %c0 to %c400 step %c1 iter_args(%s = %v) -> (vector<8xf32>) : i64 {
      %6 = arith.addf %v, %s : vector<8xf32>
      scf.yield %6 : vector<8xf32>
    }
    llvm.store %5, %q {alignment = 4 : i64} : vector<8xf32>, !llvm.ptr
    %7 = llvm.getelementptr %q[1001] : (!llvm.ptr) -> !llvm.ptr, f32
    scf.yield %7 : !llvm.ptr
  }
  func.return
}

// -----

// Rule T6: rows of 400 bytes are read as one stream, and are not asked for; the result is.
// CHECK-LABEL: func.func @short_rows(
// ALWAYS-LABEL: func.func @short_rows(
// CHECK: scf.for %{{.*}} iter_args(%[[A:.*]] = %a, %[[C:.*]] = %c)
// CHECK-NOT: llvm.getelementptr %[[A]][400]
// CHECK: llvm.prefetch
// CHECK: llvm.prefetch
// CHECK-NOT: llvm.prefetch
func.func @short_rows(%a: !llvm.ptr, %c: !llvm.ptr, %v: vector<8xf32>) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c8 = arith.constant 8 : i64
  %c100 = arith.constant 100 : i64
  %c4000 = arith.constant 4000 : i64
  %0, %1 = scf.for %m = %c0 to %c4000 step %c1 iter_args(%p = %a, %q = %c) -> (!llvm.ptr, !llvm.ptr) : i64 {
    %2, %3 = scf.for %k = %c0 to %c100 step %c1 iter_args(%r = %p, %s = %v) -> (!llvm.ptr, vector<8xf32>) : i64 {
      %4 = llvm.load %r {alignment = 4 : i64} : !llvm.ptr -> f32
      %5 = vector.broadcast %4 : f32 to vector<8xf32>
      %6 = math.fma %5, %v, %s : vector<8xf32>
      %7 = math.fma %5, %5, %6 : vector<8xf32>
      %8 = llvm.getelementptr %r[1] : (!llvm.ptr) -> !llvm.ptr, f32
      scf.yield %8, %7 : !llvm.ptr, vector<8xf32>
    }
    llvm.store %3, %q {alignment = 4 : i64} : vector<8xf32>, !llvm.ptr
    %9 = llvm.getelementptr %p[100] : (!llvm.ptr) -> !llvm.ptr, f32
    %10 = llvm.getelementptr %q[1001] : (!llvm.ptr) -> !llvm.ptr, f32
    scf.yield %9, %10 : !llvm.ptr, !llvm.ptr
  }
  func.return
}
