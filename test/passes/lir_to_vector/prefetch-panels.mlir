// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx512},prefetch-panels' --verify-each --split-input-file | filecheck %s
// RUN: snippets-opt %s -p 'snippets-set-target{target=generic},prefetch-panels' --split-input-file | filecheck %s --check-prefix=NEVER
// RUN: snippets-opt %s -p 'snippets-set-target{target=generic},prefetch-panels{least=0}' --split-input-file | filecheck %s --check-prefix=ALWAYS
// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx512},prefetch-panels{disable-patterns=next-panel}' --split-input-file | filecheck %s --check-prefix=NEVER
// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx512 tune=sapphirerapids},prefetch-panels' --verify-each --split-input-file | filecheck %s --check-prefix=AHEAD
// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx512},prefetch-panels{ahead=8}' --split-input-file | filecheck %s --check-prefix=AHEAD
// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx512 tune=sapphirerapids},prefetch-panels{ahead=0}' --split-input-file | filecheck %s
// RUN: not snippets-opt %s -p 'prefetch-panels{least=-2}' --split-input-file 2>&1 | filecheck %s --check-prefix=REJECTS
// RUN: not snippets-opt %s -p 'prefetch-panels{ahead=-2}' --split-input-file 2>&1 | filecheck %s --check-prefix=REJECTS-AHEAD

// REJECTS: error: pass 'prefetch-panels': expected bytes, or -1 for the target's, found least=-2

// REJECTS-AHEAD: error: pass 'prefetch-panels': expected rows, or -1 for the target's, found ahead=-2

// NEVER-NOT: llvm.prefetch

// Two vectors of each of 64 rows that are 4000 bytes apart; the next panel is 128 bytes further.
// CHECK-LABEL: func.func @fires(
// CHECK-DAG: %[[READ:.*]] = arith.constant 0 : i32
// CHECK-DAG: %[[KEEP:.*]] = arith.constant 3 : i32
// CHECK-DAG: %[[ONE:.*]] = arith.constant 1 : i32
// CHECK: scf.for
// CHECK: scf.for %{{.*}} iter_args(%[[P:.*]] = %{{.*}}, %
// CHECK-NEXT: %[[A:.*]] = llvm.getelementptr %[[P]][128] : (!llvm.ptr) -> !llvm.ptr, i8
// CHECK-NEXT: llvm.call_intrinsic "llvm.prefetch.p0"(%[[A]], %[[READ]], %[[KEEP]], %[[ONE]])
// CHECK-NEXT: %[[B:.*]] = llvm.getelementptr %[[P]][192] : (!llvm.ptr) -> !llvm.ptr, i8
// CHECK-NEXT: llvm.call_intrinsic "llvm.prefetch.p0"(%[[B]], %[[READ]], %[[KEEP]], %[[ONE]])
// CHECK-NEXT: llvm.load
// CHECK-NOT: llvm.prefetch

