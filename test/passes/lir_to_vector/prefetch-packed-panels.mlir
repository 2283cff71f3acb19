// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx512},prefetch-packed-panels' --verify-each --split-input-file | filecheck %s
// RUN: snippets-opt %s -p 'snippets-set-target{target=generic},prefetch-packed-panels' --split-input-file | filecheck %s --check-prefix=NEVER
// RUN: snippets-opt %s -p 'snippets-set-target{target=generic},prefetch-packed-panels{most=12288}' --split-input-file | filecheck %s
// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx512},prefetch-packed-panels{most=12287}' --split-input-file | filecheck %s --check-prefix=NEVER
// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx512},prefetch-packed-panels{disable-patterns=next-packed}' --split-input-file | filecheck %s --check-prefix=NEVER
// RUN: not snippets-opt %s -p 'prefetch-packed-panels{most=-2}' --split-input-file 2>&1 | filecheck %s --check-prefix=REJECTS

// REJECTS: error: pass 'prefetch-packed-panels': expected bytes, or -1 for the target's, found most=-2

// NEVER-NOT: llvm.prefetch

// 96 terms of two vectors in blocks of 32, for 64 rows in tiles of 4: 16 passes, 8 bytes a term.
// CHECK-LABEL: func.func @fires(
// CHECK-DAG: %[[OF_ROW:.*]] = arith.constant 192 : i64
// CHECK-DAG: %[[LAST:.*]] = arith.constant 11520 : i64
// CHECK-DAG: %[[STEP:.*]] = arith.constant 8 : i64
// CHECK-DAG: %[[SIZE:.*]] = arith.constant 12288 : i64
// CHECK-DAG: %[[READ:.*]] = arith.constant 0 : i32
// CHECK-DAG: %[[SECOND:.*]] = arith.constant 2 : i32
// CHECK-DAG: %[[ONE:.*]] = arith.constant 1 : i32
// CHECK: scf.for %{{.*}} iter_args(%[[B:.*]] = %{{.*}}) -> (!llvm.ptr)
// CHECK: scf.for %[[M:.*]] = %{{.*}} to
// CHECK: scf.for %[[J:.*]] = %{{.*}} to
// CHECK-NEXT: %[[S:.*]] = arith.muli %[[M]], %[[OF_ROW]] : i64
// CHECK-NEXT: %[[T:.*]] = arith.minsi %[[S]], %[[LAST]] : i64
// CHECK-NEXT: %[[U:.*]] = arith.muli %[[J]], %[[STEP]] : i64
// CHECK-NEXT: %[[V:.*]] = arith.addi %[[T]], %[[SIZE]] : i64
// CHECK-NEXT: %[[W:.*]] = arith.addi %[[U]], %[[V]] : i64
// CHECK-NEXT: %[[D:.*]] = llvm.getelementptr %[[B]][%[[W]]] : (!llvm.ptr, i64) -> !llvm.ptr, i8
// CHECK-NEXT: scf.for %[[K:.*]] = %{{.*}} to
// CHECK-NEXT: %[[O:.*]] = arith.muli %[[K]], %[[STEP]] : i64
// CHECK-NEXT: %[[A:.*]] = llvm.getelementptr %[[D]][%[[O]]] : (!llvm.ptr, i64) -> !llvm.ptr, i8
// CHECK-NEXT: llvm.call_intrinsic "llvm.prefetch.p0"(%[[A]], %[[READ]], %[[SECOND]], %[[ONE]])
// CHECK-NEXT: llvm.load
// CHECK-NOT: llvm.prefetch
func.func @fires(%w: !llvm.ptr, %begin: i64, %end: i64, %v: vector<16xf32>) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c4 = arith.constant 4 : i64
  %c32 = arith.constant 32 : i64
  %c64 = arith.constant 64 : i64
  %c96 = arith.constant 96 : i64
  %0 = scf.for %n = %begin to %end step %c32 iter_args(%panel = %w) -> (!llvm.ptr) : i64 {
    scf.for %m = %c0 to %c64 step %c4 : i64 {
      %1, %2 = scf.for %j = %c0 to %c96 step %c32 iter_args(%block = %panel, %t = %v) -> (!llvm.ptr, vector<16xf32>) : i64 {
        %3, %4 = scf.for %k = %c0 to %c32 step %c1 iter_args(%p = %block, %s = %t) -> (!llvm.ptr, vector<16xf32>) : i64 {
          %5 = llvm.load %p {alignment = 4 : i64} : !llvm.ptr -> vector<16xf32>
          %6 = llvm.getelementptr %p[16] : (!llvm.ptr) -> !llvm.ptr, f32
          %7 = llvm.load %6 {alignment = 4 : i64} : !llvm.ptr -> vector<16xf32>
          %8 = math.fma %5, %5, %s : vector<16xf32>
          %9 = math.fma %7, %7, %8 : vector<16xf32>
          %10 = math.fma %5, %5, %9 : vector<16xf32>
          %11 = math.fma %7, %5, %10 : vector<16xf32>
          %12 = llvm.getelementptr %p[32] : (!llvm.ptr) -> !llvm.ptr, f32
          scf.yield %12, %11 : !llvm.ptr, vector<16xf32>
        }
        scf.yield %3, %4 : !llvm.ptr, vector<16xf32>
      }
    }
    %13 = llvm.getelementptr %panel[3072] : (!llvm.ptr) -> !llvm.ptr, f32
    scf.yield %13 : !llvm.ptr
  }
  func.return
}

