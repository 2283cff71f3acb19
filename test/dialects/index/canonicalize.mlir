// RUN: snippets-opt %s --canonicalize | filecheck %s

// CHECK-LABEL: @add
// CHECK-NEXT: %[[C:.*]] = index.constant -9223372036854775808
// CHECK-NEXT: func.return %[[C]] : index
func.func @add() -> index {
  %x = index.constant 9223372036854775807
  %y = index.constant 1
  %0 = index.add %x, %y
  func.return %0 : index
}

// CHECK-LABEL: @sub
// CHECK-NEXT: %[[C:.*]] = index.constant 9223372036854775807
// CHECK-NEXT: func.return %[[C]] : index
func.func @sub() -> index {
  %x = index.constant -9223372036854775808
  %y = index.constant 1
  %0 = index.sub %x, %y
  func.return %0 : index
}

// CHECK-LABEL: @mul
// CHECK-NEXT: %[[C:.*]] = index.constant 0
// CHECK-NEXT: func.return %[[C]] : index
func.func @mul() -> index {
  %x = index.constant 4611686018427387904
  %y = index.constant 4
  %0 = index.mul %x, %y
  func.return %0 : index
}

// CHECK-LABEL: @divs
// CHECK-NEXT: %[[C:.*]] = index.constant -3
// CHECK-NEXT: func.return %[[C]] : index
func.func @divs() -> index {
  %x = index.constant -7
  %y = index.constant 2
  %0 = index.divs %x, %y
  func.return %0 : index
}

// CHECK-LABEL: @divu
// CHECK-NEXT: %[[C:.*]] = index.constant 9223372036854775807
// CHECK-NEXT: func.return %[[C]] : index
func.func @divu() -> index {
  %x = index.constant -1
  %y = index.constant 2
  %0 = index.divu %x, %y
  func.return %0 : index
}

// CHECK-LABEL: @ceildivs
// CHECK-NEXT: %[[C:.*]] = index.constant -3
// CHECK-NEXT: func.return %[[C]] : index
func.func @ceildivs() -> index {
  %x = index.constant -7
  %y = index.constant 2
  %0 = index.ceildivs %x, %y
  func.return %0 : index
}

// CHECK-LABEL: @ceildivu
// CHECK-NEXT: %[[C:.*]] = index.constant -9223372036854775808
// CHECK-NEXT: func.return %[[C]] : index
func.func @ceildivu() -> index {
  %x = index.constant -1
  %y = index.constant 2
  %0 = index.ceildivu %x, %y
  func.return %0 : index
}

// CHECK-LABEL: @floordivs
// CHECK-NEXT: %[[C:.*]] = index.constant -4
// CHECK-NEXT: func.return %[[C]] : index
func.func @floordivs() -> index {
  %x = index.constant -7
  %y = index.constant 2
  %0 = index.floordivs %x, %y
  func.return %0 : index
}

// CHECK-LABEL: @rems
// CHECK-NEXT: %[[C:.*]] = index.constant -1
// CHECK-NEXT: func.return %[[C]] : index
func.func @rems() -> index {
  %x = index.constant -7
  %y = index.constant 2
  %0 = index.rems %x, %y
  func.return %0 : index
}

// CHECK-LABEL: @remu
// CHECK-NEXT: %[[C:.*]] = index.constant 5
// CHECK-NEXT: func.return %[[C]] : index
func.func @remu() -> index {
  %x = index.constant -1
  %y = index.constant 10
  %0 = index.remu %x, %y
  func.return %0 : index
}

// CHECK-LABEL: @maxs
// CHECK-NEXT: %[[C:.*]] = index.constant 1
// CHECK-NEXT: func.return %[[C]] : index
func.func @maxs() -> index {
  %x = index.constant -1
  %y = index.constant 1
  %0 = index.maxs %x, %y
  func.return %0 : index
}

// CHECK-LABEL: @maxu
// CHECK-NEXT: %[[C:.*]] = index.constant -1
// CHECK-NEXT: func.return %[[C]] : index
func.func @maxu() -> index {
  %x = index.constant -1
  %y = index.constant 1
  %0 = index.maxu %x, %y
  func.return %0 : index
}

// CHECK-LABEL: @mins
// CHECK-NEXT: %[[C:.*]] = index.constant -1
// CHECK-NEXT: func.return %[[C]] : index
func.func @mins() -> index {
  %x = index.constant -1
  %y = index.constant 1
  %0 = index.mins %x, %y
  func.return %0 : index
}

// CHECK-LABEL: @minu
// CHECK-NEXT: %[[C:.*]] = index.constant 1
// CHECK-NEXT: func.return %[[C]] : index
func.func @minu() -> index {
  %x = index.constant -1
  %y = index.constant 1
  %0 = index.minu %x, %y
  func.return %0 : index
}

