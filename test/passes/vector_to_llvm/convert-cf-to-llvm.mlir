// RUN: snippets-opt %s -p convert-cf-to-llvm | filecheck %s

// CHECK-LABEL: @loop
// CHECK: llvm.br ^[[B:bb[0-9]+]](%{{.*}}, %s : i64, f32)
// CHECK: ^[[B]](%[[I:.*]]: i64, %[[X:.*]]: f32):
// CHECK-NEXT: %[[N:.*]] = builtin.unrealized_conversion_cast %[[I]] : i64 to index
// CHECK-NEXT: arith.addi %[[N]], %[[N]] : index
// CHECK-NEXT: llvm.cond_br %c, ^[[B]](%[[I]], %[[X]] : i64, f32), ^[[E:bb[0-9]+]]
// CHECK: ^[[E]]:
func.func @loop(%n: index, %s: f32, %c: i1) {
  cf.br ^bb1(%n, %s : index, f32)
^bb1(%i: index, %x: f32):
  %0 = arith.addi %i, %i : index
  cf.cond_br %c, ^bb1(%i, %x : index, f32), ^bb2
^bb2:
  func.return
}

// CHECK-LABEL: @switch
// CHECK: %[[A:.*]] = llvm.icmp "eq" %i, %{{.*}} : i32
// CHECK: %[[B:.*]] = llvm.icmp "eq" %i, %{{.*}} : i32
// CHECK-NEXT: llvm.cond_br %[[A]], ^[[ONE:bb[0-9]+]](%y : f32), ^[[NEXT:bb[0-9]+]]
// CHECK: ^[[NEXT]]:
// CHECK-NEXT: llvm.cond_br %[[B]], ^[[TWO:bb[0-9]+]](%x, %y : f32, f32), ^[[ONE]](%x : f32)
func.func @switch(%i: i32, %x: f32, %y: f32) -> f32 {
  cf.switch %i : i32, [
    default: ^bb1(%x : f32),
    -3: ^bb1(%y : f32),
    7: ^bb2(%x, %y : f32, f32)
  ]
^bb1(%a: f32):
  func.return %a : f32
^bb2(%b: f32, %c: f32):
  func.return %b : f32
}

// Two assertions of one text share it; the failure is at the end of the function.
// CHECK-LABEL: @asserts
// CHECK-NEXT: llvm.cond_br %c, ^[[NEXT:bb[0-9]+]], ^[[FIRST:bb[0-9]+]]
// CHECK: ^[[NEXT]]:
// CHECK-NEXT: llvm.cond_br %d, ^[[REST:bb[0-9]+]], ^[[SECOND:bb[0-9]+]]
// CHECK: ^[[REST]]:
// CHECK-NEXT: func.return
// CHECK: ^[[FIRST]]:
// CHECK-NEXT: %[[M:.*]] = llvm.mlir.addressof @assert_message_0 : !llvm.ptr
// CHECK-NEXT: %[[E:.*]] = llvm.mlir.constant(2 : i32) : i32
// CHECK-NEXT: %[[S:.*]] = llvm.mlir.constant(3) : i64
// CHECK-NEXT: llvm.call @write(%[[E]], %[[M]], %[[S]]) : (i32, !llvm.ptr, i64) -> i64
// CHECK-NEXT: llvm.call @abort() : () -> ()
// CHECK-NEXT: llvm.unreachable
// CHECK: ^[[SECOND]]:
// CHECK-NEXT: llvm.mlir.addressof @assert_message_0 : !llvm.ptr
func.func @asserts(%c: i1, %d: i1) {
  cf.assert %c, "no"
  cf.assert %d, "no"
  func.return
}

// Does not fire: in a region of another op.
// CHECK-LABEL: @inside
// CHECK: cf.assert
func.func @inside(%c: i1) {
  scf.if %c {
    cf.assert %c, "no"
  }
  func.return
}

// Does not fire: a host function.
// CHECK-LABEL: @host
// CHECK-NEXT: cf.br
func.func @host(%a: tensor<4xf32>) -> tensor<4xf32> {
  cf.br ^bb1
^bb1:
  func.return %a : tensor<4xf32>
}
