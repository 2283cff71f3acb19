// RUN: snippets-opt %s -p align-nontemporal-stores --verify-each | filecheck %s
// RUN: snippets-opt %s -p align-nontemporal-stores,align-nontemporal-stores --verify-each | filecheck %s

// One loop over the ends and what stands between them; its body is there once.
// CHECK-LABEL: func.func private @fires(
// CHECK: %[[A:.*]] = llvm.ptrtoint %{{.*}} : !llvm.ptr to i64
// CHECK: scf.for %[[PART:.*]] = %{{.*}} to
// CHECK: %[[SHIFTED:.*]] = arith.cmpi eq, %[[PART]], %{{.*}} : i64
// CHECK: scf.for
// CHECK: llvm.load
// CHECK: scf.if %[[SHIFTED]] {
// CHECK-NEXT: llvm.store %{{.*}}, %{{.*}} {alignment = 32 : i64, nontemporal} : vector<8xf32>, !llvm.ptr
// CHECK-NEXT: } else {
// CHECK-NEXT: llvm.store %{{.*}}, %{{.*}} {alignment = 4 : i64} : vector<8xf32>, !llvm.ptr
// CHECK-NEXT: }
// CHECK-NEXT: scf.yield
// CHECK-NOT: llvm.load
// CHECK: llvm.fence seq_cst
// CHECK-NEXT: func.return
// CHECK-NOT: llvm.fence
func.func private @fires(%x: !llvm.ptr, %out: !llvm.ptr, %begin: i64, %end: i64) {
  %step = arith.constant 8 : i64
  %0 = llvm.getelementptr %x[%begin] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %1 = llvm.getelementptr %out[%begin] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %2, %3 = scf.for %i = %begin to %end step %step iter_args(%p = %0, %q = %1) -> (!llvm.ptr, !llvm.ptr) : i64 {
    %v = llvm.load %p {alignment = 4 : i64} : !llvm.ptr -> vector<8xf32>
    llvm.store %v, %q {alignment = 4 : i64, nontemporal} : vector<8xf32>, !llvm.ptr
    %4 = llvm.getelementptr %p[8] : (!llvm.ptr) -> !llvm.ptr, f32
    %5 = llvm.getelementptr %q[8] : (!llvm.ptr) -> !llvm.ptr, f32
    scf.yield %4, %5 : !llvm.ptr, !llvm.ptr
  }
  func.return
}

// Two arrays: the second one has to be as far from a boundary; what reads the pointers after the
// loop gets them, and units below which nothing changes are compared at run time.
// CHECK-LABEL: func.func private @two_arrays(
// CHECK: arith.constant 4096 : i64
// CHECK: llvm.ptrtoint
// CHECK: llvm.ptrtoint
// CHECK-COUNT-2: scf.for
// CHECK: scf.if
// CHECK-COUNT-4: llvm.store {{.*}}alignment = 64 : i64, nontemporal}
// CHECK: } else {
// CHECK-COUNT-4: llvm.store {{.*}}alignment = 4 : i64}
// CHECK: %[[END:.*]] = llvm.getelementptr %b[%{{.*}}] : (!llvm.ptr, i64) -> !llvm.ptr, i8
// CHECK: llvm.store %v, %[[END]]
// CHECK: llvm.fence seq_cst
func.func private @two_arrays(%a: !llvm.ptr, %b: !llvm.ptr, %begin: i64, %end: i64, %v: vector<16xf32>) {
  %step = arith.constant 32 : i64
  %2, %3 = scf.for %i = %begin to %end step %step iter_args(%p = %a, %q = %b) -> (!llvm.ptr, !llvm.ptr) : i64 {
    llvm.store %v, %p {alignment = 4 : i64, nontemporal, snippets.nontemporal_from = 4096 : i64} : vector<16xf32>, !llvm.ptr
    %6 = llvm.getelementptr %p[16] : (!llvm.ptr) -> !llvm.ptr, f32
    llvm.store %v, %6 {alignment = 4 : i64, nontemporal, snippets.nontemporal_from = 4096 : i64} : vector<16xf32>, !llvm.ptr
    llvm.store %v, %q {alignment = 4 : i64, nontemporal, snippets.nontemporal_from = 4096 : i64} : vector<16xf32>, !llvm.ptr
    %7 = llvm.getelementptr %q[16] : (!llvm.ptr) -> !llvm.ptr, f32
    llvm.store %v, %7 {alignment = 4 : i64, nontemporal, snippets.nontemporal_from = 4096 : i64} : vector<16xf32>, !llvm.ptr
    %4 = llvm.getelementptr %p[32] : (!llvm.ptr) -> !llvm.ptr, f32
    %5 = llvm.getelementptr %q[32] : (!llvm.ptr) -> !llvm.ptr, f32
    scf.yield %4, %5 : !llvm.ptr, !llvm.ptr
  }
  llvm.store %v, %3 {alignment = 4 : i64} : vector<16xf32>, !llvm.ptr
  func.return
}