// With `ahead`, the same panel 8 rows further.
// AHEAD-LABEL: func.func @fires(
// AHEAD: scf.for %{{.*}} iter_args(%[[P:.*]] = %{{.*}}, %
// AHEAD-NEXT: llvm.getelementptr %[[P]][32000] : (!llvm.ptr) -> !llvm.ptr, i8
// AHEAD-NEXT: llvm.call_intrinsic "llvm.prefetch.p0"
// AHEAD-NEXT: llvm.getelementptr %[[P]][32064] : (!llvm.ptr) -> !llvm.ptr, i8
// AHEAD-NEXT: llvm.call_intrinsic "llvm.prefetch.p0"
// AHEAD-NEXT: llvm.load
func.func @fires(%b: !llvm.ptr, %begin: i64, %end: i64, %v: vector<16xf32>) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c32 = arith.constant 32 : i64
  %c64 = arith.constant 64 : i64
  %0 = scf.for %n = %begin to %end step %c32 iter_args(%panel = %b) -> (!llvm.ptr) : i64 {
    %1, %2 = scf.for %k = %c0 to %c64 step %c1 iter_args(%p = %panel, %s = %v) -> (!llvm.ptr, vector<16xf32>) : i64 {
      %3 = llvm.load %p {alignment = 4 : i64} : !llvm.ptr -> vector<16xf32>
      %4 = llvm.getelementptr %p[16] : (!llvm.ptr) -> !llvm.ptr, f32
      %5 = llvm.load %4 {alignment = 4 : i64} : !llvm.ptr -> vector<16xf32>
      %x = math.fma %3, %3, %s : vector<16xf32>
      %y = math.fma %5, %5, %x : vector<16xf32>
      %z = math.fma %3, %3, %y : vector<16xf32>
      %6 = math.fma %3, %5, %z : vector<16xf32>
      %7 = llvm.getelementptr %p[1000] : (!llvm.ptr) -> !llvm.ptr, f32
      scf.yield %7, %6 : !llvm.ptr, vector<16xf32>
    }
    %8 = llvm.getelementptr %1[-63968] : (!llvm.ptr) -> !llvm.ptr, f32
    scf.yield %8 : !llvm.ptr
  }
  func.return
}

// -----

// The last block of a sum may have fewer rows than the others.
// CHECK-LABEL: func.func @short_block(
// CHECK: llvm.prefetch.p0
// CHECK: llvm.prefetch.p0
func.func @short_block(%b: !llvm.ptr, %begin: i64, %end: i64, %v: vector<16xf32>, %left: i64) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c32 = arith.constant 32 : i64
  %c64 = arith.constant 64 : i64
  %least = arith.minsi %left, %c64 : i64
  %odd = arith.remui %least, %c32 : i64
  %even = arith.subi %least, %odd : i64
  %0 = scf.for %n = %begin to %end step %c32 iter_args(%panel = %b) -> (!llvm.ptr) : i64 {
    %1, %2 = scf.for %k = %c0 to %even step %c1 iter_args(%p = %panel, %s = %v) -> (!llvm.ptr, vector<16xf32>) : i64 {
      %3 = llvm.load %p {alignment = 4 : i64} : !llvm.ptr -> vector<16xf32>
      %4 = llvm.getelementptr %p[16] : (!llvm.ptr) -> !llvm.ptr, f32
      %5 = llvm.load %4 {alignment = 4 : i64} : !llvm.ptr -> vector<16xf32>
      %x = math.fma %3, %3, %s : vector<16xf32>
      %y = math.fma %5, %5, %x : vector<16xf32>
      %z = math.fma %3, %3, %y : vector<16xf32>
      %6 = math.fma %3, %5, %z : vector<16xf32>
      %7 = llvm.getelementptr %p[1000] : (!llvm.ptr) -> !llvm.ptr, f32
      scf.yield %7, %6 : !llvm.ptr, vector<16xf32>
    }
    %8 = llvm.getelementptr %panel[32] : (!llvm.ptr) -> !llvm.ptr, f32
    scf.yield %8 : !llvm.ptr
  }
  func.return
}

// -----

// Twin: nothing says how many rows there are.
// CHECK-LABEL: func.func @unknown(
// CHECK-NOT: llvm.prefetch
func.func @unknown(%b: !llvm.ptr, %begin: i64, %end: i64, %v: vector<16xf32>, %left: i64) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c32 = arith.constant 32 : i64
  %c64 = arith.constant 64 : i64
  %0 = scf.for %n = %begin to %end step %c32 iter_args(%panel = %b) -> (!llvm.ptr) : i64 {
    %1, %2 = scf.for %k = %c0 to %left step %c1 iter_args(%p = %panel, %s = %v) -> (!llvm.ptr, vector<16xf32>) : i64 {
      %3 = llvm.load %p {alignment = 4 : i64} : !llvm.ptr -> vector<16xf32>
      %4 = llvm.getelementptr %p[16] : (!llvm.ptr) -> !llvm.ptr, f32
      %5 = llvm.load %4 {alignment = 4 : i64} : !llvm.ptr -> vector<16xf32>
      %x = math.fma %3, %3, %s : vector<16xf32>
      %y = math.fma %5, %5, %x : vector<16xf32>
      %z = math.fma %3, %3, %y : vector<16xf32>
      %6 = math.fma %3, %5, %z : vector<16xf32>
      %7 = llvm.getelementptr %p[1000] : (!llvm.ptr) -> !llvm.ptr, f32
      scf.yield %7, %6 : !llvm.ptr, vector<16xf32>
    }
    %8 = llvm.getelementptr %panel[32] : (!llvm.ptr) -> !llvm.ptr, f32
    scf.yield %8 : !llvm.ptr
  }
  func.return
}