// -----

// Fewer passes: 32 bytes a term.
// CHECK-LABEL: func.func @few_rows(
// CHECK-DAG: arith.constant 9216 : i64
// CHECK: llvm.prefetch
// CHECK-NOT: llvm.prefetch
func.func @few_rows(%w: !llvm.ptr, %begin: i64, %end: i64, %v: vector<16xf32>) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c4 = arith.constant 4 : i64
  %c16 = arith.constant 16 : i64
  %c32 = arith.constant 32 : i64
  %c64 = arith.constant 64 : i64
  %c96 = arith.constant 96 : i64
  %0 = scf.for %n = %begin to %end step %c32 iter_args(%panel = %w) -> (!llvm.ptr) : i64 {
    scf.for %m = %c0 to %c16 step %c4 : i64 {
      %1, %2 = scf.for %j = %c0 to %c96 step %c32 iter_args(%block = %panel, %t = %v) -> (!llvm.ptr, vector<16xf32>) : i64 {
        %3, %4 = scf.for %k = %c0 to %c32 step %c1 iter_args(%p = %block, %s = %t) -> (!llvm.ptr, vector<16xf32>) : i64 {
          %5 = llvm.load %p {alignment = 4 : i64} : !llvm.ptr -> vector<16xf32>
          %6 = llvm.getelementptr %p[16] : (!llvm.ptr) -> !llvm.ptr, f32
          %7 = llvm.load %6 {alignment = 4 : i64} : !llvm.ptr -> vector<16xf32>
          %8 = math.fma %5, %5, %s : vector<16xf32>
          %9 = math.fma %7, %7, %8 : vector<16xf32>
          %10 = math.fma %5, %5, %9 : vector<16xf32>
          %11 = math.fma %7, %5, %10 : vector<16xf32>
          %12 = llvm.getelementptr %p[32] : (!llvm.ptr) -> !llvm.ptr, f32
          scf.yield %12, %11 : !llvm.ptr, vector<16xf32>
        }
        scf.yield %3, %4 : !llvm.ptr, vector<16xf32>
      }
    }
    %13 = llvm.getelementptr %panel[3072] : (!llvm.ptr) -> !llvm.ptr, f32
    scf.yield %13 : !llvm.ptr
  }
  func.return
}

// -----

// A dynamic number of rows: a line a term.
// CHECK-LABEL: func.func @any_rows(
// CHECK-DAG: arith.constant 6144 : i64
// CHECK: llvm.prefetch
// CHECK-NOT: llvm.prefetch
func.func @any_rows(%w: !llvm.ptr, %begin: i64, %end: i64, %v: vector<16xf32>, %rows: i64) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c4 = arith.constant 4 : i64
  %c32 = arith.constant 32 : i64
  %c64 = arith.constant 64 : i64
  %c96 = arith.constant 96 : i64
  %0 = scf.for %n = %begin to %end step %c32 iter_args(%panel = %w) -> (!llvm.ptr) : i64 {
    scf.for %m = %c0 to %rows step %c4 : i64 {
      %1, %2 = scf.for %j = %c0 to %c96 step %c32 iter_args(%block = %panel, %t = %v) -> (!llvm.ptr, vector<16xf32>) : i64 {
        %3, %4 = scf.for %k = %c0 to %c32 step %c1 iter_args(%p = %block, %s = %t) -> (!llvm.ptr, vector<16xf32>) : i64 {
          %5 = llvm.load %p {alignment = 4 : i64} : !llvm.ptr -> vector<16xf32>
          %6 = llvm.getelementptr %p[16] : (!llvm.ptr) -> !llvm.ptr, f32
          %7 = llvm.load %6 {alignment = 4 : i64} : !llvm.ptr -> vector<16xf32>
          %8 = math.fma %5, %5, %s : vector<16xf32>
          %9 = math.fma %7, %7, %8 : vector<16xf32>
          %10 = math.fma %5, %5, %9 : vector<16xf32>
          %11 = math.fma %7, %5, %10 : vector<16xf32>
          %12 = llvm.getelementptr %p[32] : (!llvm.ptr) -> !llvm.ptr, f32
          scf.yield %12, %11 : !llvm.ptr, vector<16xf32>
        }
        scf.yield %3, %4 : !llvm.ptr, vector<16xf32>
      }
    }
    %13 = llvm.getelementptr %panel[3072] : (!llvm.ptr) -> !llvm.ptr, f32
    scf.yield %13 : !llvm.ptr
  }
  func.return
}

