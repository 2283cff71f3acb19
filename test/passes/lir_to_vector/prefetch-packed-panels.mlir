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

// A dynamic number of rows: 128 bytes for each pass of the whole tiles and one more, 8 bytes at least.
// CHECK-LABEL: func.func @any_rows(
// CHECK-DAG: %[[TERMS:.*]] = arith.constant 96 : i64
// CHECK-DAG: %[[WIDTH:.*]] = arith.constant 127 : i64
// CHECK-DAG: %[[MOST:.*]] = arith.constant 128 : i64
// CHECK-DAG: %[[LEAST:.*]] = arith.constant 8 : i64
// CHECK-DAG: %[[LINE:.*]] = arith.constant 64 : i64
// CHECK: %[[TILES:.*]] = arith.divui %rows, %[[STEP:.*]] : i64
// CHECK-NEXT: %[[P:.*]] = arith.addi %[[TILES]]
// CHECK-NEXT: %[[R:.*]] = arith.addi %[[P]], %[[WIDTH]]
// CHECK-NEXT: %[[S:.*]] = arith.divui %[[R]], %[[P]]
// CHECK-NEXT: %[[T:.*]] = arith.maxsi %[[S]], %[[LEAST]]
// CHECK-NEXT: %[[ASKED:.*]] = arith.minsi %[[T]], %[[MOST]]
// CHECK-NEXT: scf.for %[[M:.*]] = %{{.*}} to %rows
// CHECK: %[[OF_PASS:.*]] = arith.muli %[[ASKED]], %[[TERMS]]
// CHECK-NEXT: %[[PASSES:.*]] = arith.divui %[[M]], %[[STEP]]
// CHECK-NEXT: %[[BEGIN:.*]] = arith.muli %[[PASSES]], %[[OF_PASS]]
// CHECK-NEXT: %[[LAST:.*]] = arith.subi %{{.*}}, %[[OF_PASS]]
// CHECK-NEXT: arith.minsi %[[BEGIN]], %[[LAST]]
// CHECK: %[[MORE:.*]] = arith.subi %[[ASKED]], %[[LINE]]
// CHECK-NEXT: arith.maxsi %[[MORE]]
// CHECK-COUNT-2: llvm.prefetch
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

