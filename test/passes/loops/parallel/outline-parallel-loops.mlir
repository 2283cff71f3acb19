// RUN: snippets-opt %s -p 'snippets-set-target{threads=4},outline-parallel-loops' --split-input-file --explain 2> %t.plan | filecheck %s
// RUN: snippets-opt %s -p 'snippets-set-target{threads=1},outline-parallel-loops' --split-input-file | filecheck %s --check-prefix=ONE
// RUN: filecheck %s --check-prefix=WHY --input-file=%t.plan

// The second dim has an iteration for each thread; what is constant is made again inside.
// CHECK-LABEL: func.func @two_dims
// CHECK: func.call @two_dims_parallel0(%{{.*}}, %{{.*}}, %n, %x, %A) {snippets.grain = 8192 : i64}
// CHECK: func.func private @two_dims_parallel0(%[[B:.*]]: index, %[[E:.*]]: index, %[[N:.*]]: index, %[[X:.*]]: f32, %[[A:.*]]: memref<?x?xf32> {llvm.noalias}) {
// CHECK: %[[FROM:.*]] = arith.muli %[[B]], %{{.*}} : index
// CHECK: %[[TO:.*]] = arith.muli %[[E]], %{{.*}} : index
// CHECK: scf.parallel (%i, %j) = (%c0, %{{.*}}) to (%c2, %{{.*}}) step (%c1, %c1)
// CHECK: memref.store %[[X]], %[[A]][%i, %j] : memref<?x?xf32>
// ONE-LABEL: func.func @two_dims
// ONE-NOT: call
// ONE: scf.parallel
func.func @two_dims(%n: index, %x: f32, %A: memref<?x?xf32> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  scf.parallel (%i, %j) = (%c0, %c0) to (%c2, %n) step (%c1, %c1) {
    memref.store %x, %A[%i, %j] : memref<?x?xf32>
  }
  func.return
}

// -----

// Pieces start from the neutral element; their results are combined in order.
// CHECK-LABEL: func.func @reduction
// CHECK-NEXT: %[[P:.*]] = memref.alloca() : memref<16xi32>
// CHECK: func.call @reduction_parallel0(%{{.*}}, %[[CHUNKS:.*]], %{{.*}}, %[[CHUNKS]], %n, %A, %[[P]]) {snippets.grain = 1 : i64}
// CHECK: %[[R:.*]] = scf.for %[[T:.*]] = %{{.*}} to %[[CHUNKS]] step %{{.*}} iter_args(%[[ACC:.*]] = %x) -> (i32) {
// CHECK-NEXT: %[[V:.*]] = memref.load %[[P]][%[[T]]] : memref<16xi32>
// CHECK-NEXT: arith.minsi %[[ACC]], %[[V]] : i32
// CHECK: func.return %[[R]] : i32
// CHECK: func.func private @reduction_parallel0(
// CHECK: arith.constant 2147483647 : i32
// CHECK: memref.store %{{.*}}, %{{.*}}[%{{.*}}] : memref<16xi32>
func.func @reduction(%n: index, %x: i32, %A: memref<?xi32>) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.parallel (%i) = (%c0) to (%n) step (%c1) init (%x) -> i32 {
    %v = memref.load %A[%i] : memref<?xi32>
    scf.reduce(%v : i32) {
    ^bb0(%l: i32, %s: i32):
      %0 = arith.minsi %l, %s : i32
      scf.reduce.return %0 : i32
    }
  }
  func.return %r : i32
}

// -----

// Memory may be reached through a view as well, so no argument of the function is alone.
// CHECK-LABEL: func.func @view
// CHECK: func.func private @view_parallel0
// CHECK-NOT: llvm.noalias
// CHECK: scf.parallel
func.func @view(%n: index, %A: memref<?xf32> {llvm.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %B = memref.cast %A : memref<?xf32> to memref<?xf32, strided<[?], offset: ?>>
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %0 = memref.load %A[%i] : memref<?xf32>
    memref.store %0, %B[%i] : memref<?xf32, strided<[?], offset: ?>>
  }
  func.return
}

// -----

// A vector that no function takes is made inside.
// CHECK-LABEL: func.func @vectors
// CHECK: func.call @vectors_parallel0(%{{.*}}, %{{.*}}, %n, %x, %A)
// CHECK: func.func private @vectors_parallel0(
// CHECK: vector.broadcast %{{.*}} : f32 to vector<2x4xf32>
// CHECK: scf.parallel
func.func @vectors(%n: index, %x: f32, %A: memref<?x2x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = vector.broadcast %x : f32 to vector<2x4xf32>
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    vector.transfer_write %v, %A[%i, %c0, %c0] : vector<2x4xf32>, memref<?x2x4xf32>
  }
  func.return
}

// -----

// Does not fire: two ops.
// CHECK-LABEL: func.func @two_ops
// CHECK-NOT: call
// WHY: remark: scf.parallel not on threads: a reduction that is not one op on scalars with a neutral element
func.func @two_ops(%n: index, %x: f32, %A: memref<?xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.parallel (%i) = (%c0) to (%n) step (%c1) init (%x) -> f32 {
    %v = memref.load %A[%i] : memref<?xf32>
    scf.reduce(%v : f32) {
    ^bb0(%l: f32, %s: f32):
      %0 = arith.addf %l, %s : f32
      %1 = arith.mulf %0, %s : f32
      scf.reduce.return %1 : f32
    }
  }
  func.return %r : f32
}

// -----

// Does not fire: the vector comes from a loop.
// CHECK-LABEL: func.func @carried
// CHECK-NOT: call
// WHY: remark: scf.parallel not on threads: it needs a vector<2x4xf32> from outside
func.func @carried(%n: index, %v: vector<4xf32>, %A: memref<?x2x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %w = vector.broadcast %v : vector<4xf32> to vector<2x4xf32>
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%a = %w) -> (vector<2x4xf32>) {
    scf.parallel (%i) = (%c0) to (%n) step (%c1) {
      vector.transfer_write %a, %A[%i, %c0, %c0] : vector<2x4xf32>, memref<?x2x4xf32>
    }
    scf.yield %a : vector<2x4xf32>
  }
  func.return
}