// -----

// Rows of one tile ask for all of it: two lines a term.
// CHECK-LABEL: func.func @one_pass(
// CHECK-DAG: arith.constant 128 : i64
// CHECK: llvm.prefetch
// CHECK: llvm.getelementptr {{.*}}[64]
// CHECK-NEXT: llvm.call_intrinsic "llvm.prefetch.p0"
// CHECK-NOT: llvm.prefetch
func.func @one_pass(%w: !llvm.ptr, %begin: i64, %end: i64, %v: vector<16xf32>) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c4 = arith.constant 4 : i64
  %c32 = arith.constant 32 : i64
  %c64 = arith.constant 64 : i64
  %c96 = arith.constant 96 : i64
  %0 = scf.for %n = %begin to %end step %c32 iter_args(%panel = %w) -> (!llvm.ptr) : i64 {
      %1, %2 = scf.for %j = %c0 to %c96 step %c32 iter_args(%block = %panel, %t = %v) -> (!llvm.ptr, vector<16xf32>) : i64 {
        %3, %4 = scf.for %k = %c0 to %c32 step %c1 iter_args(%p = %block, %s = %t) -> (!llvm.ptr, vector<16xf32>) : i64 {
          %5 = llvm.load %p {alignment = 4 : i64} : !llvm.ptr -> vector<16xf32>
          %6 = llvm.getelementptr %p[16] : (!llvm.ptr) -> !llvm.ptr, f32
          %7 = llvm.load %6 {alignment = 4 : i64} : !llvm.ptr -> vector<16xf32>
          %8 = math.fma %5, %5, %s : vector<16xf32>
          %9 = math.fma %7, %7, %8 : vector<16xf32>
          %10 = math.fma %5, %5, %9 : vector<16xf32>
          %11 = math.fma %7, %5, %10 : vector<16xf32>
          %12 = llvm.getelementptr %p[32] : (!llvm.ptr) -> !llvm.ptr, f32
          scf.yield %12, %11 : !llvm.ptr, vector<16xf32>
        }
        scf.yield %3, %4 : !llvm.ptr, vector<16xf32>
      }
    %13 = llvm.getelementptr %panel[3072] : (!llvm.ptr) -> !llvm.ptr, f32
    scf.yield %13 : !llvm.ptr
  }
  func.return
}

// -----

// A panel that stays in one place, as that of a copied operand.
// CHECK-LABEL: func.func @copied(
// CHECK-NOT: llvm.prefetch
func.func @copied(%w: !llvm.ptr, %begin: i64, %end: i64, %v: vector<16xf32>) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c4 = arith.constant 4 : i64
  %c32 = arith.constant 32 : i64
  %c64 = arith.constant 64 : i64
  %c96 = arith.constant 96 : i64
  %0 = scf.for %n = %begin to %end step %c32 iter_args(%panel = %w) -> (!llvm.ptr) : i64 {
    scf.for %m = %c0 to %c64 step %c4 : i64 {
      %1, %2 = scf.for %j = %c0 to %c96 step %c32 iter_args(%block = %panel, %t = %v) -> (!llvm.ptr, vector<16xf32>) : i64 {
        %3, %4 = scf.for %k = %c0 to %c32 step %c1 iter_args(%p = %block, %s = %t) -> (!llvm.ptr, vector<16xf32>) : i64 {
          %5 = llvm.load %p {alignment = 4 : i64} : !llvm.ptr -> vector<16xf32>
          %6 = llvm.getelementptr %p[16] : (!llvm.ptr) -> !llvm.ptr, f32
          %7 = llvm.load %6 {alignment = 4 : i64} : !llvm.ptr -> vector<16xf32>
          %8 = math.fma %5, %5, %s : vector<16xf32>
          %9 = math.fma %7, %7, %8 : vector<16xf32>
          %10 = math.fma %5, %5, %9 : vector<16xf32>
          %11 = math.fma %7, %5, %10 : vector<16xf32>
          %12 = llvm.getelementptr %p[32] : (!llvm.ptr) -> !llvm.ptr, f32
          scf.yield %12, %11 : !llvm.ptr, vector<16xf32>
        }
        scf.yield %3, %4 : !llvm.ptr, vector<16xf32>
      }
    }
    %13 = llvm.getelementptr %panel[0] : (!llvm.ptr) -> !llvm.ptr, f32
    scf.yield %13 : !llvm.ptr
  }
  func.return
}

