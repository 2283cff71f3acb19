// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx512},prefetch-rows' --verify-each --split-input-file | filecheck %s
// RUN: snippets-opt %s -p 'snippets-set-target{target=generic},prefetch-rows' --split-input-file | filecheck %s --check-prefix=NEVER
// RUN: snippets-opt %s -p 'snippets-set-target{target=generic},prefetch-rows{least=0}' --split-input-file | filecheck %s --check-prefix=ALWAYS
// RUN: not snippets-opt %s -p 'prefetch-rows{least=-2}' --split-input-file 2>&1 | filecheck %s --check-prefix=REJECTS

// REJECTS: error: pass 'prefetch-rows': expected bytes, or -1 for the target's, found least=-2

// NEVER-NOT: llvm.prefetch

// The first loop reads %x, the last one writes %out; the row between them stays in %scratch.
// CHECK-LABEL: func.func @fires(
// CHECK-DAG: %[[READ:.*]] = arith.constant 0 : i32
// CHECK-DAG: %[[KEEP:.*]] = arith.constant 3 : i32
// CHECK-DAG: %[[ONE:.*]] = arith.constant 1 : i32
// CHECK: scf.for %{{.*}} iter_args(%[[X:.*]] = %x, %[[OUT:.*]] = %out)
// CHECK: scf.for
// CHECK-NOT: llvm.prefetch
// CHECK: scf.for %[[J:.*]] = %{{.*}} to
// CHECK-NEXT: %[[A:.*]] = llvm.getelementptr %[[OUT]][%[[J]]] : (!llvm.ptr, i64) -> !llvm.ptr, i32
// CHECK-NEXT: llvm.call_intrinsic "llvm.prefetch.p0"(%[[A]], %[[ONE]], %[[KEEP]], %[[ONE]])
// CHECK-NEXT: %[[B:.*]] = llvm.getelementptr %[[A]][64] : (!llvm.ptr) -> !llvm.ptr, i8
// CHECK-NEXT: llvm.call_intrinsic "llvm.prefetch.p0"(%[[B]], %[[ONE]], %[[KEEP]], %[[ONE]])
// CHECK-NEXT: llvm.load
// CHECK: scf.for %[[K:.*]] = %{{.*}} to
// CHECK-NEXT: %[[C:.*]] = llvm.getelementptr %[[X]][%[[K]]] : (!llvm.ptr, i64) -> !llvm.ptr, i32
// CHECK-NEXT: %[[D:.*]] = llvm.getelementptr %[[C]][1024] : (!llvm.ptr) -> !llvm.ptr, i8
// CHECK-NEXT: llvm.call_intrinsic "llvm.prefetch.p0"(%[[D]], %[[READ]], %[[KEEP]], %[[ONE]])
// CHECK-NEXT: llvm.load
// CHECK-NOT: llvm.prefetch
func.func @fires(%x: !llvm.ptr, %out: !llvm.ptr, %scratch: !llvm.ptr, %begin: i64, %end: i64) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c16 = arith.constant 16 : i64
  %c32 = arith.constant 32 : i64
  %c256 = arith.constant 256 : i64
  %0, %1 = scf.for %r = %begin to %end step %c1 iter_args(%px = %x, %po = %out) -> (!llvm.ptr, !llvm.ptr) : i64 {
    %2, %3 = scf.for %i = %c0 to %c256 step %c16 iter_args(%p = %px, %q = %scratch) -> (!llvm.ptr, !llvm.ptr) : i64 {
      %4 = llvm.load %p {alignment = 4 : i64} : !llvm.ptr -> vector<16xf32>
      llvm.store %4, %q {alignment = 4 : i64} : vector<16xf32>, !llvm.ptr
      %5 = llvm.getelementptr %p[16] : (!llvm.ptr) -> !llvm.ptr, f32
      %6 = llvm.getelementptr %q[16] : (!llvm.ptr) -> !llvm.ptr, f32
      scf.yield %5, %6 : !llvm.ptr, !llvm.ptr
    }
    %7 = scf.for %j = %c0 to %c256 step %c32 iter_args(%q = %scratch) -> (!llvm.ptr) : i64 {
      %8 = llvm.load %q {alignment = 4 : i64} : !llvm.ptr -> vector<16xf32>
      %9 = arith.addf %8, %8 : vector<16xf32>
      llvm.store %9, %q {alignment = 4 : i64} : vector<16xf32>, !llvm.ptr
      %10 = llvm.getelementptr %q[32] : (!llvm.ptr) -> !llvm.ptr, f32
      scf.yield %10 : !llvm.ptr
    }
    %11, %12 = scf.for %k = %c0 to %c256 step %c16 iter_args(%q = %scratch, %p = %po) -> (!llvm.ptr, !llvm.ptr) : i64 {
      %13 = llvm.load %q {alignment = 4 : i64} : !llvm.ptr -> vector<16xf32>
      llvm.store %13, %p {alignment = 4 : i64} : vector<16xf32>, !llvm.ptr
      %14 = llvm.getelementptr %q[16] : (!llvm.ptr) -> !llvm.ptr, f32
      %15 = llvm.getelementptr %p[16] : (!llvm.ptr) -> !llvm.ptr, f32
      scf.yield %14, %15 : !llvm.ptr, !llvm.ptr
    }
    %16 = llvm.getelementptr %2[-256] : (!llvm.ptr) -> !llvm.ptr, f32
    %17 = llvm.getelementptr %16[256] : (!llvm.ptr) -> !llvm.ptr, f32
    scf.yield %17, %12 : !llvm.ptr, !llvm.ptr
  }
  func.return
}

