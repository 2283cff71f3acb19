// RUN: snippets-opt %s -p 'sink-rare-operands' --verify-each --split-input-file | filecheck %s
// RUN: snippets-opt %s -p 'sink-rare-operands{disable-patterns=sink}' --split-input-file | filecheck %s --check-prefix=NEVER

// NEVER-NOT: scf.if

// The table, and what only the rare side reads, are in the branch; %shared is read outside, too.
// CHECK-LABEL: func.func @fires(
// CHECK-NEXT: %[[BIG:.*]] = arith.cmpi sgt
// CHECK-NEXT: %[[SHARED:.*]] = arith.addf %x, %x
// CHECK-NEXT: %[[FAST:.*]] = arith.mulf %x, %[[SHARED]]
// CHECK-NEXT: %[[ANY:.*]] = vector.reduction <or>, %[[BIG]] : vector<8xi1> into i1
// CHECK-NEXT: %[[R:.*]] = scf.if %[[ANY]] -> (vector<8xf32>) {
// CHECK-NEXT: %[[TABLE:.*]] = llvm.mlir.addressof @table
// CHECK-NEXT: %[[P:.*]] = llvm.getelementptr %[[TABLE]]
// CHECK-NEXT: %[[W:.*]] = llvm.intr.masked.gather %[[P]]
// CHECK-NEXT: %[[SLOW:.*]] = arith.divf %[[W]], %[[SHARED]]
// CHECK-NEXT: %[[S:.*]] = arith.select %[[BIG]], %[[SLOW]], %[[FAST]] : vector<8xi1>, vector<8xf32>
// CHECK-NEXT: scf.yield %[[S]]
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %[[FAST]]
// CHECK-NEXT: }
// CHECK-NEXT: func.return %[[R]]
func.func @fires(%x: vector<8xf32>, %i: vector<8xi64>, %bits: vector<8xi32>, %limit: vector<8xi32>, %on: vector<8xi1>, %none: vector<8xf32>) -> vector<8xf32> {
  %table = llvm.mlir.addressof @table : !llvm.ptr
  %big = arith.cmpi sgt, %bits, %limit : vector<8xi32>
  %p = llvm.getelementptr %table[%i] : (!llvm.ptr, vector<8xi64>) -> vector<8x!llvm.ptr>, f32
  %w = llvm.intr.masked.gather %p, %on, %none {alignment = 4 : i32} : (vector<8x!llvm.ptr>, vector<8xi1>, vector<8xf32>) -> vector<8xf32>
  %shared = arith.addf %x, %x : vector<8xf32>
  %slow = arith.divf %w, %shared : vector<8xf32>
  %fast = arith.mulf %x, %shared : vector<8xf32>
  %r = arith.select %big, %slow, %fast {snippets.rare} : vector<8xi1>, vector<8xf32>
  func.return %r : vector<8xf32>
}
llvm.mlir.global internal constant @table(dense<[1.0, 2.0]> : tensor<2xf32>) {addr_space = 0 : i32} : !llvm.array<2 x f32>

// -----

// Two that follow each other get a branch each.
// CHECK-LABEL: func.func @two(
// CHECK: scf.if
// CHECK: arith.divf
// CHECK: scf.if
// CHECK: arith.mulf
func.func @two(%x: vector<8xf32>, %c: vector<8xi1>, %d: vector<8xi1>) -> vector<8xf32> {
  %0 = arith.divf %x, %x : vector<8xf32>
  %1 = arith.select %c, %0, %x {snippets.rare} : vector<8xi1>, vector<8xf32>
  %2 = arith.mulf %1, %1 : vector<8xf32>
  %3 = arith.select %d, %2, %1 {snippets.rare} : vector<8xi1>, vector<8xf32>
  func.return %3 : vector<8xf32>
}

// -----

// A select without the mark stays.
// CHECK-LABEL: func.func @ordinary(
// CHECK-NOT: scf.if
func.func @ordinary(%x: vector<8xf32>, %c: vector<8xi1>) -> vector<8xf32> {
  %0 = arith.divf %x, %x : vector<8xf32>
  %1 = arith.select %c, %0, %x : vector<8xi1>, vector<8xf32>
  func.return %1 : vector<8xf32>
}

// -----

// What is rare is read elsewhere, or is memory that a store may change: nothing is left for a branch.
// CHECK-LABEL: func.func @nothing_to_sink(
// CHECK-NOT: scf.if
// CHECK-NOT: snippets.rare
func.func @nothing_to_sink(%x: vector<8xf32>, %c: vector<8xi1>, %p: !llvm.ptr) -> (vector<8xf32>, vector<8xf32>, vector<8xf32>) {
  %0 = arith.divf %x, %x : vector<8xf32>
  %1 = arith.select %c, %0, %x {snippets.rare} : vector<8xi1>, vector<8xf32>
  %2 = llvm.load %p {alignment = 4 : i64} : !llvm.ptr -> vector<8xf32>
  llvm.store %x, %p {alignment = 4 : i64} : vector<8xf32>, !llvm.ptr
  %3 = arith.select %c, %2, %x {snippets.rare} : vector<8xi1>, vector<8xf32>
  func.return %0, %1, %3 : vector<8xf32>, vector<8xf32>, vector<8xf32>
}
