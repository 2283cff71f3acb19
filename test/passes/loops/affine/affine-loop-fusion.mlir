// RUN: snippets-opt %s -p affine-loop-fusion | filecheck %s
// RUN: snippets-opt %s -p 'affine-loop-fusion{mode=producer}' | filecheck %s --check-prefix=PRODUCER
// RUN: snippets-opt %s -p 'affine-loop-fusion{mode=sibling}' | filecheck %s --check-prefix=SIBLING
// RUN: snippets-opt %s -p 'affine-loop-fusion{maximal=true}' | filecheck %s --check-prefix=MAXIMAL

// A producer and its consumer, two levels deep, over a constant and an allocation in between.
// CHECK-LABEL: func.func @producer(
// CHECK-NEXT: %T = memref.alloc() : memref<8x64xf32>
// CHECK-NEXT: %c = arith.constant 1.000000e+00 : f32
// CHECK-NEXT: %U = memref.alloc() : memref<8x64xf32>
// CHECK-NEXT: affine.for %i = 0 to 8 {
// CHECK-NEXT: affine.for %j = 0 to 64 {
// CHECK-NEXT: %[[V0:.*]] = affine.load %A[%i, %j] : memref<8x64xf32>
// CHECK-NEXT: affine.store %[[V0]], %T[%i, %j] : memref<8x64xf32>
// CHECK-NEXT: %[[V1:.*]] = affine.load %T[%i, %j] : memref<8x64xf32>
// CHECK-NEXT: %[[V2:.*]] = arith.addf %[[V1]], %c : f32
// CHECK-NEXT: affine.store %[[V2]], %U[%i, %j] : memref<8x64xf32>
// CHECK-NEXT: affine.store %[[V2]], %B[%i, %j] : memref<8x64xf32>
// CHECK-NEXT: }
// CHECK-NEXT: }
// SIBLING-LABEL: func.func @producer(
// SIBLING-NEXT: %T = memref.alloc() : memref<8x64xf32>
// SIBLING-NEXT: affine.for %i = 0 to 8 {
// SIBLING-NEXT: affine.for %j = 0 to 64 {
// SIBLING-NEXT: %[[V0:.*]] = affine.load %A[%i, %j] : memref<8x64xf32>
// SIBLING-NEXT: affine.store %[[V0]], %T[%i, %j] : memref<8x64xf32>
// SIBLING-NEXT: }
// SIBLING-NEXT: }
// SIBLING-NEXT: %c = arith.constant 1.000000e+00 : f32
// SIBLING-NEXT: %U = memref.alloc() : memref<8x64xf32>
// SIBLING-NEXT: affine.for %k = 0 to 8 {
// SIBLING-NEXT: affine.for %l = 0 to 64 {
// SIBLING-NEXT: %[[V1:.*]] = affine.load %T[%k, %l] : memref<8x64xf32>
// SIBLING-NEXT: %[[V2:.*]] = arith.addf %[[V1]], %c : f32
// SIBLING-NEXT: affine.store %[[V2]], %U[%k, %l] : memref<8x64xf32>
// SIBLING-NEXT: affine.store %[[V2]], %B[%k, %l] : memref<8x64xf32>
// SIBLING-NEXT: }
// SIBLING-NEXT: }
func.func @producer(%A: memref<8x64xf32>, %B: memref<8x64xf32>, %x: f32) {
  %T = memref.alloc() : memref<8x64xf32>
  affine.for %i = 0 to 8 {
    affine.for %j = 0 to 64 {
      %0 = affine.load %A[%i, %j] : memref<8x64xf32>
      affine.store %0, %T[%i, %j] : memref<8x64xf32>
    }
  }
  %c = arith.constant 1.0 : f32
  %U = memref.alloc() : memref<8x64xf32>
  affine.for %k = 0 to 8 {
    affine.for %l = 0 to 64 {
      %1 = affine.load %T[%k, %l] : memref<8x64xf32>
      %2 = arith.addf %1, %c : f32
      affine.store %2, %U[%k, %l] : memref<8x64xf32>
      affine.store %2, %B[%k, %l] : memref<8x64xf32>
    }
  }
  func.return
}