// The rows that whole tiles leave go on where these end.
// CHECK-LABEL: func.func @rows_left(
// CHECK: scf.for %[[M:.*]] = %{{.*}} to %tiled
// CHECK-COUNT-2: llvm.prefetch
// CHECK: scf.for %[[L:.*]] = %tiled to %rows step %[[TWO:.*]] iter_args
// CHECK: %[[ROW:.*]] = arith.subi %[[L]], %tiled : i64
// CHECK-NEXT: %[[DONE:.*]] = arith.divui %[[ROW]], %[[TWO]]
// CHECK-NEXT: %[[BEFORE:.*]] = arith.divui %tiled, %{{.*}}
// CHECK-NEXT: arith.addi %[[DONE]], %[[BEFORE]]
// CHECK-COUNT-2: llvm.prefetch
// CHECK-NOT: llvm.prefetch
func.func @rows_left(%w: !llvm.ptr, %x: !llvm.ptr, %begin: i64, %end: i64, %v: vector<16xf32>, %tiled: i64, %rows: i64) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c2 = arith.constant 2 : i64
  %c4 = arith.constant 4 : i64
  %c32 = arith.constant 32 : i64
  %c96 = arith.constant 96 : i64
  %0 = scf.for %n = %begin to %end step %c32 iter_args(%panel = %w) -> (!llvm.ptr) : i64 {
    %left = scf.for %m = %c0 to %tiled step %c4 iter_args(%row = %x) -> (!llvm.ptr) : i64 {
      %a1, %a2 = scf.for %j = %c0 to %c96 step %c32 iter_args(%block = %panel, %t = %v) -> (!llvm.ptr, vector<16xf32>) : i64 {
        %a3, %a4 = scf.for %k = %c0 to %c32 step %c1 iter_args(%p = %block, %s = %t) -> (!llvm.ptr, vector<16xf32>) : i64 {
          %a5 = llvm.load %p {alignment = 4 : i64} : !llvm.ptr -> vector<16xf32>
          %a6 = llvm.getelementptr %p[16] : (!llvm.ptr) -> !llvm.ptr, f32
          %a7 = llvm.load %a6 {alignment = 4 : i64} : !llvm.ptr -> vector<16xf32>
          %a8 = math.fma %a5, %a5, %s : vector<16xf32>
          %a9 = math.fma %a7, %a7, %a8 : vector<16xf32>
          %a10 = math.fma %a5, %a5, %a9 : vector<16xf32>
          %a11 = math.fma %a7, %a5, %a10 : vector<16xf32>
          %a12 = llvm.getelementptr %p[32] : (!llvm.ptr) -> !llvm.ptr, f32
          scf.yield %a12, %a11 : !llvm.ptr, vector<16xf32>
        }
        scf.yield %a3, %a4 : !llvm.ptr, vector<16xf32>
      }
      scf.yield %row : !llvm.ptr
    }
    %none = scf.for %l = %tiled to %rows step %c2 iter_args(%rest = %left) -> (!llvm.ptr) : i64 {
      %b1, %b2 = scf.for %j = %c0 to %c96 step %c32 iter_args(%block = %panel, %t = %v) -> (!llvm.ptr, vector<16xf32>) : i64 {
        %b3, %b4 = scf.for %k = %c0 to %c32 step %c1 iter_args(%p = %block, %s = %t) -> (!llvm.ptr, vector<16xf32>) : i64 {
          %b5 = llvm.load %p {alignment = 4 : i64} : !llvm.ptr -> vector<16xf32>
          %b6 = llvm.getelementptr %p[16] : (!llvm.ptr) -> !llvm.ptr, f32
          %b7 = llvm.load %b6 {alignment = 4 : i64} : !llvm.ptr -> vector<16xf32>
          %b8 = math.fma %b5, %b5, %s : vector<16xf32>
          %b9 = math.fma %b7, %b7, %b8 : vector<16xf32>
          %b10 = math.fma %b5, %b5, %b9 : vector<16xf32>
          %b11 = math.fma %b7, %b5, %b10 : vector<16xf32>
          %b12 = llvm.getelementptr %p[32] : (!llvm.ptr) -> !llvm.ptr, f32
          scf.yield %b12, %b11 : !llvm.ptr, vector<16xf32>
        }
        scf.yield %b3, %b4 : !llvm.ptr, vector<16xf32>
      }
      scf.yield %rest : !llvm.ptr
    }
    %13 = llvm.getelementptr %panel[3072] : (!llvm.ptr) -> !llvm.ptr, f32
    scf.yield %13 : !llvm.ptr
  }
  func.return
}

// -----