// -----

// Rule A2: rows next to each other, as a packed operand has them. ALWAYS does not ask either.
// CHECK-LABEL: func.func @packed(
// CHECK-NOT: llvm.prefetch
// ALWAYS-LABEL: func.func @packed(
// ALWAYS-NOT: llvm.prefetch
func.func @packed(%b: !llvm.ptr, %begin: i64, %end: i64, %v: vector<16xf32>) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c16 = arith.constant 16 : i64
  %c1024 = arith.constant 1024 : i64
  %0 = scf.for %n = %begin to %end step %c16 iter_args(%panel = %b) -> (!llvm.ptr) : i64 {
    %1, %2 = scf.for %k = %c0 to %c1024 step %c1 iter_args(%p = %panel, %s = %v) -> (!llvm.ptr, vector<16xf32>) : i64 {
      %3 = llvm.load %p {alignment = 4 : i64} : !llvm.ptr -> vector<16xf32>
      %x = math.fma %3, %3, %s : vector<16xf32>
      %4 = math.fma %3, %3, %x : vector<16xf32>
      %5 = llvm.getelementptr %p[16] : (!llvm.ptr) -> !llvm.ptr, f32
      scf.yield %5, %4 : !llvm.ptr, vector<16xf32>
    }
    scf.yield %1 : !llvm.ptr
  }
  func.return
}

// -----

// Rule A3: no loop around goes on to a panel beside; this one goes to the rows below.
// CHECK-LABEL: func.func @one_panel(
// CHECK-NOT: llvm.prefetch
// ALWAYS-LABEL: func.func @one_panel(
// ALWAYS-NOT: llvm.prefetch
func.func @one_panel(%b: !llvm.ptr, %begin: i64, %end: i64, %v: vector<16xf32>) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c64 = arith.constant 64 : i64
  %0 = scf.for %n = %begin to %end step %c64 iter_args(%panel = %b) -> (!llvm.ptr) : i64 {
    %1, %2 = scf.for %k = %c0 to %c64 step %c1 iter_args(%p = %panel, %s = %v) -> (!llvm.ptr, vector<16xf32>) : i64 {
      %3 = llvm.load %p {alignment = 4 : i64} : !llvm.ptr -> vector<16xf32>
      %x = math.fma %3, %3, %s : vector<16xf32>
      %4 = math.fma %3, %3, %x : vector<16xf32>
      %5 = llvm.getelementptr %p[1000] : (!llvm.ptr) -> !llvm.ptr, f32
      scf.yield %5, %4 : !llvm.ptr, vector<16xf32>
    }
    scf.yield %1 : !llvm.ptr
  }
  func.return
}

// -----