// A function whose stores are all aligned is left alone: its fence is there already.
// CHECK-LABEL: func.func private @aligned(
// CHECK-NEXT: llvm.store %{{.*}}, %{{.*}} {alignment = 32 : i64, nontemporal}
func.func private @aligned(%out: !llvm.ptr, %v: vector<8xf32>) {
  llvm.store %v, %out {alignment = 32 : i64, nontemporal} : vector<8xf32>, !llvm.ptr
  func.return
}

// The rest is stored as ever: outside of loops; with an accumulator (N1); by a pointer that moves by
// what is not known (N1); into an array that is read (N3); by a small vector, and off the vectors'
// places (N4).
// CHECK-LABEL: func.func private @does_not_fire(
// CHECK-NOT: nontemporal
// CHECK-NOT: llvm.fence
// CHECK: func.return
func.func private @does_not_fire(%x: !llvm.ptr, %out: !llvm.ptr, %begin: i64, %end: i64, %v: vector<8xf32>, %w: vector<2xf32>) {
  %step = arith.constant 8 : i64
  llvm.store %v, %out {alignment = 4 : i64, nontemporal} : vector<8xf32>, !llvm.ptr
  %0, %1 = scf.for %i = %begin to %end step %step iter_args(%q = %out, %a = %v) -> (!llvm.ptr, vector<8xf32>) : i64 {
    llvm.store %a, %q {alignment = 4 : i64, nontemporal} : vector<8xf32>, !llvm.ptr
    %5 = llvm.getelementptr %q[8] : (!llvm.ptr) -> !llvm.ptr, f32
    %6 = arith.addf %a, %a : vector<8xf32>
    scf.yield %5, %6 : !llvm.ptr, vector<8xf32>
  }
  %2 = scf.for %i = %begin to %end step %step iter_args(%q = %out) -> (!llvm.ptr) : i64 {
    llvm.store %v, %q {alignment = 4 : i64, nontemporal} : vector<8xf32>, !llvm.ptr
    %5 = llvm.getelementptr %q[%begin] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    scf.yield %5 : !llvm.ptr
  }
  %3 = scf.for %i = %begin to %end step %step iter_args(%q = %out) -> (!llvm.ptr) : i64 {
    %u = llvm.load %q {alignment = 4 : i64} : !llvm.ptr -> vector<8xf32>
    %m = arith.addf %u, %u : vector<8xf32>
    llvm.store %m, %q {alignment = 4 : i64, nontemporal} : vector<8xf32>, !llvm.ptr
    %5 = llvm.getelementptr %q[8] : (!llvm.ptr) -> !llvm.ptr, f32
    scf.yield %5 : !llvm.ptr
  }
  %4 = scf.for %i = %begin to %end step %step iter_args(%q = %out) -> (!llvm.ptr) : i64 {
    llvm.store %w, %q {alignment = 4 : i64, nontemporal} : vector<2xf32>, !llvm.ptr
    %5 = llvm.getelementptr %q[8] : (!llvm.ptr) -> !llvm.ptr, f32
    scf.yield %5 : !llvm.ptr
  }
  %7 = scf.for %i = %begin to %end step %step iter_args(%q = %out) -> (!llvm.ptr) : i64 {
    %8 = llvm.getelementptr %q[4] : (!llvm.ptr) -> !llvm.ptr, f32
    llvm.store %v, %8 {alignment = 4 : i64, nontemporal} : vector<8xf32>, !llvm.ptr
    %5 = llvm.getelementptr %q[8] : (!llvm.ptr) -> !llvm.ptr, f32
    scf.yield %5 : !llvm.ptr
  }
  func.return
}