// Tiles that do not begin with the first row: nobody knows how many passes there are.
// CHECK-LABEL: func.func @rows_from(
// CHECK-NOT: llvm.prefetch
func.func @rows_from(%w: !llvm.ptr, %x: !llvm.ptr, %begin: i64, %end: i64, %v: vector<16xf32>, %tiled: i64, %rows: i64, %from: i64) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c2 = arith.constant 2 : i64
  %c4 = arith.constant 4 : i64
  %c32 = arith.constant 32 : i64
  %c96 = arith.constant 96 : i64
  %0 = scf.for %n = %begin to %end step %c32 iter_args(%panel = %w) -> (!llvm.ptr) : i64 {
    %left = scf.for %m = %from to %tiled step %c4 iter_args(%row = %x) -> (!llvm.ptr) : i64 {
      %a1, %a2 = scf.for %j = %c0 to %c96 step %c32 iter_args(%block = %panel, %t = %v) -> (!llvm.ptr, vector<16xf32>) : i64 {
        %a3, %a4 = scf.for %k = %c0 to %c32 step %c1 iter_args(%p = %block, %s = %t) -> (!llvm.ptr, vector<16xf32>) : i64 {
          %a5 = llvm.load %p {alignment = 4 : i64} : !llvm.ptr -> vector<16xf32>
          %a6 = llvm.getelementptr %p[16] : (!llvm.ptr) -> !llvm.ptr, f32
          %a7 = llvm.load %a6 {alignment = 4 : i64} : !llvm.ptr -> vector<16xf32>
          %a8 = math.fma %a5, %a5, %s : vector<16xf32>
          %a9 = math.fma %a7, %a7, %a8 : vector<16xf32>
          %a10 = math.fma %a5, %a5, %a9 : vector<16xf32>
          %a11 = math.fma %a7, %a5, %a10 : vector<16xf32>
          %a12 = llvm.getelementptr %p[32] : (!llvm.ptr) -> !llvm.ptr, f32
          scf.yield %a12, %a11 : !llvm.ptr, vector<16xf32>
        }
        scf.yield %a3, %a4 : !llvm.ptr, vector<16xf32>
      }
      scf.yield %row : !llvm.ptr
    }
    %none = scf.for %l = %tiled to %rows step %c2 iter_args(%rest = %left) -> (!llvm.ptr) : i64 {
      %b1, %b2 = scf.for %j = %c0 to %c96 step %c32 iter_args(%block = %panel, %t = %v) -> (!llvm.ptr, vector<16xf32>) : i64 {
        %b3, %b4 = scf.for %k = %c0 to %c32 step %c1 iter_args(%p = %block, %s = %t) -> (!llvm.ptr, vector<16xf32>) : i64 {
          %b5 = llvm.load %p {alignment = 4 : i64} : !llvm.ptr -> vector<16xf32>
          %b6 = llvm.getelementptr %p[16] : (!llvm.ptr) -> !llvm.ptr, f32
          %b7 = llvm.load %b6 {alignment = 4 : i64} : !llvm.ptr -> vector<16xf32>
          %b8 = math.fma %b5, %b5, %s : vector<16xf32>
          %b9 = math.fma %b7, %b7, %b8 : vector<16xf32>
          %b10 = math.fma %b5, %b5, %b9 : vector<16xf32>
          %b11 = math.fma %b7, %b5, %b10 : vector<16xf32>
          %b12 = llvm.getelementptr %p[32] : (!llvm.ptr) -> !llvm.ptr, f32
          scf.yield %b12, %b11 : !llvm.ptr, vector<16xf32>
        }
        scf.yield %b3, %b4 : !llvm.ptr, vector<16xf32>
      }
      scf.yield %rest : !llvm.ptr
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

// -----

// A unit of the domain is a block of rows and one of 10 panels; the next unit has the next panel.
// CHECK-LABEL: func.func @units(
// CHECK: %[[B:.*]] = llvm.getelementptr %{{.*}}[%{{.*}}] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK: scf.for %{{.*}} = %{{.*}} to
// CHECK: llvm.getelementptr %[[B]][%{{.*}}] : (!llvm.ptr, i64) -> !llvm.ptr, i8
// CHECK: llvm.call_intrinsic "llvm.prefetch.p0"
// CHECK-NOT: llvm.prefetch
func.func @units(%w: !llvm.ptr, %begin: i64, %end: i64, %v: vector<16xf32>) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c4 = arith.constant 4 : i64
  %c10 = arith.constant 10 : i64
  %c32 = arith.constant 32 : i64
  %c64 = arith.constant 64 : i64
  %c96 = arith.constant 96 : i64
  %stride = arith.constant 96 : i64
  scf.for %unit = %begin to %end step %c1 : i64 {
    %n = arith.remui %unit, %c10 : i64
    %column = arith.muli %n, %c32 : i64
    %place = arith.muli %column, %stride : i64
    %panel = llvm.getelementptr %w[%place] : (!llvm.ptr, i64) -> !llvm.ptr, f32
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
  }
  func.return
}

// -----

// The next unit begins elsewhere.
// CHECK-LABEL: func.func @units_apart(
// CHECK-NOT: llvm.prefetch
func.func @units_apart(%w: !llvm.ptr, %begin: i64, %end: i64, %v: vector<16xf32>) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c4 = arith.constant 4 : i64
  %c10 = arith.constant 10 : i64
  %c32 = arith.constant 32 : i64
  %c64 = arith.constant 64 : i64
  %c96 = arith.constant 96 : i64
  %stride = arith.constant 97 : i64
  scf.for %unit = %begin to %end step %c1 : i64 {
    %n = arith.remui %unit, %c10 : i64
    %column = arith.muli %n, %c32 : i64
    %place = arith.muli %column, %stride : i64
    %panel = llvm.getelementptr %w[%place] : (!llvm.ptr, i64) -> !llvm.ptr, f32
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
  }
  func.return
}
