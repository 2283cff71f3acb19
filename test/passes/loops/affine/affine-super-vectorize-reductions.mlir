// RUN: snippets-opt %s -p 'affine-super-vectorize{virtual-vector-size=8 vectorize-reductions=true}' | filecheck %s
// RUN: snippets-opt %s -p 'affine-super-vectorize{virtual-vector-size=8 vectorize-reductions=true}' | snippets-opt - | filecheck %s

// The loop is a multiple of 8 long: no mask. It starts with the neutral element, which is no
// operand of the end.
// CHECK-LABEL: func.func @whole(
// CHECK-NEXT: %zero = arith.constant 0.000000e+00 : f32
// CHECK-NEXT: %[[V0:.*]] = arith.constant dense<0.000000e+00> : vector<8xf32>
// CHECK-NEXT: %s = affine.for %i = 0 to 64 step 8 iter_args(%acc = %[[V0]]) -> (vector<8xf32>) {
// CHECK-NEXT: %[[V1:.*]] = ub.poison : f32
// CHECK-NEXT: %a = vector.transfer_read %A[%i], %[[V1]] {in_bounds = [true]} : memref<64xf32>, vector<8xf32>
// CHECK-NEXT: %n = arith.addf %acc, %a : vector<8xf32>
// CHECK-NEXT: affine.yield %n : vector<8xf32>
// CHECK-NEXT: }
// CHECK-NEXT: %s_1 = vector.reduction <add>, %s : vector<8xf32> into f32
func.func @whole(%A: memref<64xf32>) -> f32 {
  %zero = arith.constant 0.0 : f32
  %s = affine.for %i = 0 to 64 iter_args(%acc = %zero) -> (f32) {
    %a = affine.load %A[%i] : memref<64xf32>
    %n = arith.addf %acc, %a : f32
    affine.yield %n : f32
  }
  func.return %s : f32
}

// Lanes past the end add -0.0, which changes no sum, -0.0 neither.
// CHECK-LABEL: func.func @masked(
// CHECK-NEXT: %[[V0:.*]] = arith.constant dense<-0.000000e+00> : vector<8xf32>
// CHECK-NEXT: %s = affine.for %i = 0 to %size step 8 iter_args(%acc = %[[V0]]) -> (vector<8xf32>) {
// CHECK-NEXT: %[[V1:.*]] = affine.apply affine_map<(d0)[s0] -> (((d0 * -1) + s0))>(%i)[%size]
// CHECK-NEXT: %[[V2:.*]] = vector.create_mask %[[V1]] : vector<8xi1>
// CHECK-NEXT: %[[V3:.*]] = ub.poison : f32
// CHECK-NEXT: %a = vector.transfer_read %A[%i], %[[V3]] : memref<?xf32>, vector<8xf32>
// CHECK-NEXT: %[[V4:.*]] = arith.select %[[V2]], %a, %[[V0]] : vector<8xi1>, vector<8xf32>
// CHECK-NEXT: %n = arith.addf %[[V4]], %acc : vector<8xf32>
// CHECK-NEXT: affine.yield %n : vector<8xf32>
// CHECK-NEXT: }
// CHECK-NEXT: %[[V5:.*]] = vector.reduction <add>, %s : vector<8xf32> into f32
// CHECK-NEXT: %s_1 = arith.addf %[[V5]], %x : f32
func.func @masked(%A: memref<?xf32>, %size: index, %x: f32) -> f32 {
  %s = affine.for %i = 0 to %size iter_args(%acc = %x) -> (f32) {
    %a = affine.load %A[%i] : memref<?xf32>
    %n = arith.addf %a, %acc : f32
    affine.yield %n : f32
  }
  func.return %s : f32
}