// -----

// Of what is stored past the caches no lines are needed; what the last loop reads first is on its
// way already.
// CHECK-LABEL: func.func @past_the_caches(
// CHECK-NOT: llvm.prefetch
func.func @past_the_caches(%x: !llvm.ptr, %out: !llvm.ptr, %begin: i64, %end: i64) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c16 = arith.constant 16 : i64
  %c256 = arith.constant 256 : i64
  %v = arith.constant dense<1.0> : vector<16xf32>
  %0, %1 = scf.for %r = %begin to %end step %c1 iter_args(%px = %x, %po = %out) -> (!llvm.ptr, !llvm.ptr) : i64 {
    %2 = scf.for %i = %c0 to %c256 step %c16 iter_args(%w = %v) -> (vector<16xf32>) : i64 {
      %3 = arith.addf %w, %w : vector<16xf32>
      scf.yield %3 : vector<16xf32>
    }
    %m = scf.for %j = %c0 to %c256 step %c16 iter_args(%w = %2) -> (vector<16xf32>) : i64 {
      %10 = arith.addf %w, %v : vector<16xf32>
      scf.yield %10 : vector<16xf32>
    }
    %4, %5 = scf.for %k = %c0 to %c256 step %c16 iter_args(%q = %px, %p = %po) -> (!llvm.ptr, !llvm.ptr) : i64 {
      %6 = llvm.load %q {alignment = 4 : i64} : !llvm.ptr -> vector<16xf32>
      %7 = arith.addf %6, %m : vector<16xf32>
      llvm.store %7, %p {alignment = 64 : i64, nontemporal} : vector<16xf32>, !llvm.ptr
      %8 = llvm.getelementptr %q[16] : (!llvm.ptr) -> !llvm.ptr, f32
      %9 = llvm.getelementptr %p[16] : (!llvm.ptr) -> !llvm.ptr, f32
      scf.yield %8, %9 : !llvm.ptr, !llvm.ptr
    }
    scf.yield %4, %5 : !llvm.ptr, !llvm.ptr
  }
  func.return
}

// -----

