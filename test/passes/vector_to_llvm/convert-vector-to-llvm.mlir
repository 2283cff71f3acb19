// RUN: snippets-opt %s -p convert-vector-to-llvm | filecheck %s

// CHECK-LABEL: @broadcast
// CHECK-NEXT: %[[P:.*]] = llvm.mlir.poison : vector<4xf32>
// CHECK-NEXT: %[[Z:.*]] = llvm.mlir.constant(0) : i64
// CHECK-NEXT: %[[I:.*]] = llvm.insertelement %s, %[[P]][%[[Z]] : i64] : vector<4xf32>
// CHECK-NEXT: %[[V:.*]] = llvm.shufflevector %[[I]], %[[P]] [0, 0, 0, 0] : vector<4xf32>
// CHECK: %[[W:.*]] = llvm.shufflevector %one, %{{.*}} [0, 0, 0, 0] : vector<1xf32>
// CHECK-NEXT: func.return %[[V]], %[[V]], %[[W]]
func.func @broadcast(%s: f32, %one: vector<1xf32>) -> (vector<4xf32>, vector<4xf32>, vector<4xf32>) {
  %0 = vector.broadcast %s : f32 to vector<4xf32>
  %1 = vector.broadcast %0 : vector<4xf32> to vector<4xf32>
  %2 = vector.broadcast %one : vector<1xf32> to vector<4xf32>
  func.return %0, %1, %2 : vector<4xf32>, vector<4xf32>, vector<4xf32>
}

// CHECK-LABEL: @elements
// CHECK: %[[C:.*]] = llvm.mlir.constant(3) : i64
// CHECK-NEXT: llvm.extractelement %a[%[[C]] : i64]
// CHECK-NEXT: %[[N:.*]] = builtin.unrealized_conversion_cast %n : index to i64
// CHECK-NEXT: llvm.extractelement %a[%[[N]] : i64]
// CHECK: llvm.insertelement %s, %a[%{{.*}} : i64] : vector<4xf32>
// CHECK-NEXT: llvm.shufflevector %a, %a [0, 5, -1] : vector<4xf32>
// CHECK: llvm.insertelement
// CHECK: llvm.insertelement
// CHECK: llvm.extractelement
// CHECK: llvm.extractelement
// CHECK-NEXT: llvm.mlir.constant(dense<[0, 1, 2, 3]> : vector<4xi64>) : vector<4xi64>
// CHECK: llvm.intr.fma(%a, %a, %a)
// CHECK-NEXT: llvm.bitcast %a : vector<4xf32> to vector<4xi32>
func.func @elements(%a: vector<4xf32>, %s: f32, %n: index) -> vector<4xindex> {
  %0 = vector.extract %a[3] : f32 from vector<4xf32>
  %1 = vector.extract %a[%n] : f32 from vector<4xf32>
  %2 = vector.insert %s, %a [1] : f32 into vector<4xf32>
  %3 = vector.shuffle %a, %a [0, 5, -1] : vector<4xf32>, vector<4xf32>
  %4 = vector.from_elements %s, %0 : vector<2xf32>
  %5, %6 = vector.to_elements %4 : vector<2xf32>
  %7 = vector.step : vector<4xindex>
  %8 = vector.fma %a, %a, %a : vector<4xf32>
  %9 = vector.bitcast %a : vector<4xf32> to vector<4xi32>
  func.return %7 : vector<4xindex>
}

// CHECK-LABEL: @masks
// CHECK: llvm.intr.smax
// CHECK: llvm.intr.smin
// CHECK: llvm.trunc {{.*}} : i64 to i32
// CHECK: llvm.icmp "slt" {{.*}} : vector<4xi32>
// CHECK-NEXT: llvm.mlir.constant(dense<[true, true, true, false]> : vector<4xi1>) : vector<4xi1>
func.func @masks(%n: index) {
  %0 = vector.create_mask %n : vector<4xi1>
  %1 = vector.constant_mask [3] : vector<4xi1>
  func.return
}