// N3 looks through the loops before: what the first one leaves is an address in the array that the
// second one reads, too.
// CHECK-LABEL: func.func private @after_a_loop(
// CHECK-NOT: nontemporal
// CHECK-NOT: llvm.fence
// CHECK: func.return
func.func private @after_a_loop(%x: !llvm.ptr, %out: !llvm.ptr, %begin: i64, %end: i64) {
  %step = arith.constant 8 : i64
  %0, %1 = scf.for %i = %begin to %end step %step iter_args(%p = %x, %q = %out) -> (!llvm.ptr, !llvm.ptr) : i64 {
    %u = llvm.load %p {alignment = 4 : i64} : !llvm.ptr -> vector<8xf32>
    llvm.store %u, %q {alignment = 4 : i64} : vector<8xf32>, !llvm.ptr
    %5 = llvm.getelementptr %p[8] : (!llvm.ptr) -> !llvm.ptr, f32
    %6 = llvm.getelementptr %q[8] : (!llvm.ptr) -> !llvm.ptr, f32
    scf.yield %5, %6 : !llvm.ptr, !llvm.ptr
  }
  %2, %3 = scf.for %i = %begin to %end step %step iter_args(%p = %out, %q = %1) -> (!llvm.ptr, !llvm.ptr) : i64 {
    %u = llvm.load %p {alignment = 4 : i64} : !llvm.ptr -> vector<8xf32>
    llvm.store %u, %q {alignment = 4 : i64, nontemporal} : vector<8xf32>, !llvm.ptr
    %5 = llvm.getelementptr %p[8] : (!llvm.ptr) -> !llvm.ptr, f32
    %6 = llvm.getelementptr %q[8] : (!llvm.ptr) -> !llvm.ptr, f32
    scf.yield %5, %6 : !llvm.ptr, !llvm.ptr
  }
  func.return
}

// The same loops, of which the second one reads where the first one has stopped to read.
// CHECK-LABEL: func.func private @after_a_loop_over_another_array(
// CHECK: llvm.store {{.*}}alignment = 32 : i64, nontemporal}
// CHECK: llvm.fence seq_cst
func.func private @after_a_loop_over_another_array(%x: !llvm.ptr, %out: !llvm.ptr, %begin: i64, %end: i64) {
  %step = arith.constant 8 : i64
  %0, %1 = scf.for %i = %begin to %end step %step iter_args(%p = %x, %q = %out) -> (!llvm.ptr, !llvm.ptr) : i64 {
    %u = llvm.load %p {alignment = 4 : i64} : !llvm.ptr -> vector<8xf32>
    llvm.store %u, %q {alignment = 4 : i64} : vector<8xf32>, !llvm.ptr
    %5 = llvm.getelementptr %p[8] : (!llvm.ptr) -> !llvm.ptr, f32
    %6 = llvm.getelementptr %q[8] : (!llvm.ptr) -> !llvm.ptr, f32
    scf.yield %5, %6 : !llvm.ptr, !llvm.ptr
  }
  %2, %3 = scf.for %i = %begin to %end step %step iter_args(%p = %0, %q = %1) -> (!llvm.ptr, !llvm.ptr) : i64 {
    %u = llvm.load %p {alignment = 4 : i64} : !llvm.ptr -> vector<8xf32>
    llvm.store %u, %q {alignment = 4 : i64, nontemporal} : vector<8xf32>, !llvm.ptr
    %5 = llvm.getelementptr %p[8] : (!llvm.ptr) -> !llvm.ptr, f32
    %6 = llvm.getelementptr %q[8] : (!llvm.ptr) -> !llvm.ptr, f32
    scf.yield %5, %6 : !llvm.ptr, !llvm.ptr
  }
  func.return
}