// A kernel of 16 KiB stays in the first-level cache.
// ALWAYS-LABEL: func.func private @small.body(
// ALWAYS: llvm.prefetch
// ALWAYS: llvm.prefetch
// CHECK-LABEL: func.func private @small.body(
// CHECK-NOT: llvm.prefetch
func.func @small(%args: !llvm.ptr, %begin: i64, %end: i64, %thread: i64) attributes {snippets.kernel, snippets.domain = 8 : i64, snippets.grain = 1 : i64, snippets.scratch = 0 : i64} {
  func.call @small.body(%args, %args, %begin, %end) : (!llvm.ptr, !llvm.ptr, i64, i64) -> ()
  func.return
}
func.func private @small.body(%x: !llvm.ptr, %out: !llvm.ptr, %begin: i64, %end: i64) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c16 = arith.constant 16 : i64
  %c256 = arith.constant 256 : i64
  %v = arith.constant dense<0.0> : vector<16xf32>
  %0, %1 = scf.for %r = %begin to %end step %c1 iter_args(%px = %x, %po = %out) -> (!llvm.ptr, !llvm.ptr) : i64 {
    %2, %3 = scf.for %i = %c0 to %c256 step %c16 iter_args(%p = %px, %s = %v) -> (!llvm.ptr, vector<16xf32>) : i64 {
      %4 = llvm.load %p {alignment = 4 : i64} : !llvm.ptr -> vector<16xf32>
      %5 = arith.addf %s, %4 : vector<16xf32>
      %6 = llvm.getelementptr %p[16] : (!llvm.ptr) -> !llvm.ptr, f32
      scf.yield %6, %5 : !llvm.ptr, vector<16xf32>
    }
    %m = scf.for %j = %c0 to %c256 step %c16 iter_args(%s = %3) -> (vector<16xf32>) : i64 {
      %9 = arith.addf %s, %3 : vector<16xf32>
      scf.yield %9 : vector<16xf32>
    }
    %7 = scf.for %k = %c0 to %c256 step %c16 iter_args(%p = %po) -> (!llvm.ptr) : i64 {
      llvm.store %m, %p {alignment = 4 : i64} : vector<16xf32>, !llvm.ptr
      %8 = llvm.getelementptr %p[16] : (!llvm.ptr) -> !llvm.ptr, f32
      scf.yield %8 : !llvm.ptr
    }
    scf.yield %2, %7 : !llvm.ptr, !llvm.ptr
  }
  func.return
}

// -----

// One loop reads memory and the other one writes it: it never waits.
// CHECK-LABEL: func.func @two_loops(
// CHECK-NOT: llvm.prefetch
// ALWAYS-LABEL: func.func @two_loops(
// ALWAYS-NOT: llvm.prefetch
func.func @two_loops(%x: !llvm.ptr, %out: !llvm.ptr, %begin: i64, %end: i64) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c16 = arith.constant 16 : i64
  %c256 = arith.constant 256 : i64
  %v = arith.constant dense<0.0> : vector<16xf32>
  %0, %1 = scf.for %r = %begin to %end step %c1 iter_args(%px = %x, %po = %out) -> (!llvm.ptr, !llvm.ptr) : i64 {
    %2, %3 = scf.for %i = %c0 to %c256 step %c16 iter_args(%p = %px, %s = %v) -> (!llvm.ptr, vector<16xf32>) : i64 {
      %4 = llvm.load %p {alignment = 4 : i64} : !llvm.ptr -> vector<16xf32>
      %5 = arith.addf %s, %4 : vector<16xf32>
      %6 = llvm.getelementptr %p[16] : (!llvm.ptr) -> !llvm.ptr, f32
      scf.yield %6, %5 : !llvm.ptr, vector<16xf32>
    }
    %7 = scf.for %k = %c0 to %c256 step %c16 iter_args(%p = %po) -> (!llvm.ptr) : i64 {
      llvm.store %3, %p {alignment = 4 : i64} : vector<16xf32>, !llvm.ptr
      %8 = llvm.getelementptr %p[16] : (!llvm.ptr) -> !llvm.ptr, f32
      scf.yield %8 : !llvm.ptr
    }
    scf.yield %2, %7 : !llvm.ptr, !llvm.ptr
  }
  func.return
}