// Several at once, one mask; a constant that is reduced becomes a vector in the loop.
// CHECK-LABEL: func.func @several(
// CHECK-NEXT: %one = arith.constant 1 : i32
// CHECK-NEXT: %[[V0:.*]] = arith.constant dense<2147483647> : vector<8xi32>
// CHECK-NEXT: %[[V1:.*]] = arith.constant dense<-2147483648> : vector<8xi32>
// CHECK-NEXT: %[[V2:.*]] = arith.constant dense<0> : vector<8xi32>
// CHECK-NEXT: %m, %m_1, %m_2 = affine.for %i = 0 to 60 step 8 iter_args(%lo = %[[V0]], %hi = %[[V1]], %count = %[[V2]]) -> (vector<8xi32>, vector<8xi32>, vector<8xi32>) {
// CHECK-NEXT: %[[V3:.*]] = arith.constant dense<1> : vector<8xi32>
// CHECK-NEXT: %[[V4:.*]] = affine.apply affine_map<(d0) -> (((d0 * -1) + 60))>(%i)
// CHECK-NEXT: %[[V5:.*]] = vector.create_mask %[[V4]] : vector<8xi1>
// CHECK-NEXT: %[[V6:.*]] = ub.poison : i32
// CHECK-NEXT: %a = vector.transfer_read %A[%i], %[[V6]] : memref<60xi32>, vector<8xi32>
// CHECK-NEXT: %[[V7:.*]] = arith.select %[[V5]], %a, %[[V0]] : vector<8xi1>, vector<8xi32>
// CHECK-NEXT: %[[V8:.*]] = arith.minsi %lo, %[[V7]] : vector<8xi32>
// CHECK-NEXT: %[[V9:.*]] = arith.select %[[V5]], %a, %[[V1]] : vector<8xi1>, vector<8xi32>
// CHECK-NEXT: %[[V10:.*]] = arith.maxsi %hi, %[[V9]] : vector<8xi32>
// CHECK-NEXT: %[[V11:.*]] = arith.select %[[V5]], %[[V3]], %[[V2]] : vector<8xi1>, vector<8xi32>
// CHECK-NEXT: %[[V12:.*]] = arith.addi %count, %[[V11]] : vector<8xi32>
// CHECK-NEXT: affine.yield %[[V8]], %[[V10]], %[[V12]] : vector<8xi32>, vector<8xi32>, vector<8xi32>
// CHECK-NEXT: }
// CHECK-NEXT: %[[V13:.*]] = vector.reduction <minsi>, %m : vector<8xi32> into i32
// CHECK-NEXT: %m_3 = arith.minsi %[[V13]], %x : i32
// CHECK-NEXT: %[[V14:.*]] = vector.reduction <maxsi>, %m_1 : vector<8xi32> into i32
// CHECK-NEXT: %m_4 = arith.maxsi %[[V14]], %x : i32
// CHECK-NEXT: %[[V15:.*]] = vector.reduction <add>, %m_2 : vector<8xi32> into i32
// CHECK-NEXT: %m_5 = arith.addi %[[V15]], %x : i32
func.func @several(%A: memref<60xi32>, %x: i32) -> (i32, i32, i32) {
  %one = arith.constant 1 : i32
  %m:3 = affine.for %i = 0 to 60 iter_args(%lo = %x, %hi = %x, %count = %x) -> (i32, i32, i32) {
    %a = affine.load %A[%i] : memref<60xi32>
    %0 = arith.minsi %lo, %a : i32
    %1 = arith.maxsi %hi, %a : i32
    %2 = arith.addi %count, %one : i32
    affine.yield %0, %1, %2 : i32, i32, i32
  }
  func.return %m#0, %m#1, %m#2 : i32, i32, i32
}