// CHECK-LABEL: @shl
// CHECK-NEXT: %[[C:.*]] = index.constant -9223372036854775808
// CHECK-NEXT: func.return %[[C]] : index
func.func @shl() -> index {
  %x = index.constant 3
  %y = index.constant 63
  %0 = index.shl %x, %y
  func.return %0 : index
}

// CHECK-LABEL: @shrs
// CHECK-NEXT: %[[C:.*]] = index.constant -4
// CHECK-NEXT: func.return %[[C]] : index
func.func @shrs() -> index {
  %x = index.constant -8
  %y = index.constant 1
  %0 = index.shrs %x, %y
  func.return %0 : index
}

// CHECK-LABEL: @shru
// CHECK-NEXT: %[[C:.*]] = index.constant 9223372036854775804
// CHECK-NEXT: func.return %[[C]] : index
func.func @shru() -> index {
  %x = index.constant -8
  %y = index.constant 1
  %0 = index.shru %x, %y
  func.return %0 : index
}

// CHECK-LABEL: @and
// CHECK-NEXT: %[[C:.*]] = index.constant 8
// CHECK-NEXT: func.return %[[C]] : index
func.func @and() -> index {
  %x = index.constant 12
  %y = index.constant 10
  %0 = index.and %x, %y
  func.return %0 : index
}

// CHECK-LABEL: @or
// CHECK-NEXT: %[[C:.*]] = index.constant 14
// CHECK-NEXT: func.return %[[C]] : index
func.func @or() -> index {
  %x = index.constant 12
  %y = index.constant 10
  %0 = index.or %x, %y
  func.return %0 : index
}

// CHECK-LABEL: @xor
// CHECK-NEXT: %[[C:.*]] = index.constant 6
// CHECK-NEXT: func.return %[[C]] : index
func.func @xor() -> index {
  %x = index.constant 12
  %y = index.constant 10
  %0 = index.xor %x, %y
  func.return %0 : index
}

// What is undefined stays: a division by zero, the smallest index by -1, a shift by 64.
// CHECK-LABEL: @undefined
// CHECK: index.divs
// CHECK-NEXT: index.divs
// CHECK-NEXT: index.remu
// CHECK-NEXT: index.shl
func.func @undefined() -> (index, index, index, index) {
  %zero = index.constant 0
  %least = index.constant -9223372036854775808
  %minus = index.constant -1
  %bits = index.sizeof
  %width = index.constant 64
  %0 = index.divs %width, %zero
  %1 = index.divs %least, %minus
  %2 = index.remu %width, %zero
  %3 = index.shl %minus, %width
  func.return %0, %1, %2, %3 : index, index, index, index
}

// An operand that changes nothing.
// CHECK-LABEL: @units
// CHECK-NEXT: func.return %a, %a, %a, %a : index, index, index, index
func.func @units(%a: index) -> (index, index, index, index) {
  %zero = index.constant 0
  %one = index.constant 1
  %ones = index.constant -1
  %0 = index.add %zero, %a
  %1 = index.floordivs %a, %one
  %2 = index.and %a, %ones
  %3 = index.shl %a, %zero
  func.return %0, %1, %2, %3 : index, index, index, index
}

// Zero less a value is not the value.
// CHECK-LABEL: @negated
// CHECK: index.sub
func.func @negated(%a: index) -> index {
  %zero = index.constant 0
  %0 = index.sub %zero, %a
  func.return %0 : index
}

// CHECK-LABEL: @compared
// CHECK-NEXT: %[[A:.*]] = index.bool.constant true
// CHECK-NEXT: %[[B:.*]] = index.bool.constant false
// CHECK-NEXT: %[[C:.*]] = index.bool.constant true
// CHECK-NEXT: func.return %[[A]], %[[B]], %[[C]] : i1, i1, i1
func.func @compared(%a: index) -> (i1, i1, i1) {
  %one = index.constant 1
  %ones = index.constant -1
  %0 = index.cmp slt(%ones, %one)
  %1 = index.cmp ult(%ones, %one)
  %2 = index.cmp sle(%a, %a)
  func.return %0, %1, %2 : i1, i1, i1
}

// CHECK-LABEL: @cast
// CHECK-NEXT: %[[S:.*]] = index.constant -1
// CHECK-NEXT: %[[U:.*]] = index.constant 255
// CHECK-NEXT: func.return %[[S]], %[[U]] : index, index
func.func @cast() -> (index, index) {
  %c = arith.constant -1 : i8
  %0 = index.casts %c : i8 to index
  %1 = index.castu %c : i8 to index
  func.return %0, %1 : index, index
}

// Unused ops are erased, divisions included.
// CHECK-LABEL: @unused
// CHECK-NEXT: func.return
func.func @unused(%a: index, %b: index) {
  %0 = index.divs %a, %b
  %1 = index.cmp eq(%a, %b)
  func.return
}
