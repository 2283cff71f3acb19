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

// Does not fire: an assertion is not a branch.
// CHECK-LABEL: @asserts
// CHECK-NEXT: cf.assert
func.func @asserts(%c: i1) {
  cf.assert %c, "no"
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