// Every kind with its neutral element.
// CHECK-LABEL: func.func @floats(
// CHECK-NEXT: %[[V0:.*]] = arith.constant dense<1.000000e+00> : vector<8xf32>
// CHECK-NEXT: %[[V1:.*]] = arith.constant dense<0x7f800000> : vector<8xf32>
// CHECK-NEXT: %[[V2:.*]] = arith.constant dense<0xff800000> : vector<8xf32>
// CHECK-NEXT: %[[V3:.*]] = arith.constant dense<[0x7fc00000, 0x7fc00000, 0x7fc00000, 0x7fc00000, 0x7fc00000, 0x7fc00000, 0x7fc00000, 0x7fc00000]> : vector<8xf32>
// CHECK-NEXT: %[[V4:.*]] = arith.constant dense<[0xffc00000, 0xffc00000, 0xffc00000, 0xffc00000, 0xffc00000, 0xffc00000, 0xffc00000, 0xffc00000]> : vector<8xf32>
// CHECK-NEXT: %m, %m_1, %m_2, %m_3, %m_4 = affine.for %i = 0 to 64 step 8 iter_args(%a = %[[V0]], %b = %[[V1]], %c = %[[V2]], %d = %[[V3]], %e = %[[V4]]) -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>) {
// CHECK-NEXT: %[[V5:.*]] = ub.poison : f32
// CHECK-NEXT: %v = vector.transfer_read %A[%i], %[[V5]] {in_bounds = [true]} : memref<64xf32>, vector<8xf32>
// CHECK-NEXT: %[[V6:.*]] = arith.mulf %a, %v : vector<8xf32>
// CHECK-NEXT: %[[V7:.*]] = arith.minimumf %b, %v : vector<8xf32>
// CHECK-NEXT: %[[V8:.*]] = arith.maximumf %c, %v : vector<8xf32>
// CHECK-NEXT: %[[V9:.*]] = arith.minnumf %d, %v : vector<8xf32>
// CHECK-NEXT: %[[V10:.*]] = arith.maxnumf %e, %v : vector<8xf32>
// CHECK-NEXT: affine.yield %[[V6]], %[[V7]], %[[V8]], %[[V9]], %[[V10]] : vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>
// CHECK-NEXT: }
// CHECK-NEXT: %[[V11:.*]] = vector.reduction <mul>, %m : vector<8xf32> into f32
// CHECK-NEXT: %m_5 = arith.mulf %[[V11]], %x : f32
// CHECK-NEXT: %[[V12:.*]] = vector.reduction <minimumf>, %m_1 : vector<8xf32> into f32
// CHECK-NEXT: %m_6 = arith.minimumf %[[V12]], %x : f32
// CHECK-NEXT: %[[V13:.*]] = vector.reduction <maximumf>, %m_2 : vector<8xf32> into f32
// CHECK-NEXT: %m_7 = arith.maximumf %[[V13]], %x : f32
// CHECK-NEXT: %[[V14:.*]] = vector.reduction <minnumf>, %m_3 : vector<8xf32> into f32
// CHECK-NEXT: %m_8 = arith.minnumf %[[V14]], %x : f32
// CHECK-NEXT: %[[V15:.*]] = vector.reduction <maxnumf>, %m_4 : vector<8xf32> into f32
// CHECK-NEXT: %m_9 = arith.maxnumf %[[V15]], %x : f32
func.func @floats(%A: memref<64xf32>, %x: f32) -> (f32, f32, f32, f32, f32) {
  %m:5 = affine.for %i = 0 to 64 iter_args(%a = %x, %b = %x, %c = %x, %d = %x, %e = %x) -> (f32, f32, f32, f32, f32) {
    %v = affine.load %A[%i] : memref<64xf32>
    %0 = arith.mulf %a, %v : f32
    %1 = arith.minimumf %b, %v : f32
    %2 = arith.maximumf %c, %v : f32
    %3 = arith.minnumf %d, %v : f32
    %4 = arith.maxnumf %e, %v : f32
    affine.yield %0, %1, %2, %3, %4 : f32, f32, f32, f32, f32
  }
  func.return %m#0, %m#1, %m#2, %m#3, %m#4 : f32, f32, f32, f32, f32
}
// CHECK-LABEL: func.func @integers(
// CHECK-NEXT: %[[V0:.*]] = arith.constant dense<1> : vector<8xi8>
// CHECK-NEXT: %[[V1:.*]] = arith.constant dense<-1> : vector<8xi8>
// CHECK-NEXT: %[[V2:.*]] = arith.constant dense<0> : vector<8xi8>
// CHECK-NEXT: %[[V3:.*]] = arith.constant dense<0> : vector<8xi8>
// CHECK-NEXT: %[[V4:.*]] = arith.constant dense<127> : vector<8xi8>
// CHECK-NEXT: %[[V5:.*]] = arith.constant dense<-128> : vector<8xi8>
// CHECK-NEXT: %[[V6:.*]] = arith.constant dense<-1> : vector<8xi8>
// CHECK-NEXT: %[[V7:.*]] = arith.constant dense<0> : vector<8xi8>
// CHECK-NEXT: %m, %m_1, %m_2, %m_3, %m_4, %m_5, %m_6, %m_7 = affine.for %i = 0 to 64 step 8 iter_args(%a = %[[V0]], %b = %[[V1]], %c = %[[V2]], %d = %[[V3]], %e = %[[V4]], %f = %[[V5]], %g = %[[V6]], %h = %[[V7]]) -> (vector<8xi8>, vector<8xi8>, vector<8xi8>, vector<8xi8>, vector<8xi8>, vector<8xi8>, vector<8xi8>, vector<8xi8>) {
// CHECK-NEXT: %[[V8:.*]] = ub.poison : i8
// CHECK-NEXT: %v = vector.transfer_read %A[%i], %[[V8]] {in_bounds = [true]} : memref<64xi8>, vector<8xi8>
// CHECK-NEXT: %[[V9:.*]] = arith.muli %a, %v : vector<8xi8>
// CHECK-NEXT: %[[V10:.*]] = arith.andi %b, %v : vector<8xi8>
// CHECK-NEXT: %[[V11:.*]] = arith.ori %c, %v : vector<8xi8>
// CHECK-NEXT: %[[V12:.*]] = arith.xori %d, %v : vector<8xi8>
// CHECK-NEXT: %[[V13:.*]] = arith.minsi %e, %v : vector<8xi8>
// CHECK-NEXT: %[[V14:.*]] = arith.maxsi %f, %v : vector<8xi8>
// CHECK-NEXT: %[[V15:.*]] = arith.minui %g, %v : vector<8xi8>
// CHECK-NEXT: %[[V16:.*]] = arith.maxui %h, %v : vector<8xi8>
// CHECK-NEXT: affine.yield %[[V9]], %[[V10]], %[[V11]], %[[V12]], %[[V13]], %[[V14]], %[[V15]], %[[V16]] : vector<8xi8>, vector<8xi8>, vector<8xi8>, vector<8xi8>, vector<8xi8>, vector<8xi8>, vector<8xi8>, vector<8xi8>
// CHECK-NEXT: }
// CHECK-NEXT: %[[V17:.*]] = vector.reduction <mul>, %m : vector<8xi8> into i8
// CHECK-NEXT: %m_8 = arith.muli %[[V17]], %x : i8
// CHECK-NEXT: %[[V18:.*]] = vector.reduction <and>, %m_1 : vector<8xi8> into i8
// CHECK-NEXT: %m_9 = arith.andi %[[V18]], %x : i8
// CHECK-NEXT: %[[V19:.*]] = vector.reduction <or>, %m_2 : vector<8xi8> into i8
// CHECK-NEXT: %m_10 = arith.ori %[[V19]], %x : i8
// CHECK-NEXT: %[[V20:.*]] = vector.reduction <xor>, %m_3 : vector<8xi8> into i8
// CHECK-NEXT: %m_11 = arith.xori %[[V20]], %x : i8
// CHECK-NEXT: %[[V21:.*]] = vector.reduction <minsi>, %m_4 : vector<8xi8> into i8
// CHECK-NEXT: %m_12 = arith.minsi %[[V21]], %x : i8
// CHECK-NEXT: %[[V22:.*]] = vector.reduction <maxsi>, %m_5 : vector<8xi8> into i8
// CHECK-NEXT: %m_13 = arith.maxsi %[[V22]], %x : i8
// CHECK-NEXT: %[[V23:.*]] = vector.reduction <minui>, %m_6 : vector<8xi8> into i8
// CHECK-NEXT: %m_14 = arith.minui %[[V23]], %x : i8
// CHECK-NEXT: %[[V24:.*]] = vector.reduction <maxui>, %m_7 : vector<8xi8> into i8
// CHECK-NEXT: %m_15 = arith.maxui %[[V24]], %x : i8
func.func @integers(%A: memref<64xi8>, %x: i8) -> (i8, i8, i8, i8, i8, i8, i8, i8) {
  %m:8 = affine.for %i = 0 to 64 iter_args(%a = %x, %b = %x, %c = %x, %d = %x, %e = %x, %f = %x, %g = %x, %h = %x) -> (i8, i8, i8, i8, i8, i8, i8, i8) {
    %v = affine.load %A[%i] : memref<64xi8>
    %0 = arith.muli %a, %v : i8
    %1 = arith.andi %b, %v : i8
    %2 = arith.ori %c, %v : i8
    %3 = arith.xori %d, %v : i8
    %4 = arith.minsi %e, %v : i8
    %5 = arith.maxsi %f, %v : i8
    %6 = arith.minui %g, %v : i8
    %7 = arith.maxui %h, %v : i8
    affine.yield %0, %1, %2, %3, %4, %5, %6, %7 : i8, i8, i8, i8, i8, i8, i8, i8
  }
  func.return %m#0, %m#1, %m#2, %m#3, %m#4, %m#5, %m#6, %m#7 : i8, i8, i8, i8, i8, i8, i8, i8
}

