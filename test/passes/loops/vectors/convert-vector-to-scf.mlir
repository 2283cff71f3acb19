// RUN: snippets-opt %s -p convert-vector-to-scf{lanes=4,most=4,tile=4} | filecheck %s

// One nest for the chain; the loops end where nothing is written any more; the last tile is shorter.
// CHECK-LABEL: @chain
// CHECK: %[[R:.*]] = arith.minsi %{{.*}}, %{{.*}} : index
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %[[R]] step %{{.*}} {
// CHECK: scf.for %[[J:.*]] =
// CHECK: %[[X:.*]] = vector.transfer_read %A[%{{.*}}, %{{.*}}], %p : memref<?x?xf32>, vector<3x4xf32>
// CHECK-NEXT: %[[C:.*]] = arith.constant dense<1.000000e+00> : vector<3x4xf32>
// CHECK-NEXT: %[[Y:.*]] = arith.addf %[[X]], %[[C]] : vector<3x4xf32>
// CHECK: vector.transfer_write %[[Y]], %B[%{{.*}}, %{{.*}}] : vector<3x4xf32>, memref<?x?xf32>
// CHECK: vector.transfer_read %A[%{{.*}}, %{{.*}}], %p : memref<?x?xf32>, vector<3x3xf32>
// CHECK-NOT: vector<6x23xf32>
func.func @chain(%A: memref<?x?xf32>, %B: memref<?x?xf32> {llvm.noalias}, %i: index, %p: f32) {
  %0 = vector.transfer_read %A[%i, %i], %p : memref<?x?xf32>, vector<6x23xf32>
  %1 = arith.constant dense<1.0> : vector<6x23xf32>
  %2 = arith.addf %0, %1 : vector<6x23xf32>
  vector.transfer_write %2, %B[%i, %i] : vector<6x23xf32>, memref<?x?xf32>
  func.return
}

// Arguments that may be one memory: all is read, into a buffer, before anything is written.
// CHECK-LABEL: @may_alias
// CHECK: %[[M:.*]] = memref.alloca() {alignment = 64 : i64} : memref<32xf32>
// CHECK: scf.for
// CHECK: %[[X:.*]] = vector.transfer_read %A
// CHECK: vector.transfer_write %[[X]], %[[M]]
// CHECK: scf.for
// CHECK: vector.transfer_read %[[M]]
// CHECK: vector.transfer_write %{{.*}}, %B
func.func @may_alias(%A: memref<?xf32>, %B: memref<?xf32>, %i: index, %p: f32) {
  %0 = vector.transfer_read %A[%i], %p : memref<?xf32>, vector<32xf32>
  vector.transfer_write %0, %B[%i] : vector<32xf32>, memref<?xf32>
  func.return
}

// One memref at one index: each tile is read before it is written.
// CHECK-LABEL: @in_place
// CHECK-NOT: memref.alloca
// CHECK: vector.transfer_read %A
// CHECK: vector.transfer_write %{{.*}}, %A
// CHECK-NOT: vector.transfer
func.func @in_place(%A: memref<?xf32>, %i: index, %p: f32) {
  %0 = vector.transfer_read %A[%i], %p : memref<?xf32>, vector<32xf32>
  %1 = arith.negf %0 : vector<32xf32>
  vector.transfer_write %1, %A[%i] : vector<32xf32>, memref<?xf32>
  func.return
}

// At another index what one tile writes is read by the next.
// CHECK-LABEL: @shifted
// CHECK: memref.alloca
func.func @shifted(%A: memref<?xf32>, %i: index, %j: index, %p: f32) {
  %0 = vector.transfer_read %A[%i], %p : memref<?xf32>, vector<32xf32>
  vector.transfer_write %0, %A[%j] : vector<32xf32>, memref<?xf32>
  func.return
}

// A stride of 0: the tiles share their cells.
// CHECK-LABEL: @one_cell
// CHECK: memref.alloca
func.func @one_cell(%A: memref<8x8xf32, strided<[0, 1]>>, %i: index, %p: f32) {
  %0 = vector.transfer_read %A[%i, %i], %p : memref<8x8xf32, strided<[0, 1]>>, vector<8x8xf32>
  %1 = arith.addf %0, %0 : vector<8x8xf32>
  vector.transfer_write %1, %A[%i, %i] : vector<8x8xf32>, memref<8x8xf32, strided<[0, 1]>>
  func.return
}

// A loop runs in each tile, which it carries.
// CHECK-LABEL: @tiled_loop
// CHECK-NOT: memref.alloca
// CHECK: scf.for %[[I:.*]] = {{.*}} {
// CHECK: %[[S:.*]] = scf.for %k = %i to %n step %n iter_args(%[[V:.*]] = %{{.*}}) -> (vector<16xf32>) {
// CHECK: vector.transfer_read %A[%k, %{{.*}}]
// CHECK: arith.addf %[[V]]
// CHECK: scf.yield %{{.*}} : vector<16xf32>
// CHECK: vector.transfer_write %[[S]], %B
func.func @tiled_loop(%A: memref<?x?xf32>, %B: memref<?xf32> {llvm.noalias}, %i: index, %n: index, %p: f32) {
  %0 = arith.constant dense<0.0> : vector<32xf32>
  %1 = scf.for %k = %i to %n step %n iter_args(%2 = %0) -> (vector<32xf32>) {
    %3 = vector.transfer_read %A[%k, %i], %p : memref<?x?xf32>, vector<32xf32>
    %4 = arith.addf %2, %3 : vector<32xf32>
    scf.yield %4 : vector<32xf32>
  }
  vector.transfer_write %1, %B[%i] : vector<32xf32>, memref<?xf32>
  func.return
}

// Not a loop that writes other cells in each iteration: it carries a buffer.
// CHECK-LABEL: @moving_writes
// CHECK: %[[M:.*]] = memref.alloca
// CHECK: scf.for %k = %i to %n step %n {
// CHECK: scf.for
// CHECK: %[[X:.*]] = vector.transfer_read %[[M]]
// CHECK: vector.transfer_write %{{.*}}, %B[%k, %{{.*}}]
// CHECK: vector.transfer_write %{{.*}}, %[[M]]
func.func @moving_writes(%B: memref<?x?xf32>, %i: index, %n: index) {
  %0 = arith.constant dense<1.0> : vector<32xf32>
  %1 = scf.for %k = %i to %n step %n iter_args(%2 = %0) -> (vector<32xf32>) {
    %4 = arith.addf %2, %2 : vector<32xf32>
    vector.transfer_write %4, %B[%k, %i] : vector<32xf32>, memref<?x?xf32>
    scf.yield %4 : vector<32xf32>
  }
  func.return
}

// A transpose is a transfer from a buffer along another map.
// CHECK-LABEL: @transpose
// CHECK: vector.transfer_read %{{.*}} {in_bounds = [true, true], permutation_map = affine_map<(d0, d1) -> (d1, d0)>} : memref<8x4xf32>, vector<{{.*}}xf32>
// CHECK-NOT: vector.transpose
func.func @transpose(%A: memref<8x4xf32>, %B: memref<4x8xf32>, %i: index) {
  %0 = vector.load %A[%i, %i] : memref<8x4xf32>, vector<8x4xf32>
  %1 = vector.transpose %0, [1, 0] : vector<8x4xf32> to vector<4x8xf32>
  vector.store %1, %B[%i, %i] : memref<4x8xf32>, vector<4x8xf32>
  func.return
}

// More than 64 KiB of buffers come from the heap, and go back.
// CHECK-LABEL: @heap
// CHECK: %[[M:.*]] = memref.alloc() {alignment = 64 : i64} : memref<32x1024xf32>
// CHECK: memref.dealloc %[[M]]
// CHECK-NEXT: func.return
func.func @heap(%A: memref<?x?xf32>, %B: memref<?x?xf32>, %i: index, %p: f32) {
  %0 = vector.transfer_read %A[%i, %i], %p : memref<?x?xf32>, vector<32x1024xf32>
  vector.transfer_write %0, %B[%i, %i] : vector<32x1024xf32>, memref<?x?xf32>
  func.return
}

// A reduction in order: each part goes on from the sum of those before.
// CHECK-LABEL: @reduction
// CHECK: %[[F:.*]] = vector.reduction <add>, %{{.*}}, %s : vector<16xf32> into f32
// CHECK: %[[L:.*]] = scf.for {{.*}} iter_args(%[[A:.*]] = %[[F]]) -> (f32) {
// CHECK: vector.reduction <add>, %{{.*}}, %[[A]] : vector<16xf32> into f32
// CHECK: vector.reduction <add>, %{{.*}}, %[[L]] : vector<1xf32> into f32
// In any order: a vector of the target is carried.
// CHECK: scf.for {{.*}} -> (vector<4xi32>) {
// CHECK: arith.maxsi
// CHECK: vector.reduction <maxsi>, %{{.*}} : vector<4xi32> into i32
func.func @reduction(%A: memref<?xf32>, %B: memref<?xi32>, %i: index, %s: f32) -> (f32, i32) {
  %0 = vector.load %A[%i] : memref<?xf32>, vector<33xf32>
  %1 = vector.reduction <add>, %0, %s : vector<33xf32> into f32
  %2 = vector.load %B[%i] : memref<?xi32>, vector<32xi32>
  %3 = vector.reduction <maxsi>, %2 : vector<32xi32> into i32
  func.return %1, %3 : f32, i32
}

// Does not fire: vectors that are small enough.
// CHECK-LABEL: @small
// CHECK-NEXT: vector.transfer_read %A[%i], %p : memref<?xf32>, vector<16xf32>
// CHECK-NEXT: vector.reduction <add>, %{{.*}} : vector<16xf32> into f32
// CHECK-NEXT: vector.transfer_write
func.func @small(%A: memref<?xf32>, %i: index, %p: f32) -> f32 {
  %0 = vector.transfer_read %A[%i], %p : memref<?xf32>, vector<16xf32>
  %2 = vector.reduction <add>, %0 : vector<16xf32> into f32
  vector.transfer_write %0, %A[%i] : vector<16xf32>, memref<?xf32>
  func.return %2 : f32
}