// A float sum is ordered from -0.0 unless it may be reassociated, and starts at its accumulator.
// CHECK-LABEL: @reductions
// CHECK-NEXT: %[[Z:.*]] = llvm.mlir.constant(-0.000000e+00 : f32) : f32
// CHECK-NEXT: "llvm.intr.vector.reduce.fadd"(%[[Z]], %a) <{fastmathFlags = #llvm.fastmath<reassoc>}>
// CHECK-NEXT: "llvm.intr.vector.reduce.fmul"(%s, %a) <{fastmathFlags = #llvm.fastmath<none>}>
// CHECK-NEXT: %[[M:.*]] = llvm.intr.vector.reduce.fmaximum(%a)
// CHECK-NEXT: llvm.intr.maximum(%[[M]], %s)
// CHECK-NEXT: "llvm.intr.vector.reduce.add"(%i)
// CHECK-NEXT: "llvm.intr.vector.reduce.umax"(%i)
// CHECK-NEXT: "llvm.intr.vector.reduce.or"(%m)
func.func @reductions(%a: vector<4xf32>, %s: f32, %i: vector<4xi32>, %m: vector<4xi1>) {
  %0 = vector.reduction <add>, %a fastmath<reassoc> : vector<4xf32> into f32
  %1 = vector.reduction <mul>, %a, %s : vector<4xf32> into f32
  %2 = vector.reduction <maximumf>, %a, %s : vector<4xf32> into f32
  %3 = vector.reduction <add>, %i : vector<4xi32> into i32
  %4 = vector.reduction <maxui>, %i : vector<4xi32> into i32
  %5 = vector.reduction <or>, %m : vector<4xi1> into i1
  func.return
}

// CHECK-LABEL: @memory
// CHECK: %[[P:.*]] = llvm.getelementptr inbounds
// CHECK-NEXT: llvm.load %[[P]] {alignment = 4 : i64} : !llvm.ptr -> vector<4xf32>
// CHECK: llvm.store {{.*}} {alignment = 16 : i64, nontemporal} : vector<4xf32>, !llvm.ptr
// CHECK: llvm.intr.masked.load {{.*}} {alignment = 4 : i32}
// CHECK: llvm.intr.masked.store {{.*}} {alignment = 4 : i32}
// CHECK: llvm.intr.masked.gather
// CHECK: llvm.intr.masked.scatter
// CHECK: llvm.call_intrinsic "llvm.masked.expandload.v4f32"
// CHECK: llvm.call_intrinsic "llvm.masked.compressstore.v4f32"
// CHECK-NOT: vector.
func.func @memory(%p: memref<8xf32>, %n: index, %m: vector<4xi1>, %a: vector<4xf32>, %i: vector<4xi32>) {
  %1 = vector.load %p[%n] : memref<8xf32>, vector<4xf32>
  vector.store %1, %p[%n] {alignment = 16 : i64, nontemporal = true} : memref<8xf32>, vector<4xf32>
  %2 = vector.maskedload %p[%n], %m, %a : memref<8xf32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  vector.maskedstore %p[%n], %m, %a : memref<8xf32>, vector<4xi1>, vector<4xf32>
  %3 = vector.gather %p[%n] [%i], %m, %a : memref<8xf32>, vector<4xi32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  vector.scatter %p[%n] [%i], %m, %a : memref<8xf32>, vector<4xi32>, vector<4xi1>, vector<4xf32>
  %4 = vector.expandload %p[%n], %m, %a : memref<8xf32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  vector.compressstore %p[%n], %m, %a : memref<8xf32>, vector<4xi1>, vector<4xf32>
  func.return
}

// Booleans are bytes in memory.
// CHECK-LABEL: @booleans
// CHECK: %[[B:.*]] = llvm.load {{.*}} {alignment = 1 : i64} : !llvm.ptr -> vector<4xi8>
// CHECK-NEXT: llvm.trunc %[[B]] : vector<4xi8> to vector<4xi1>
// CHECK: %[[Z:.*]] = llvm.zext {{.*}} : vector<4xi1> to vector<4xi8>
// CHECK: llvm.store %[[Z]]
func.func @booleans(%p: memref<8xi1>, %n: index) {
  %1 = vector.load %p[%n] : memref<8xi1>, vector<4xi1>
  vector.store %1, %p[%n] : memref<8xi1>, vector<4xi1>
  func.return
}