// Not reductions: a difference, a sum with itself, a value that is handed on, partial sums that are
// stored, and one that is used twice. Nor is a step of 2.
// CHECK-LABEL: func.func @difference(
// CHECK-NEXT: %s = affine.for %i = 0 to 64 iter_args(%acc = %x) -> (f32) {
// CHECK-NEXT: %a = affine.load %A[%i] : memref<64xf32>
// CHECK-NEXT: %n = arith.subf %acc, %a : f32
// CHECK-NEXT: affine.yield %n : f32
// CHECK-NEXT: }
func.func @difference(%A: memref<64xf32>, %x: f32) -> f32 {
  %s = affine.for %i = 0 to 64 iter_args(%acc = %x) -> (f32) {
    %a = affine.load %A[%i] : memref<64xf32>
    %n = arith.subf %acc, %a : f32
    affine.yield %n : f32
  }
  func.return %s : f32
}
// CHECK-LABEL: func.func @with_itself(
// CHECK-NEXT: %s = affine.for %i = 0 to 64 iter_args(%acc = %x) -> (f32) {
// CHECK-NEXT: %n = arith.addf %acc, %acc : f32
// CHECK-NEXT: affine.yield %n : f32
// CHECK-NEXT: }
func.func @with_itself(%x: f32) -> f32 {
  %s = affine.for %i = 0 to 64 iter_args(%acc = %x) -> (f32) {
    %n = arith.addf %acc, %acc : f32
    affine.yield %n : f32
  }
  func.return %s : f32
}
// CHECK-LABEL: func.func @last_value(
// CHECK-NEXT: %s = affine.for %i = 0 to 64 iter_args(%acc = %x) -> (f32) {
// CHECK-NEXT: %a = affine.load %A[%i] : memref<64xf32>
// CHECK-NEXT: affine.yield %a : f32
// CHECK-NEXT: }
func.func @last_value(%A: memref<64xf32>, %x: f32) -> f32 {
  %s = affine.for %i = 0 to 64 iter_args(%acc = %x) -> (f32) {
    %a = affine.load %A[%i] : memref<64xf32>
    affine.yield %a : f32
  }
  func.return %s : f32
}
// CHECK-LABEL: func.func @prefix_sums(
// CHECK-NEXT: %s = affine.for %i = 0 to 64 iter_args(%acc = %x) -> (f32) {
// CHECK-NEXT: %a = affine.load %A[%i] : memref<64xf32>
// CHECK-NEXT: %n = arith.addf %acc, %a : f32
// CHECK-NEXT: affine.store %n, %B[%i] : memref<64xf32>
// CHECK-NEXT: affine.yield %n : f32
// CHECK-NEXT: }
func.func @prefix_sums(%A: memref<64xf32>, %B: memref<64xf32>, %x: f32) {
  %s = affine.for %i = 0 to 64 iter_args(%acc = %x) -> (f32) {
    %a = affine.load %A[%i] : memref<64xf32>
    %n = arith.addf %acc, %a : f32
    affine.store %n, %B[%i] : memref<64xf32>
    affine.yield %n : f32
  }
  func.return
}
// CHECK-LABEL: func.func @step(
// CHECK-NEXT: %s = affine.for %i = 0 to 64 step 2 iter_args(%acc = %x) -> (f32) {
// CHECK-NEXT: %a = affine.load %A[%i] : memref<64xf32>
// CHECK-NEXT: %n = arith.addf %acc, %a : f32
// CHECK-NEXT: affine.yield %n : f32
// CHECK-NEXT: }
func.func @step(%A: memref<64xf32>, %x: f32) -> f32 {
  %s = affine.for %i = 0 to 64 step 2 iter_args(%acc = %x) -> (f32) {
    %a = affine.load %A[%i] : memref<64xf32>
    %n = arith.addf %acc, %a : f32
    affine.yield %n : f32
  }
  func.return %s : f32
}

