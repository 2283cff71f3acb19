// RUN: snippets-opt %s | snippets-opt - | filecheck %s
// RUN: snippets-opt --mlir-print-op-generic %s | snippets-opt - | filecheck %s

// CHECK-LABEL: @loops
func.func @loops(%A: memref<?x?xf32>, %i: index, %n: index, %x: f32) -> f32 {
  // CHECK-NEXT: affine.for %k = 0 to %n {
  affine.for %k = 0 to %n {
    // CHECK-NEXT: affine.for %j = max affine_map<(d0)[s0] -> (d0, s0)>(%k)[%n] to min affine_map<(d0)[s0] -> ((d0 + 8), s0)>(%k)[%n] step 2 {
    affine.for %j = max affine_map<(d0)[s0] -> (d0, s0)>(%k)[%n] to min affine_map<(d0)[s0] -> (d0 + 8, s0)>(%k)[%n] step 2 {
      // CHECK-NEXT: %0 = affine.load %A[%k + symbol(%n) * 2, %j floordiv 2 - 3] : memref<?x?xf32>
      %0 = affine.load %A[%k + symbol(%n) * 2, %j floordiv 2 - 3] : memref<?x?xf32>
      // CHECK-NEXT: affine.store %0, %A[(%k + %j) mod 3, %j * -1 + 7] {foo} : memref<?x?xf32>
      affine.store %0, %A[(%k + %j) mod 3, -%j + 7] {foo} : memref<?x?xf32>
      // CHECK-NEXT: affine.if affine_set<(d0)[s0] : ((d0 + -2) >= 0, ((s0 + (d0 * -1)) + -1) >= 0, (d0 mod 2) == 0)>(%k)[%n] {
      affine.if affine_set<(d0)[s0] : (d0 - 2 >= 0, s0 - d0 - 1 >= 0, d0 mod 2 == 0)>(%k)[%n] {
        // CHECK-NEXT: affine.store %0, %A[0, symbol(%n)] : memref<?x?xf32>
        affine.store %0, %A[0, symbol(%n)] : memref<?x?xf32>
      // CHECK-NEXT: } else {
      } else {
        // CHECK-NEXT: affine.store %0, %A[1, 2] : memref<?x?xf32>
        affine.store %0, %A[1, 2] : memref<?x?xf32>
      }
    // CHECK: } {tag}
    } {tag}
  }
  // CHECK: %r = affine.for %l = 0 to 4 iter_args(%a = %x) -> (f32) {
  %r = affine.for %l = 0 to 4 iter_args(%a = %x) -> f32 {
    // CHECK-NEXT: %c = affine.if affine_set<(d0) : (d0 >= 0)>(%l) -> (f32) {
    %c = affine.if affine_set<(d0) : (d0 >= 0)>(%l) -> f32 {
      // CHECK-NEXT: affine.yield %x : f32
      affine.yield %x : f32
    } else {
      affine.yield %a : f32
    }
    affine.yield %c : f32
  }
  func.return %r : f32
}

// CHECK-LABEL: @empty_bodies
func.func @empty_bodies(%n: index) {
  // CHECK: affine.for %i = 0 to %n {
  // CHECK-NEXT: }
  affine.for %i = 0 to %n { }
  // CHECK-NEXT: affine.if affine_set<(d0) : ((d0 + -2) >= 0)>(%n) {
  // CHECK-NEXT: }
  affine.if affine_set<(d0) : (d0 - 2 >= 0)>(%n) { }
  func.return
}

// CHECK-LABEL: @values
func.func @values(%i: index, %n: index) {
  // CHECK-NEXT: %max = affine.max affine_map<(d0)[s0] -> (d0, s0)>(%i)[%n]
  %max = affine.max affine_map<(d0)[s0] -> (d0, s0)>(%i)[%n]
  // CHECK-NEXT: %min = affine.min affine_map<(d0)[s0] -> (d0, s0, 7)>(%i)[%n] {foo}
  %min = affine.min affine_map<(d0)[s0] -> (d0, s0, 7)>(%i)[%n] {foo}
  // CHECK-NEXT: %apply = affine.apply affine_map<(d0)[s0] -> ((d0 + s0))>(%i)[%n]
  %apply = affine.apply affine_map<(d0)[s0] -> (d0 + s0)>(%i)[%n]
  // CHECK-NEXT: %symbol = affine.apply affine_map<()[s0] -> ((s0 ceildiv 4))>()[%n]
  %symbol = affine.apply affine_map<()[s0] -> (s0 ceildiv 4)>()[%n]
  func.return
}

// CHECK-LABEL: @parallel
func.func @parallel(%A: memref<?x?xf32>, %i: index, %n: index, %x: f32) {
  // CHECK-NEXT: affine.parallel (%p, %q) = (0, max(%i, 3)) to (min(%n, %i + 5), 8) step (1, 2) {
  affine.parallel (%p, %q) = (0, max(%i, 3)) to (min(%n, %i + 5), 8) step (1, 2) {
    // CHECK-NEXT: %v = affine.vector_load %A[%p, %q] : memref<?x?xf32>, vector<8xf32>
    %v = affine.vector_load %A[%p, %q] : memref<?x?xf32>, vector<8xf32>
    // CHECK-NEXT: affine.vector_store %v, %A[%p, %q + 8] : memref<?x?xf32>, vector<8xf32>
    affine.vector_store %v, %A[%p, %q + 8] : memref<?x?xf32>, vector<8xf32>
  }
  // CHECK: %y, %z = affine.parallel (%s) = (symbol(%n)) to (10) reduce ("addf", "maximumf") -> (f32, f32) {
  %y, %z = affine.parallel (%s) = (symbol(%n)) to (10) reduce ("addf", "maximumf") -> (f32, f32) {
    // CHECK-NEXT: affine.yield %x, %x : f32, f32
    affine.yield %x, %x : f32, f32
  // CHECK-NEXT: } {foo}
  } {foo}
  // CHECK-NEXT: affine.prefetch %A[%i, %n + 5], write, locality<3>, data : memref<?x?xf32>
  affine.prefetch %A[%i, %n + 5], write, locality<3>, data : memref<?x?xf32>
  // CHECK-NEXT: affine.prefetch %A[%i, 0], read, locality<0>, instr : memref<?x?xf32>
  affine.prefetch %A[%i, 0], read, locality<0>, instr : memref<?x?xf32>
  func.return
}