// -----

// Panels that are apart.
// CHECK-LABEL: func.func @apart(
// CHECK-NOT: llvm.prefetch
func.func @apart(%w: !llvm.ptr, %begin: i64, %end: i64, %v: vector<16xf32>) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c4 = arith.constant 4 : i64
  %c32 = arith.constant 32 : i64
  %c64 = arith.constant 64 : i64
  %c96 = arith.constant 96 : i64
  %0 = scf.for %n = %begin to %end step %c32 iter_args(%panel = %w) -> (!llvm.ptr) : i64 {
    scf.for %m = %c0 to %c64 step %c4 : i64 {
      %1, %2 = scf.for %j = %c0 to %c96 step %c32 iter_args(%block = %panel, %t = %v) -> (!llvm.ptr, vector<16xf32>) : i64 {
        %3, %4 = scf.for %k = %c0 to %c32 step %c1 iter_args(%p = %block, %s = %t) -> (!llvm.ptr, vector<16xf32>) : i64 {
          %5 = llvm.load %p {alignment = 4 : i64} : !llvm.ptr -> vector<16xf32>
          %6 = llvm.getelementptr %p[16] : (!llvm.ptr) -> !llvm.ptr, f32
          %7 = llvm.load %6 {alignment = 4 : i64} : !llvm.ptr -> vector<16xf32>
          %8 = math.fma %5, %5, %s : vector<16xf32>
          %9 = math.fma %7, %7, %8 : vector<16xf32>
          %10 = math.fma %5, %5, %9 : vector<16xf32>
          %11 = math.fma %7, %5, %10 : vector<16xf32>
          %12 = llvm.getelementptr %p[32] : (!llvm.ptr) -> !llvm.ptr, f32
          scf.yield %12, %11 : !llvm.ptr, vector<16xf32>
        }
        scf.yield %3, %4 : !llvm.ptr, vector<16xf32>
      }
    }
    %13 = llvm.getelementptr %panel[4096] : (!llvm.ptr) -> !llvm.ptr, f32
    scf.yield %13 : !llvm.ptr
  }
  func.return
}

// -----

// One row, which reads each vector once.
// CHECK-LABEL: func.func @one_row(
// CHECK-NOT: llvm.prefetch
func.func @one_row(%w: !llvm.ptr, %begin: i64, %end: i64, %v: vector<16xf32>) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c4 = arith.constant 4 : i64
  %c32 = arith.constant 32 : i64
  %c64 = arith.constant 64 : i64
  %c96 = arith.constant 96 : i64
  %0 = scf.for %n = %begin to %end step %c32 iter_args(%panel = %w) -> (!llvm.ptr) : i64 {
    scf.for %m = %c0 to %c64 step %c4 : i64 {
      %1, %2 = scf.for %j = %c0 to %c96 step %c32 iter_args(%block = %panel, %t = %v) -> (!llvm.ptr, vector<16xf32>) : i64 {
        %3, %4 = scf.for %k = %c0 to %c32 step %c1 iter_args(%p = %block, %s = %t) -> (!llvm.ptr, vector<16xf32>) : i64 {
          %5 = llvm.load %p {alignment = 4 : i64} : !llvm.ptr -> vector<16xf32>
          %6 = llvm.getelementptr %p[16] : (!llvm.ptr) -> !llvm.ptr, f32
          %7 = llvm.load %6 {alignment = 4 : i64} : !llvm.ptr -> vector<16xf32>
          %8 = math.fma %5, %5, %s : vector<16xf32>
          %9 = math.fma %7, %7, %8 : vector<16xf32>
          %10 = arith.addf %5, %9 : vector<16xf32>
          %11 = arith.addf %7, %10 : vector<16xf32>
          %12 = llvm.getelementptr %p[32] : (!llvm.ptr) -> !llvm.ptr, f32
          scf.yield %12, %11 : !llvm.ptr, vector<16xf32>
        }
        scf.yield %3, %4 : !llvm.ptr, vector<16xf32>
      }
    }
    %13 = llvm.getelementptr %panel[3072] : (!llvm.ptr) -> !llvm.ptr, f32
    scf.yield %13 : !llvm.ptr
  }
  func.return
}