// Rule A4: 8 rows stay in the cache; with a least of 0 they are asked for, too.
// CHECK-LABEL: func.func @small(
// CHECK-NOT: llvm.prefetch
// ALWAYS-LABEL: func.func @small(
// ALWAYS: llvm.prefetch
func.func @small(%b: !llvm.ptr, %begin: i64, %end: i64, %v: vector<16xf32>) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c8 = arith.constant 8 : i64
  %c16 = arith.constant 16 : i64
  %0 = scf.for %n = %begin to %end step %c16 iter_args(%panel = %b) -> (!llvm.ptr) : i64 {
    %1, %2 = scf.for %k = %c0 to %c8 step %c1 iter_args(%p = %panel, %s = %v) -> (!llvm.ptr, vector<16xf32>) : i64 {
      %3 = llvm.load %p {alignment = 4 : i64} : !llvm.ptr -> vector<16xf32>
      %x = math.fma %3, %3, %s : vector<16xf32>
      %4 = math.fma %3, %3, %x : vector<16xf32>
      %5 = llvm.getelementptr %p[1000] : (!llvm.ptr) -> !llvm.ptr, f32
      scf.yield %5, %4 : !llvm.ptr, vector<16xf32>
    }
    %6 = llvm.getelementptr %1[-7984] : (!llvm.ptr) -> !llvm.ptr, f32
    scf.yield %6 : !llvm.ptr
  }
  func.return
}

// -----

// Rule A1: the two vectors are not next to each other.
// CHECK-LABEL: func.func @apart(
// CHECK-NOT: llvm.prefetch
func.func @apart(%b: !llvm.ptr, %begin: i64, %end: i64, %v: vector<16xf32>) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c32 = arith.constant 32 : i64
  %c64 = arith.constant 64 : i64
  %0 = scf.for %n = %begin to %end step %c32 iter_args(%panel = %b) -> (!llvm.ptr) : i64 {
    %1, %2 = scf.for %k = %c0 to %c64 step %c1 iter_args(%p = %panel, %s = %v) -> (!llvm.ptr, vector<16xf32>) : i64 {
      %3 = llvm.load %p {alignment = 4 : i64} : !llvm.ptr -> vector<16xf32>
      %4 = llvm.getelementptr %p[32] : (!llvm.ptr) -> !llvm.ptr, f32
      %5 = llvm.load %4 {alignment = 4 : i64} : !llvm.ptr -> vector<16xf32>
      %x = math.fma %3, %3, %s : vector<16xf32>
      %y = math.fma %5, %5, %x : vector<16xf32>
      %z = math.fma %3, %3, %y : vector<16xf32>
      %6 = math.fma %3, %5, %z : vector<16xf32>
      %7 = llvm.getelementptr %p[1000] : (!llvm.ptr) -> !llvm.ptr, f32
      scf.yield %7, %6 : !llvm.ptr, vector<16xf32>
    }
    %8 = llvm.getelementptr %1[-63968] : (!llvm.ptr) -> !llvm.ptr, f32
    scf.yield %8 : !llvm.ptr
  }
  func.return
}

// -----

// Rule A5: one row of the left operand uses what is loaded.
// CHECK-LABEL: func.func @one_row(
// CHECK-NOT: llvm.prefetch
// ALWAYS-LABEL: func.func @one_row(
// ALWAYS-NOT: llvm.prefetch
func.func @one_row(%b: !llvm.ptr, %begin: i64, %end: i64, %v: vector<16xf32>) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c8 = arith.constant 8 : i64
  %c16 = arith.constant 16 : i64
  %0 = scf.for %n = %begin to %end step %c16 iter_args(%panel = %b) -> (!llvm.ptr) : i64 {
    %1, %2 = scf.for %k = %c0 to %c8 step %c1 iter_args(%p = %panel, %s = %v) -> (!llvm.ptr, vector<16xf32>) : i64 {
      %3 = llvm.load %p {alignment = 4 : i64} : !llvm.ptr -> vector<16xf32>
      %4 = math.fma %3, %3, %s : vector<16xf32>
      %5 = llvm.getelementptr %p[1000] : (!llvm.ptr) -> !llvm.ptr, f32
      scf.yield %5, %4 : !llvm.ptr, vector<16xf32>
    }
    %6 = llvm.getelementptr %1[-7984] : (!llvm.ptr) -> !llvm.ptr, f32
    scf.yield %6 : !llvm.ptr
  }
  func.return
}
