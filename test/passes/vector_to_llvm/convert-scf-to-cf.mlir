// RUN: snippets-opt %s -p convert-scf-to-cf | filecheck %s

// CHECK-LABEL: @loops
// CHECK-NEXT: cf.br ^bb1(%x : f32)
// CHECK-NEXT: ^bb1(%s: f32):
// CHECK-NEXT: cf.cond_br %c, ^bb2(%s : f32), ^bb3(%s : f32)
// CHECK-NEXT: ^bb2(%t: f32):
// CHECK-NEXT: cf.br ^bb1(%t : f32)
// CHECK-NEXT: ^bb3(%[[R:.*]]: f32):
// CHECK-NEXT: func.return %[[R]] : f32
func.func @loops(%x: f32, %c: i1) -> f32 {
  %0 = scf.while (%s = %x) : (f32) -> f32 {
    scf.condition(%c) %s : f32
  } do {
  ^bb0(%t: f32):
    scf.yield %t : f32
  }
  func.return %0 : f32
}

// The index is compared in its own width.
// CHECK-LABEL: @switch
// CHECK: %[[V:.*]] = arith.constant 4294967298 : index
// CHECK-NEXT: %[[E:.*]] = arith.cmpi eq, %i, %[[V]] : index
// CHECK-NEXT: cf.cond_br %[[E]]
// CHECK: arith.constant 5 : index
func.func @switch(%i: index, %x: f32, %y: f32) -> f32 {
  %0 = scf.index_switch %i -> f32
  case 4294967298 {
    scf.yield %x : f32
  }
  case 5 {
    scf.yield %y : f32
  }
  default {
    scf.yield %x : f32
  }
  func.return %0 : f32
}

// CHECK-LABEL: @parallel
// CHECK: cf.br ^bb1(%a, %x : index, f32)
// CHECK: ^bb1(%i: index, %[[ACC:.*]]: f32):
// CHECK: %[[N:.*]] = arith.addf %[[ACC]], %y : f32
// CHECK: cf.br ^bb1(%{{.*}}, %[[N]] : index, f32)
func.func @parallel(%a: index, %n: index, %x: f32, %y: f32) -> f32 {
  %0 = scf.parallel (%i) = (%a) to (%n) step (%n) init (%x) -> f32 {
    scf.reduce(%y : f32) {
    ^bb0(%l: f32, %r: f32):
      %1 = arith.addf %l, %r : f32
      scf.reduce.return %1 : f32
    }
  }
  func.return %0 : f32
}

// CHECK-LABEL: @region
// CHECK: cf.br ^bb1
// CHECK: cf.br ^bb2(%x : f32)
func.func @region(%x: f32) -> f32 {
  %0 = scf.execute_region -> f32 {
    scf.yield %x : f32
  }
  func.return %0 : f32
}

// Does not fire: blocks already.
// CHECK-LABEL: @other
// CHECK-NEXT: cf.br ^bb1
func.func @other() {
  cf.br ^bb1
^bb1:
  func.return
}

// A branch around the regions.
// CHECK-LABEL: @choice
// CHECK-NEXT: cf.cond_br %c, ^bb1, ^bb2
// CHECK-NEXT: ^bb1:
// CHECK-NEXT: cf.br ^bb3(%x : f32)
// CHECK-NEXT: ^bb2:
// CHECK-NEXT: cf.br ^bb3(%y : f32)
// CHECK-NEXT: ^bb3(%[[R:.*]]: f32):
// CHECK-NEXT: cf.br ^bb4
// CHECK-NEXT: ^bb4:
// CHECK-NEXT: func.return %[[R]] : f32
func.func @choice(%c: i1, %x: f32, %y: f32) -> f32 {
  %0 = scf.if %c -> (f32) {
    scf.yield %x : f32
  } else {
    scf.yield %y : f32
  }
  func.return %0 : f32
}