// Two loops that read the same.
// CHECK-LABEL: func.func @siblings(
// CHECK-NEXT: affine.for %i = 0 to %n {
// CHECK-NEXT: %[[V0:.*]] = affine.load %A[%i] : memref<?xf32>
// CHECK-NEXT: affine.store %[[V0]], %B[%i] : memref<?xf32>
// CHECK-NEXT: %[[V1:.*]] = affine.load %A[%i] : memref<?xf32>
// CHECK-NEXT: affine.store %[[V1]], %C[%i] : memref<?xf32>
// CHECK-NEXT: }
// PRODUCER-LABEL: func.func @siblings(
// PRODUCER-NEXT: affine.for %i = 0 to %n {
// PRODUCER-NEXT: %[[V0:.*]] = affine.load %A[%i] : memref<?xf32>
// PRODUCER-NEXT: affine.store %[[V0]], %B[%i] : memref<?xf32>
// PRODUCER-NEXT: }
// PRODUCER-NEXT: affine.for %j = 0 to %n {
// PRODUCER-NEXT: %[[V1:.*]] = affine.load %A[%j] : memref<?xf32>
// PRODUCER-NEXT: affine.store %[[V1]], %C[%j] : memref<?xf32>
// PRODUCER-NEXT: }
// SIBLING-LABEL: func.func @siblings(
// SIBLING-NEXT: affine.for %i = 0 to %n {
// SIBLING-NEXT: %[[V0:.*]] = affine.load %A[%i] : memref<?xf32>
// SIBLING-NEXT: affine.store %[[V0]], %B[%i] : memref<?xf32>
// SIBLING-NEXT: %[[V1:.*]] = affine.load %A[%i] : memref<?xf32>
// SIBLING-NEXT: affine.store %[[V1]], %C[%i] : memref<?xf32>
// SIBLING-NEXT: }
func.func @siblings(%A: memref<?xf32>, %B: memref<?xf32>, %C: memref<?xf32>, %n: index) {
  affine.for %i = 0 to %n {
    %0 = affine.load %A[%i] : memref<?xf32>
    affine.store %0, %B[%i] : memref<?xf32>
  }
  affine.for %j = 0 to %n {
    %1 = affine.load %A[%j] : memref<?xf32>
    affine.store %1, %C[%j] : memref<?xf32>
  }
  func.return
}

// Nothing in common: only with maximal.
// CHECK-LABEL: func.func @strangers(
// CHECK-NEXT: affine.for %i = 0 to 64 {
// CHECK-NEXT: affine.store %x, %A[%i] : memref<64xf32>
// CHECK-NEXT: }
// CHECK-NEXT: affine.for %j = 0 to 64 {
// CHECK-NEXT: affine.store %x, %B[%j] : memref<64xf32>
// CHECK-NEXT: }
// MAXIMAL-LABEL: func.func @strangers(
// MAXIMAL-NEXT: affine.for %i = 0 to 64 {
// MAXIMAL-NEXT: affine.store %x, %A[%i] : memref<64xf32>
// MAXIMAL-NEXT: affine.store %x, %B[%i] : memref<64xf32>
// MAXIMAL-NEXT: }
func.func @strangers(%A: memref<64xf32>, %B: memref<64xf32>, %x: f32) {
  affine.for %i = 0 to 64 {
    affine.store %x, %A[%i] : memref<64xf32>
  }
  affine.for %j = 0 to 64 {
    affine.store %x, %B[%j] : memref<64xf32>
  }
  func.return
}

