// RUN: snippets-opt %s -p vector-unroll{lanes=4} --split-input-file --verify-diagnostics | filecheck %s

// Rows of two dimensions, and parts of a long row; the last one is shorter.
// CHECK-LABEL: @elementwise
// CHECK: %[[A:.*]] = vector.transfer_read %A[%i, %i], %p {in_bounds = [true]} : memref<?x?xf32>, vector<4xf32>
// CHECK: %[[B:.*]] = vector.transfer_read %A[%i, %{{.*}}], %p {in_bounds = [true]} : memref<?x?xf32>, vector<2xf32>
// CHECK: arith.addf %[[A]], %[[A]] : vector<4xf32>
// CHECK-NEXT: arith.addf %[[B]], %[[B]] : vector<2xf32>
// CHECK-NEXT: arith.addf %{{.*}} : vector<4xf32>
// CHECK-NEXT: arith.addf %{{.*}} : vector<2xf32>
// CHECK-NOT: vector<2x6xf32>
func.func @elementwise(%A: memref<?x?xf32>, %i: index, %p: f32) {
  %0 = vector.transfer_read %A[%i, %i], %p {in_bounds = [true, true]} : memref<?x?xf32>, vector<2x6xf32>
  %1 = arith.addf %0, %0 : vector<2x6xf32>
  vector.transfer_write %1, %A[%i, %i] {in_bounds = [true, true]} : vector<2x6xf32>, memref<?x?xf32>
  func.return
}

// A transpose is shuffles of rows.
// CHECK-LABEL: @transpose
// CHECK: %[[A:.*]] = vector.load
// CHECK: %[[B:.*]] = vector.load
// CHECK-NEXT: vector.shuffle %[[A]], %[[B]] [0, 2] : vector<2xf32>, vector<2xf32>
// CHECK-NEXT: vector.shuffle %[[A]], %[[B]] [1, 3] : vector<2xf32>, vector<2xf32>
func.func @transpose(%A: memref<?x?xf32>, %i: index) {
  %0 = vector.load %A[%i, %i] : memref<?x?xf32>, vector<2x2xf32>
  %1 = vector.transpose %0, [1, 0] : vector<2x2xf32> to vector<2x2xf32>
  vector.store %1, %A[%i, %i] : memref<?x?xf32>, vector<2x2xf32>
  func.return
}

// Blocks carry all pieces.
// CHECK-LABEL: @blocks
// CHECK: cf.br ^bb1(%{{.*}}, %{{.*}} : vector<4xf32>, vector<4xf32>)
// CHECK: ^bb1(%[[X:.*]]: vector<4xf32>, %[[Y:.*]]: vector<4xf32>):
// CHECK-NEXT: cf.cond_br %c, ^bb1(%[[X]], %[[Y]] : vector<4xf32>, vector<4xf32>), ^bb2
func.func @blocks(%c: i1) {
  %0 = arith.constant dense<1.0> : vector<8xf32>
  cf.br ^bb1(%0 : vector<8xf32>)
^bb1(%1: vector<8xf32>):
  cf.cond_br %c, ^bb1(%1 : vector<8xf32>), ^bb2
^bb2:
  func.return
}

// Sums of floats keep their order unless they may be reassociated.
// CHECK-LABEL: @reductions
// CHECK: %[[R:.*]] = vector.reduction <add>, %{{.*}}, %s : vector<4xf32> into f32
// CHECK-NEXT: vector.reduction <add>, %{{.*}}, %[[R]] : vector<4xf32> into f32
// CHECK-NEXT: %[[S:.*]] = arith.addf %{{.*}} : vector<4xf32>
// CHECK-NEXT: vector.reduction <add>, %[[S]] fastmath<reassoc> : vector<4xf32> into f32
func.func @reductions(%s: f32) -> (f32, f32) {
  %0 = arith.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]> : vector<8xf32>
  %1 = vector.reduction <add>, %0, %s : vector<8xf32> into f32
  %2 = vector.reduction <add>, %0 fastmath<reassoc> : vector<8xf32> into f32
  func.return %1, %2 : f32, f32
}

// Does not fire: a row that fits.
// CHECK-LABEL: @fits
// CHECK-NEXT: arith.addf %a, %a : vector<4xf32>
func.func @fits(%a: vector<4xf32>) -> vector<4xf32> {
  %0 = arith.addf %a, %a : vector<4xf32>
  func.return %0 : vector<4xf32>
}

// -----

// expected-error @+1 {{expected no vectors of several dimensions, or longer than 4 elements, as arguments}}
func.func @argument(%a: vector<2x4xf32>) {
  func.return
}

// -----

func.func @without_row(%p: memref<2x4xf32>, %i: index) {
  %0 = vector.load %p[%i, %i] : memref<2x4xf32>, vector<2x4xf32>
  // expected-error @+1 {{'test.op' on vectors of several dimensions, or longer than 4 elements, cannot be taken apart}}
  "test.op"(%0) : (vector<2x4xf32>) -> ()
  func.return
}

// -----

// What is printed of a vector that is taken apart: its elements, and the texts between them.
// CHECK-LABEL: @prints
// CHECK: vector.print str "( "
// CHECK-NEXT: vector.print str "( "
// CHECK-NEXT: %[[A:.*]] = vector.extract %{{.*}}[0] : f32 from vector<2xf32>
// CHECK-NEXT: vector.print %[[A]] : f32 punctuation <no_punctuation>
// CHECK-NEXT: vector.print str ", "
// CHECK-NEXT: %[[B:.*]] = vector.extract %{{.*}}[1] : f32 from vector<2xf32>
// CHECK-NEXT: vector.print %[[B]] : f32 punctuation <no_punctuation>
// CHECK-NEXT: vector.print str " )"
// CHECK-NEXT: vector.print str " )"
// CHECK-NEXT: vector.print str "\0A"
// CHECK-NEXT: func.return
func.func @prints() {
  %0 = arith.constant dense<[[1.0, 2.0]]> : vector<1x2xf32>
  vector.print %0 : vector<1x2xf32>
  func.return
}
