// RUN: snippets-opt %s -p convert-index-to-llvm | filecheck %s

// CHECK-LABEL: @fires
// CHECK: %[[A:.*]] = builtin.unrealized_conversion_cast %a : index to i64
// CHECK: llvm.add %[[A]], %[[A]] : i64
// CHECK: llvm.intr.umax
// CHECK: llvm.lshr %[[A]], %[[A]] : i64
// CHECK: llvm.icmp "uge" %[[A]], %[[A]] : i64
// CHECK: llvm.mlir.constant(42) : i64
// CHECK: llvm.mlir.constant(true) : i1
// CHECK: llvm.mlir.constant(64) : i64
// CHECK: llvm.sext %i : i32 to i64
// CHECK: llvm.zext %i : i32 to i64
// CHECK: llvm.trunc %[[A]] : i64 to i8
// CHECK-NOT: index.
// CHECK: func.return
func.func @fires(%a: index, %i: i32) {
  %0 = index.add %a, %a
  %1 = index.maxu %a, %a
  %2 = index.shru %a, %a
  %3 = index.cmp uge(%a, %a)
  %4 = index.constant 42
  %5 = index.bool.constant true
  %6 = index.sizeof
  %7 = index.casts %i : i32 to index
  %8 = index.castu %i : i32 to index
  %9 = index.castu %a : index to i8
  func.return
}

// A quotient that is rounded down: one less where there is a rest and the signs differ.
// CHECK-LABEL: @floor
// CHECK: %[[Q:.*]] = llvm.sdiv %[[A:.*]], %[[B:.*]] : i64
// CHECK-NEXT: %[[P:.*]] = llvm.mul %[[Q]], %[[B]] : i64
// CHECK-NEXT: %[[W:.*]] = llvm.icmp "ne" %[[P]], %[[A]] : i64
// CHECK-NEXT: %[[X:.*]] = llvm.xor %[[A]], %[[B]] : i64
// CHECK-NEXT: %[[Z:.*]] = llvm.mlir.constant(0) : i64
// CHECK-NEXT: %[[S:.*]] = llvm.icmp "slt" %[[X]], %[[Z]] : i64
// CHECK-NEXT: %[[C:.*]] = llvm.and %[[W]], %[[S]] : i1
// CHECK-NEXT: %[[E:.*]] = llvm.sext %[[C]] : i1 to i64
// CHECK-NEXT: llvm.add %[[Q]], %[[E]] : i64
func.func @floor(%a: index, %b: index) -> index {
  %0 = index.floordivs %a, %b
  func.return %0 : index
}

// CHECK-LABEL: @ceil
// CHECK: %[[Q:.*]] = llvm.udiv
// CHECK: %[[W:.*]] = llvm.icmp "ne"
// CHECK-NEXT: %[[E:.*]] = llvm.zext %[[W]] : i1 to i64
// CHECK-NEXT: llvm.add %[[Q]], %[[E]] : i64
func.func @ceil(%a: index, %b: index) -> index {
  %0 = index.ceildivu %a, %b
  func.return %0 : index
}

// Does not fire: a host function, and ops of other dialects.
// CHECK-LABEL: @host
// CHECK-NEXT: index.add
func.func @host(%t: tensor<4xf32>, %a: index) -> index {
  %0 = index.add %a, %a
  func.return %0 : index
}

// CHECK-LABEL: @others
// CHECK-NEXT: arith.addi
func.func @others(%a: index) -> index {
  %0 = arith.addi %a, %a : index
  func.return %0 : index
}

// Ops that LLVM has.
// CHECK-LABEL: @same
// CHECK-NEXT: builtin.unrealized_conversion_cast %a : index to i64
// CHECK-NEXT: builtin.unrealized_conversion_cast %b : index to i64
// CHECK-NEXT: llvm.and {{.*}} : i64
// CHECK-NEXT: llvm.or {{.*}} : i64
// CHECK-NEXT: llvm.xor {{.*}} : i64
// CHECK-NEXT: llvm.sdiv {{.*}} : i64
// CHECK-NEXT: llvm.udiv {{.*}} : i64
// CHECK-NEXT: llvm.srem {{.*}} : i64
// CHECK-NEXT: llvm.urem {{.*}} : i64
// CHECK-NEXT: llvm.intr.smax({{.*}}) : (i64, i64) -> i64
// CHECK-NEXT: llvm.intr.smin({{.*}}) : (i64, i64) -> i64
// CHECK-NEXT: llvm.intr.umin({{.*}}) : (i64, i64) -> i64
// CHECK-NEXT: llvm.mul {{.*}} : i64
// CHECK-NEXT: llvm.sub {{.*}} : i64
// CHECK-NEXT: llvm.shl {{.*}} : i64
// CHECK-NEXT: llvm.ashr {{.*}} : i64
// CHECK-NEXT: func.return
func.func @same(%a: index, %b: index) {
  %0 = index.and %a, %b
  %1 = index.or %a, %b
  %2 = index.xor %a, %b
  %3 = index.divs %a, %b
  %4 = index.divu %a, %b
  %5 = index.rems %a, %b
  %6 = index.remu %a, %b
  %7 = index.maxs %a, %b
  %8 = index.mins %a, %b
  %9 = index.minu %a, %b
  %10 = index.mul %a, %b
  %11 = index.sub %a, %b
  %12 = index.shl %a, %b
  %13 = index.shrs %a, %b
  func.return
}

// A signed quotient that is rounded up.
// CHECK-LABEL: @rounded_up
// CHECK-NEXT: builtin.unrealized_conversion_cast %a : index to i64
// CHECK-NEXT: builtin.unrealized_conversion_cast %b : index to i64
// CHECK-NEXT: llvm.sdiv {{.*}} : i64
// CHECK-NEXT: llvm.mul {{.*}} : i64
// CHECK-NEXT: llvm.icmp "ne" {{.*}} : i64
// CHECK-NEXT: llvm.xor {{.*}} : i64
// CHECK-NEXT: llvm.mlir.constant(0) : i64
// CHECK-NEXT: llvm.icmp "sge" {{.*}} : i64
// CHECK-NEXT: llvm.and {{.*}} : i1
// CHECK-NEXT: llvm.zext {{.*}} : i1 to i64
// CHECK-NEXT: llvm.add {{.*}} : i64
// CHECK-NEXT: func.return
func.func @rounded_up(%a: index, %b: index) {
  %0 = index.ceildivs %a, %b
  func.return
}