// The second loop reads what the first writes one iteration later: never.
// CHECK-LABEL: func.func @ahead(
// CHECK-NEXT: affine.for %i = 0 to 64 {
// CHECK-NEXT: affine.store %x, %A[%i] : memref<65xf32>
// CHECK-NEXT: }
// CHECK-NEXT: affine.for %j = 0 to 64 {
// CHECK-NEXT: %[[V0:.*]] = affine.load %A[%j + 1] : memref<65xf32>
// CHECK-NEXT: affine.store %[[V0]], %B[%j] : memref<65xf32>
// CHECK-NEXT: }
// MAXIMAL-LABEL: func.func @ahead(
// MAXIMAL-NEXT: affine.for %i = 0 to 64 {
// MAXIMAL-NEXT: affine.store %x, %A[%i] : memref<65xf32>
// MAXIMAL-NEXT: }
// MAXIMAL-NEXT: affine.for %j = 0 to 64 {
// MAXIMAL-NEXT: %[[V0:.*]] = affine.load %A[%j + 1] : memref<65xf32>
// MAXIMAL-NEXT: affine.store %[[V0]], %B[%j] : memref<65xf32>
// MAXIMAL-NEXT: }
func.func @ahead(%A: memref<65xf32>, %B: memref<65xf32>, %x: f32) {
  affine.for %i = 0 to 64 {
    affine.store %x, %A[%i] : memref<65xf32>
  }
  affine.for %j = 0 to 64 {
    %0 = affine.load %A[%j + 1] : memref<65xf32>
    affine.store %0, %B[%j] : memref<65xf32>
  }
  func.return
}

// One iteration before, and in the same: right, but the fused loop is not parallel any more.
// CHECK-LABEL: func.func @after(
// CHECK-NEXT: affine.for %i = 1 to 64 {
// CHECK-NEXT: affine.store %x, %A[%i] : memref<65xf32>
// CHECK-NEXT: }
// CHECK-NEXT: affine.for %j = 1 to 64 {
// CHECK-NEXT: %[[V0:.*]] = affine.load %A[%j - 1] : memref<65xf32>
// CHECK-NEXT: %[[V1:.*]] = affine.load %A[%j] : memref<65xf32>
// CHECK-NEXT: %[[V2:.*]] = arith.addf %[[V0]], %[[V1]] : f32
// CHECK-NEXT: affine.store %[[V2]], %B[%j] : memref<65xf32>
// CHECK-NEXT: }
// MAXIMAL-LABEL: func.func @after(
// MAXIMAL-NEXT: affine.for %i = 1 to 64 {
// MAXIMAL-NEXT: affine.store %x, %A[%i] : memref<65xf32>
// MAXIMAL-NEXT: %[[V0:.*]] = affine.load %A[%i - 1] : memref<65xf32>
// MAXIMAL-NEXT: %[[V1:.*]] = affine.load %A[%i] : memref<65xf32>
// MAXIMAL-NEXT: %[[V2:.*]] = arith.addf %[[V0]], %[[V1]] : f32
// MAXIMAL-NEXT: affine.store %[[V2]], %B[%i] : memref<65xf32>
// MAXIMAL-NEXT: }
func.func @after(%A: memref<65xf32>, %B: memref<65xf32>, %x: f32) {
  affine.for %i = 1 to 64 {
    affine.store %x, %A[%i] : memref<65xf32>
  }
  affine.for %j = 1 to 64 {
    %0 = affine.load %A[%j - 1] : memref<65xf32>
    %1 = affine.load %A[%j] : memref<65xf32>
    %2 = arith.addf %0, %1 : f32
    affine.store %2, %B[%j] : memref<65xf32>
  }
  func.return
}

// The bounds differ; a loop carries a value; a call may do anything.
// CHECK-LABEL: func.func @refused(
// CHECK-NEXT: affine.for %i = 0 to 64 {
// CHECK-NEXT: affine.store %x, %A[%i] : memref<64xf32>
// CHECK-NEXT: }
// CHECK-NEXT: affine.for %j = 0 to 63 {
// CHECK-NEXT: %[[V0:.*]] = affine.load %A[%j] : memref<64xf32>
// CHECK-NEXT: affine.store %[[V0]], %B[%j] : memref<64xf32>
// CHECK-NEXT: }
// CHECK-NEXT: %s = affine.for %k = 0 to 64 iter_args(%a = %x) -> (f32) {
// CHECK-NEXT: %[[V1:.*]] = affine.load %A[%k] : memref<64xf32>
// CHECK-NEXT: %[[V2:.*]] = arith.addf %a, %[[V1]] : f32
// CHECK-NEXT: affine.yield %[[V2]] : f32
// CHECK-NEXT: }
// CHECK-NEXT: func.call @anything() : () -> ()
// CHECK-NEXT: affine.for %l = 0 to 64 {
// CHECK-NEXT: %[[V3:.*]] = affine.load %A[%l] : memref<64xf32>
// CHECK-NEXT: affine.store %[[V3]], %B[%l] : memref<64xf32>
// CHECK-NEXT: }
func.func @refused(%A: memref<64xf32>, %B: memref<64xf32>, %x: f32) -> f32 {
  affine.for %i = 0 to 64 {
    affine.store %x, %A[%i] : memref<64xf32>
  }
  affine.for %j = 0 to 63 {
    %0 = affine.load %A[%j] : memref<64xf32>
    affine.store %0, %B[%j] : memref<64xf32>
  }
  %s = affine.for %k = 0 to 64 iter_args(%a = %x) -> (f32) {
    %1 = affine.load %A[%k] : memref<64xf32>
    %2 = arith.addf %a, %1 : f32
    affine.yield %2 : f32
  }
  func.call @anything() : () -> ()
  affine.for %l = 0 to 64 {
    %3 = affine.load %A[%l] : memref<64xf32>
    affine.store %3, %B[%l] : memref<64xf32>
  }
  func.return %s : f32
}
func.func private @anything()