// -----

// Two terms an iteration: a panel of 96 would have half of the bytes.
// CHECK-LABEL: func.func @by_two(
// CHECK-NOT: llvm.prefetch
func.func @by_two(%w: !llvm.ptr, %begin: i64, %end: i64, %v: vector<16xf32>) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c2 = arith.constant 2 : i64
  %c4 = arith.constant 4 : i64
  %c32 = arith.constant 32 : i64
  %c64 = arith.constant 64 : i64
  %c96 = arith.constant 96 : i64
  %0 = scf.for %n = %begin to %end step %c32 iter_args(%panel = %w) -> (!llvm.ptr) : i64 {
    scf.for %m = %c0 to %c64 step %c4 : i64 {
      %1, %2 = scf.for %j = %c0 to %c96 step %c32 iter_args(%block = %panel, %t = %v) -> (!llvm.ptr, vector<16xf32>) : i64 {
        %3, %4 = scf.for %k = %c0 to %c32 step %c2 iter_args(%p = %block, %s = %t) -> (!llvm.ptr, vector<16xf32>) : i64 {
          %5 = llvm.load %p {alignment = 4 : i64} : !llvm.ptr -> vector<16xf32>
          %6 = llvm.getelementptr %p[16] : (!llvm.ptr) -> !llvm.ptr, f32
          %7 = llvm.load %6 {alignment = 4 : i64} : !llvm.ptr -> vector<16xf32>
          %8 = math.fma %5, %5, %s : vector<16xf32>
          %9 = math.fma %7, %7, %8 : vector<16xf32>
          %10 = math.fma %5, %5, %9 : vector<16xf32>
          %11 = math.fma %7, %5, %10 : vector<16xf32>
          %12 = llvm.getelementptr %p[32] : (!llvm.ptr) -> !llvm.ptr, f32
          scf.yield %12, %11 : !llvm.ptr, vector<16xf32>
        }
        scf.yield %3, %4 : !llvm.ptr, vector<16xf32>
      }
    }
    %13 = llvm.getelementptr %panel[3072] : (!llvm.ptr) -> !llvm.ptr, f32
    scf.yield %13 : !llvm.ptr
  }
  func.return
}

// -----

// More passes than 64: the first one hardly counts.
// CHECK-LABEL: func.func @many_rows(
// CHECK-NOT: llvm.prefetch
func.func @many_rows(%w: !llvm.ptr, %begin: i64, %end: i64, %v: vector<16xf32>) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c4 = arith.constant 4 : i64
  %c260 = arith.constant 260 : i64
  %c32 = arith.constant 32 : i64
  %c64 = arith.constant 64 : i64
  %c96 = arith.constant 96 : i64
  %0 = scf.for %n = %begin to %end step %c32 iter_args(%panel = %w) -> (!llvm.ptr) : i64 {
    scf.for %m = %c0 to %c260 step %c4 : i64 {
      %1, %2 = scf.for %j = %c0 to %c96 step %c32 iter_args(%block = %panel, %t = %v) -> (!llvm.ptr, vector<16xf32>) : i64 {
        %3, %4 = scf.for %k = %c0 to %c32 step %c1 iter_args(%p = %block, %s = %t) -> (!llvm.ptr, vector<16xf32>) : i64 {
          %5 = llvm.load %p {alignment = 4 : i64} : !llvm.ptr -> vector<16xf32>
          %6 = llvm.getelementptr %p[16] : (!llvm.ptr) -> !llvm.ptr, f32
          %7 = llvm.load %6 {alignment = 4 : i64} : !llvm.ptr -> vector<16xf32>
          %8 = math.fma %5, %5, %s : vector<16xf32>
          %9 = math.fma %7, %7, %8 : vector<16xf32>
          %10 = math.fma %5, %5, %9 : vector<16xf32>
          %11 = math.fma %7, %5, %10 : vector<16xf32>
          %12 = llvm.getelementptr %p[32] : (!llvm.ptr) -> !llvm.ptr, f32
          scf.yield %12, %11 : !llvm.ptr, vector<16xf32>
        }
        scf.yield %3, %4 : !llvm.ptr, vector<16xf32>
      }
    }
    %13 = llvm.getelementptr %panel[3072] : (!llvm.ptr) -> !llvm.ptr, f32
    scf.yield %13 : !llvm.ptr
  }
  func.return
}