// A transfer that walks memory with a stride gathers and scatters.
// CHECK-LABEL: @strided
// CHECK: llvm.getelementptr inbounds {{.*}} -> vector<4x!llvm.ptr>, f32
// CHECK: llvm.intr.masked.gather
// CHECK: llvm.intr.masked.scatter
func.func @strided(%p: memref<?x?xf32>, %n: index, %x: f32) {
  %1 = vector.transfer_read %p[%n, %n], %x {in_bounds = [true], permutation_map = affine_map<(d0, d1) -> (d0)>} : memref<?x?xf32>, vector<4xf32>
  vector.transfer_write %1, %p[%n, %n] {in_bounds = [true], permutation_map = affine_map<(d0, d1) -> (d0)>} : vector<4xf32>, memref<?x?xf32>
  func.return
}

// Does not fire: two dimensions, memory with a stride, operands of two lengths, a
// transfer that may run out of bounds.
// CHECK-LABEL: @other
// CHECK-NEXT: vector.broadcast
// CHECK: vector.maskedload
// CHECK: vector.shuffle
// CHECK: vector.transfer_read
func.func @other(%s: f32, %p: memref<8xf32, strided<[2]>>, %n: index, %a: vector<4xf32>, %b: vector<2xf32>, %m: vector<4xi1>) {
  %0 = vector.broadcast %s : f32 to vector<2x4xf32>
  %1 = vector.maskedload %p[%n], %m, %a : memref<8xf32, strided<[2]>>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  %2 = vector.shuffle %a, %b [0, 4] : vector<4xf32>, vector<2xf32>
  %4 = vector.transfer_read %p[%n], %s : memref<8xf32, strided<[2]>>, vector<4xf32>
  func.return
}

// One call of printf, then the buffer is flushed; the percent sign of a text is doubled.
// CHECK-LABEL: @prints
// CHECK: %[[A:.*]] = llvm.extractelement %v
// CHECK: %[[X:.*]] = llvm.fpext %[[A]] : f32 to f64
// CHECK: %[[B:.*]] = llvm.extractelement %v
// CHECK: %[[Y:.*]] = llvm.fpext %[[B]] : f32 to f64
// CHECK-NEXT: %[[F:.*]] = llvm.mlir.addressof @print_format_0 : !llvm.ptr
// CHECK-NEXT: llvm.call @printf(%[[F]], %[[X]], %[[Y]]) vararg(!llvm.func<i32 (!llvm.ptr, ...)>) : (!llvm.ptr, f64, f64) -> i32
// CHECK: %[[N:.*]] = llvm.mlir.zero : !llvm.ptr
// CHECK: llvm.call @fflush(%[[N]]) : (!llvm.ptr) -> i32
// CHECK: llvm.sext %i : i8 to i64
// CHECK: llvm.zext %c : i1 to i64
// CHECK: llvm.call @printf
// CHECK: llvm.call @printf(%{{.*}}) vararg(!llvm.func<i32 (!llvm.ptr, ...)>) : (!llvm.ptr) -> i32
func.func @prints(%v: vector<2xf32>, %i: i8, %c: i1) {
  vector.print %v : vector<2xf32>
  vector.print %i : i8 punctuation <comma>
  vector.print %c : i1
  vector.print str "100%"
  func.return
}

// Does not fire: more than 64 bits, and several dimensions.
// CHECK-LABEL: @not_printed
// CHECK-NEXT: vector.print
// CHECK-NEXT: vector.print
func.func @not_printed(%i: i128, %m: vector<2x2xf32>) {
  vector.print %i : i128
  vector.print %m : vector<2x2xf32>
  func.return
}