// What stands in between reads the result of the first loop, so the second moves up.
// CHECK-LABEL: func.func @between(
// CHECK-NEXT: affine.for %i = 0 to 64 {
// CHECK-NEXT: affine.store %x, %A[%i] : memref<64xf32>
// CHECK-NEXT: %[[V0:.*]] = affine.load %A[%i] : memref<64xf32>
// CHECK-NEXT: affine.store %[[V0]], %B[%i] : memref<64xf32>
// CHECK-NEXT: }
// CHECK-NEXT: affine.for %m = 0 to 8 {
// CHECK-NEXT: %[[V1:.*]] = affine.load %A[%m] : memref<64xf32>
// CHECK-NEXT: affine.store %[[V1]], %C[%m] : memref<64xf32>
// CHECK-NEXT: }
func.func @between(%A: memref<64xf32>, %B: memref<64xf32>, %C: memref<64xf32>, %x: f32) {
  affine.for %i = 0 to 64 {
    affine.store %x, %A[%i] : memref<64xf32>
  }
  affine.for %m = 0 to 8 {
    %0 = affine.load %A[%m] : memref<64xf32>
    affine.store %0, %C[%m] : memref<64xf32>
  }
  affine.for %j = 0 to 64 {
    %1 = affine.load %A[%j] : memref<64xf32>
    affine.store %1, %B[%j] : memref<64xf32>
  }
  func.return
}

// It changes what the second loop reads, and reads what the first writes: neither can pass.
// CHECK-LABEL: func.func @blocked(
// CHECK-NEXT: affine.for %i = 0 to 64 {
// CHECK-NEXT: affine.store %x, %A[%i] : memref<64xf32>
// CHECK-NEXT: }
// CHECK-NEXT: affine.for %m = 0 to 8 {
// CHECK-NEXT: %[[V0:.*]] = affine.load %A[%m] : memref<64xf32>
// CHECK-NEXT: affine.store %[[V0]], %C[%m] : memref<64xf32>
// CHECK-NEXT: }
// CHECK-NEXT: affine.for %j = 0 to 64 {
// CHECK-NEXT: %[[V1:.*]] = affine.load %A[%j] : memref<64xf32>
// CHECK-NEXT: %[[V2:.*]] = affine.load %C[%j] : memref<64xf32>
// CHECK-NEXT: affine.store %[[V2]], %B[%j] : memref<64xf32>
// CHECK-NEXT: }
func.func @blocked(%A: memref<64xf32>, %B: memref<64xf32>, %C: memref<64xf32>, %x: f32) {
  affine.for %i = 0 to 64 {
    affine.store %x, %A[%i] : memref<64xf32>
  }
  affine.for %m = 0 to 8 {
    %0 = affine.load %A[%m] : memref<64xf32>
    affine.store %0, %C[%m] : memref<64xf32>
  }
  affine.for %j = 0 to 64 {
    %1 = affine.load %A[%j] : memref<64xf32>
    %2 = affine.load %C[%j] : memref<64xf32>
    affine.store %2, %B[%j] : memref<64xf32>
  }
  func.return
}
