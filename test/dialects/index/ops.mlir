// RUN: snippets-opt %s | snippets-opt - | filecheck %s
// RUN: snippets-opt --mlir-print-op-generic %s | snippets-opt - | filecheck %s

// CHECK-LABEL: @binary
func.func @binary(%a: index, %b: index) {
  // CHECK-NEXT: %add = index.add %a, %b
  %add = index.add %a, %b
  // CHECK-NEXT: %sub = index.sub %a, %b
  %sub = index.sub %a, %b
  // CHECK-NEXT: %mul = index.mul %a, %b
  %mul = index.mul %a, %b
  // CHECK-NEXT: %divs = index.divs %a, %b
  %divs = index.divs %a, %b
  // CHECK-NEXT: %divu = index.divu %a, %b
  %divu = index.divu %a, %b
  // CHECK-NEXT: %ceildivs = index.ceildivs %a, %b
  %ceildivs = index.ceildivs %a, %b
  // CHECK-NEXT: %ceildivu = index.ceildivu %a, %b
  %ceildivu = index.ceildivu %a, %b
  // CHECK-NEXT: %floordivs = index.floordivs %a, %b
  %floordivs = index.floordivs %a, %b
  // CHECK-NEXT: %rems = index.rems %a, %b
  %rems = index.rems %a, %b
  // CHECK-NEXT: %remu = index.remu %a, %b
  %remu = index.remu %a, %b
  // CHECK-NEXT: %maxs = index.maxs %a, %b
  %maxs = index.maxs %a, %b
  // CHECK-NEXT: %maxu = index.maxu %a, %b
  %maxu = index.maxu %a, %b
  // CHECK-NEXT: %mins = index.mins %a, %b
  %mins = index.mins %a, %b
  // CHECK-NEXT: %minu = index.minu %a, %b
  %minu = index.minu %a, %b
  // CHECK-NEXT: %shl = index.shl %a, %b
  %shl = index.shl %a, %b
  // CHECK-NEXT: %shrs = index.shrs %a, %b
  %shrs = index.shrs %a, %b
  // CHECK-NEXT: %shru = index.shru %a, %b
  %shru = index.shru %a, %b
  // CHECK-NEXT: %and = index.and %a, %b
  %and = index.and %a, %b
  // CHECK-NEXT: %or = index.or %a, %b
  %or = index.or %a, %b
  // CHECK-NEXT: %xor = index.xor %a, %b
  %xor = index.xor %a, %b
  // CHECK-NEXT: %attribute = index.add %a, %b {note = 1 : i64}
  %attribute = index.add %a, %b {note = 1 : i64}
  func.return
}

// CHECK-LABEL: @compare
func.func @compare(%a: index, %b: index) {
  // CHECK-NEXT: %cmp_eq = index.cmp eq(%a, %b)
  %cmp_eq = index.cmp eq(%a, %b)
  // CHECK-NEXT: %cmp_ne = index.cmp ne(%a, %b)
  %cmp_ne = index.cmp ne(%a, %b)
  // CHECK-NEXT: %cmp_slt = index.cmp slt(%a, %b)
  %cmp_slt = index.cmp slt(%a, %b)
  // CHECK-NEXT: %cmp_sle = index.cmp sle(%a, %b)
  %cmp_sle = index.cmp sle(%a, %b)
  // CHECK-NEXT: %cmp_sgt = index.cmp sgt(%a, %b)
  %cmp_sgt = index.cmp sgt(%a, %b)
  // CHECK-NEXT: %cmp_sge = index.cmp sge(%a, %b)
  %cmp_sge = index.cmp sge(%a, %b)
  // CHECK-NEXT: %cmp_ult = index.cmp ult(%a, %b)
  %cmp_ult = index.cmp ult(%a, %b)
  // CHECK-NEXT: %cmp_ule = index.cmp ule(%a, %b)
  %cmp_ule = index.cmp ule(%a, %b)
  // CHECK-NEXT: %cmp_ugt = index.cmp ugt(%a, %b)
  %cmp_ugt = index.cmp ugt(%a, %b)
  // CHECK-NEXT: %cmp_uge = index.cmp uge(%a, %b)
  %cmp_uge = index.cmp uge(%a, %b)
  // CHECK-NEXT: %attribute = index.cmp slt(%a, %b) {note = 1 : i64}
  %attribute = index.cmp slt(%a, %b) {note = 1 : i64}
  func.return
}

// CHECK-LABEL: @constants
func.func @constants() {
  // CHECK-NEXT: %0 = index.constant 0
  %0 = index.constant 0
  // CHECK-NEXT: %1 = index.constant -9223372036854775808
  %1 = index.constant -9223372036854775808
  // CHECK-NEXT: %2 = index.constant 9223372036854775807
  %2 = index.constant 9223372036854775807
  // CHECK-NEXT: %3 = index.constant {note = 1 : i64} 1
  %3 = index.constant {note = 1 : i64} 1
  // CHECK-NEXT: %4 = index.bool.constant true
  %4 = index.bool.constant true
  // CHECK-NEXT: %5 = index.bool.constant false
  %5 = index.bool.constant false
  // CHECK-NEXT: %6 = index.sizeof
  %6 = index.sizeof
  func.return
}

// CHECK-LABEL: @casts
func.func @casts(%a: index, %i: i8, %j: i128) {
  // CHECK-NEXT: %0 = index.casts %i : i8 to index
  %0 = index.casts %i : i8 to index
  // CHECK-NEXT: %1 = index.castu %i : i8 to index
  %1 = index.castu %i : i8 to index
  // CHECK-NEXT: %2 = index.casts %a : index to i32
  %2 = index.casts %a : index to i32
  // CHECK-NEXT: %3 = index.castu %a : index to i1
  %3 = index.castu %a : index to i1
  // CHECK-NEXT: %4 = index.casts %j : i128 to index
  %4 = index.casts %j : i128 to index
  func.return
}