// The rows' sums stay scalar loops of vectors when the reduction is an outer loop.
// CHECK-LABEL: func.func @outer(
// CHECK-NEXT: %[[V0:.*]] = vector.broadcast %x : f32 to vector<8xf32>
// CHECK-NEXT: %[[V1:.*]] = arith.constant dense<-0.000000e+00> : vector<8xf32>
// CHECK-NEXT: %s = affine.for %i = 0 to 64 step 8 iter_args(%acc = %[[V1]]) -> (vector<8xf32>) {
// CHECK-NEXT: %t = affine.for %k = 0 to 32 iter_args(%part = %[[V0]]) -> (vector<8xf32>) {
// CHECK-NEXT: %[[V2:.*]] = ub.poison : f32
// CHECK-NEXT: %a = vector.transfer_read %A[%k, %i], %[[V2]] {in_bounds = [true]} : memref<32x64xf32>, vector<8xf32>
// CHECK-NEXT: %m = arith.mulf %part, %a : vector<8xf32>
// CHECK-NEXT: %m2 = arith.subf %m, %a : vector<8xf32>
// CHECK-NEXT: affine.yield %m2 : vector<8xf32>
// CHECK-NEXT: }
// CHECK-NEXT: %n = arith.addf %acc, %t : vector<8xf32>
// CHECK-NEXT: affine.yield %n : vector<8xf32>
// CHECK-NEXT: }
// CHECK-NEXT: %[[V3:.*]] = vector.reduction <add>, %s : vector<8xf32> into f32
// CHECK-NEXT: %s_1 = arith.addf %[[V3]], %x : f32
func.func @outer(%A: memref<32x64xf32>, %x: f32) -> f32 {
  %s = affine.for %i = 0 to 64 iter_args(%acc = %x) -> (f32) {
    %t = affine.for %k = 0 to 32 iter_args(%part = %x) -> (f32) {
      %a = affine.load %A[%k, %i] : memref<32x64xf32>
      %m = arith.mulf %part, %a : f32
      %m2 = arith.subf %m, %a : f32
      affine.yield %m2 : f32
    }
    %n = arith.addf %acc, %t : f32
    affine.yield %n : f32
  }
  func.return %s : f32
}

// A masked sum of what the loop before it gives, which is vectorized first.
// CHECK-LABEL: func.func @of_a_result(
// CHECK: %[[M:.*]] = vector.reduction <maximumf>, %m : vector<8xf32> into f32
// CHECK: affine.for %j = 0 to 6 step 8
// CHECK: arith.select %{{.*}}, %{{.*}}, %{{.*}} : vector<8xi1>, vector<8xf32>
// CHECK: vector.reduction <add>
func.func @of_a_result(%x: f32) -> f32 {
  %m = affine.for %i = 0 to 8 iter_args(%acc = %x) -> (f32) {
    %n = arith.maximumf %acc, %x : f32
    affine.yield %n : f32
  }
  %s = affine.for %j = 0 to 6 iter_args(%acc = %x) -> (f32) {
    %n = arith.addf %acc, %m : f32
    affine.yield %n : f32
  }
  func.return %s : f32
}
