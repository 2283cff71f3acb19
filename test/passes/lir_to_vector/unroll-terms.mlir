// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx2},unroll-terms' --verify-each --split-input-file | filecheck %s
// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx512},unroll-terms' --split-input-file | filecheck %s --check-prefix=NEVER
// RUN: snippets-opt %s -p 'unroll-terms{count=1}' --split-input-file | filecheck %s --check-prefix=NEVER
// RUN: snippets-opt %s -p 'unroll-terms{count=4 disable-patterns=terms-in-turn}' --split-input-file | filecheck %s --check-prefix=NEVER
// RUN: snippets-opt %s -p 'unroll-terms{count=2}' --split-input-file | filecheck %s --check-prefix=TWO
// RUN: not snippets-opt %s -p 'unroll-terms{count=-2}' --split-input-file 2>&1 | filecheck %s --check-prefix=REJECTS

// REJECTS: error: pass 'unroll-terms': expected terms, or -1 for the target's, found count=-2

// NEVER-NOT: count =

// Two rows, and one vector of the right operand, which is loaded for each of them.
// CHECK-LABEL: func.func @fires(
// CHECK: scf.yield
// CHECK-NEXT: } {llvm.loop_annotation = #llvm.loop_annotation<unroll = #llvm.loop_unroll<count = 4 : i32>>}
// TWO-LABEL: func.func @fires(
// TWO: } {llvm.loop_annotation = #llvm.loop_annotation<unroll = #llvm.loop_unroll<count = 2 : i32>>}
func.func @fires(%b: !llvm.ptr, %a: vector<8xf32>, %v: vector<8xf32>) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c12 = arith.constant 12 : i64
  %0, %1, %2 = scf.for %k = %c0 to %c12 step %c1 iter_args(%p = %b, %s = %v, %t = %v) -> (!llvm.ptr, vector<8xf32>, vector<8xf32>) : i64 {
    %3 = llvm.load %p {alignment = 4 : i64} : !llvm.ptr -> vector<8xf32>
    %x = math.fma %a, %3, %s : vector<8xf32>
    %4 = llvm.load %p {alignment = 4 : i64} : !llvm.ptr -> vector<8xf32>
    %y = math.fma %v, %4, %t : vector<8xf32>
    %5 = llvm.getelementptr %p[8] : (!llvm.ptr) -> !llvm.ptr, f32
    scf.yield %5, %x, %y : !llvm.ptr, vector<8xf32>, vector<8xf32>
  }
  func.return
}

// -----

// How many terms there are is known when it runs.
// CHECK-LABEL: func.func @dynamic(
// CHECK: count = 4 : i32
func.func @dynamic(%b: !llvm.ptr, %a: vector<8xf32>, %v: vector<8xf32>, %n: i64) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %0, %1, %2 = scf.for %k = %c0 to %n step %c1 iter_args(%p = %b, %s = %v, %t = %v) -> (!llvm.ptr, vector<8xf32>, vector<8xf32>) : i64 {
    %3 = llvm.load %p {alignment = 4 : i64} : !llvm.ptr -> vector<8xf32>
    %x = math.fma %a, %3, %s : vector<8xf32>
    %y = math.fma %v, %3, %t : vector<8xf32>
    %5 = llvm.getelementptr %p[8] : (!llvm.ptr) -> !llvm.ptr, f32
    scf.yield %5, %x, %y : !llvm.ptr, vector<8xf32>, vector<8xf32>
  }
  func.return
}

// -----

// The fourth iteration ends beyond the last term.
// CHECK-LABEL: func.func @steps_of_two(
// CHECK: count = 4 : i32
func.func @steps_of_two(%b: !llvm.ptr, %a: vector<8xf32>, %v: vector<8xf32>) {
  %c0 = arith.constant 0 : i64
  %c2 = arith.constant 2 : i64
  %c7 = arith.constant 7 : i64
  %0, %1, %2 = scf.for %k = %c0 to %c7 step %c2 iter_args(%p = %b, %s = %v, %t = %v) -> (!llvm.ptr, vector<8xf32>, vector<8xf32>) : i64 {
    %3 = llvm.load %p {alignment = 4 : i64} : !llvm.ptr -> vector<8xf32>
    %x = math.fma %a, %3, %s : vector<8xf32>
    %y = math.fma %v, %3, %t : vector<8xf32>
    %5 = llvm.getelementptr %p[16] : (!llvm.ptr) -> !llvm.ptr, f32
    scf.yield %5, %x, %y : !llvm.ptr, vector<8xf32>, vector<8xf32>
  }
  func.return
}

// -----

// Three terms at most: more than two, but not four.
// CHECK-LABEL: func.func @few(
// CHECK-NOT: count =
// TWO-LABEL: func.func @few(
// TWO: count = 2 : i32
func.func @few(%b: !llvm.ptr, %a: vector<8xf32>, %v: vector<8xf32>) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c3 = arith.constant 3 : i64
  %0, %1, %2 = scf.for %k = %c0 to %c3 step %c1 iter_args(%p = %b, %s = %v, %t = %v) -> (!llvm.ptr, vector<8xf32>, vector<8xf32>) : i64 {
    %3 = llvm.load %p {alignment = 4 : i64} : !llvm.ptr -> vector<8xf32>
    %x = math.fma %a, %3, %s : vector<8xf32>
    %y = math.fma %v, %3, %t : vector<8xf32>
    %5 = llvm.getelementptr %p[8] : (!llvm.ptr) -> !llvm.ptr, f32
    scf.yield %5, %x, %y : !llvm.ptr, vector<8xf32>, vector<8xf32>
  }
  func.return
}

// -----

// One row: two vectors are loaded for two products.
// CHECK-LABEL: func.func @one_row(
// CHECK-NOT: count =
func.func @one_row(%b: !llvm.ptr, %a: vector<8xf32>, %v: vector<8xf32>) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c12 = arith.constant 12 : i64
  %0, %1, %2 = scf.for %k = %c0 to %c12 step %c1 iter_args(%p = %b, %s = %v, %t = %v) -> (!llvm.ptr, vector<8xf32>, vector<8xf32>) : i64 {
    %3 = llvm.load %p {alignment = 4 : i64} : !llvm.ptr -> vector<8xf32>
    %x = math.fma %a, %3, %s : vector<8xf32>
    %q = llvm.getelementptr %p[8] : (!llvm.ptr) -> !llvm.ptr, f32
    %4 = llvm.load %q {alignment = 4 : i64} : !llvm.ptr -> vector<8xf32>
    %y = math.fma %a, %4, %t : vector<8xf32>
    %5 = llvm.getelementptr %p[16] : (!llvm.ptr) -> !llvm.ptr, f32
    scf.yield %5, %x, %y : !llvm.ptr, vector<8xf32>, vector<8xf32>
  }
  func.return
}

// -----

// A polynomial: the products do not add to what the loop carries.
// CHECK-LABEL: func.func @no_sums(
// CHECK-NOT: count =
func.func @no_sums(%b: !llvm.ptr, %a: vector<8xf32>, %v: vector<8xf32>) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c12 = arith.constant 12 : i64
  %0 = scf.for %k = %c0 to %c12 step %c1 iter_args(%p = %b) -> (!llvm.ptr) : i64 {
    %3 = llvm.load %p {alignment = 4 : i64} : !llvm.ptr -> vector<8xf32>
    %x = math.fma %a, %3, %v : vector<8xf32>
    %y = math.fma %x, %3, %a : vector<8xf32>
    llvm.store %y, %p {alignment = 4 : i64} : vector<8xf32>, !llvm.ptr
    %5 = llvm.getelementptr %p[8] : (!llvm.ptr) -> !llvm.ptr, f32
    scf.yield %5 : !llvm.ptr
  }
  func.return
}

// -----

// What LLVM is told already stays, and a loop around others is told nothing.
// CHECK-LABEL: func.func @told(
// CHECK: } {llvm.loop_annotation = #llvm.loop_annotation<unroll = #llvm.loop_unroll<disable = true>>}
// CHECK-NOT: count =
func.func @told(%b: !llvm.ptr, %a: vector<8xf32>, %v: vector<8xf32>) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c12 = arith.constant 12 : i64
  scf.for %i = %c0 to %c12 step %c1 : i64 {
    %0, %1, %2 = scf.for %k = %c0 to %c12 step %c1 iter_args(%p = %b, %s = %v, %t = %v) -> (!llvm.ptr, vector<8xf32>, vector<8xf32>) : i64 {
      %3 = llvm.load %p {alignment = 4 : i64} : !llvm.ptr -> vector<8xf32>
      %x = math.fma %a, %3, %s : vector<8xf32>
      %y = math.fma %v, %3, %t : vector<8xf32>
      %5 = llvm.getelementptr %p[8] : (!llvm.ptr) -> !llvm.ptr, f32
      scf.yield %5, %x, %y : !llvm.ptr, vector<8xf32>, vector<8xf32>
    } {llvm.loop_annotation = #llvm.loop_annotation<unroll = #llvm.loop_unroll<disable = true>>}
  }
  func.return
}

// -----

// A block of 50 terms: 4 in turn would leave two over, 5 leave none.
// CHECK-LABEL: func.func @fifty(
// CHECK: count = 5 : i32
// TWO-LABEL: func.func @fifty(
// TWO: count = 2 : i32
func.func @fifty(%b: !llvm.ptr, %a: vector<8xf32>, %v: vector<8xf32>) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %n = arith.constant 50 : i64
  %0, %1, %2 = scf.for %k = %c0 to %n step %c1 iter_args(%p = %b, %s = %v, %t = %v) -> (!llvm.ptr, vector<8xf32>, vector<8xf32>) : i64 {
    %3 = llvm.load %p {alignment = 4 : i64} : !llvm.ptr -> vector<8xf32>
    %x = math.fma %a, %3, %s : vector<8xf32>
    %y = math.fma %v, %3, %t : vector<8xf32>
    %5 = llvm.getelementptr %p[8] : (!llvm.ptr) -> !llvm.ptr, f32
    scf.yield %5, %x, %y : !llvm.ptr, vector<8xf32>, vector<8xf32>
  }
    %6 = arith.addf %1, %a : vector<8xf32>
    %7 = arith.addf %2, %a : vector<8xf32>
  func.return
}

// -----

// 54 terms.
// CHECK-LABEL: func.func @fifty_four(
// CHECK: count = 3 : i32
func.func @fifty_four(%b: !llvm.ptr, %a: vector<8xf32>, %v: vector<8xf32>) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %n = arith.constant 54 : i64
  %0, %1, %2 = scf.for %k = %c0 to %n step %c1 iter_args(%p = %b, %s = %v, %t = %v) -> (!llvm.ptr, vector<8xf32>, vector<8xf32>) : i64 {
    %3 = llvm.load %p {alignment = 4 : i64} : !llvm.ptr -> vector<8xf32>
    %x = math.fma %a, %3, %s : vector<8xf32>
    %y = math.fma %v, %3, %t : vector<8xf32>
    %5 = llvm.getelementptr %p[8] : (!llvm.ptr) -> !llvm.ptr, f32
    scf.yield %5, %x, %y : !llvm.ptr, vector<8xf32>, vector<8xf32>
  }
    %6 = arith.addf %1, %a : vector<8xf32>
    %7 = arith.addf %2, %a : vector<8xf32>
  func.return
}

// -----

// Of 62 terms two are in turn.
// CHECK-LABEL: func.func @sixty_two(
// CHECK: count = 2 : i32
func.func @sixty_two(%b: !llvm.ptr, %a: vector<8xf32>, %v: vector<8xf32>) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %n = arith.constant 62 : i64
  %0, %1, %2 = scf.for %k = %c0 to %n step %c1 iter_args(%p = %b, %s = %v, %t = %v) -> (!llvm.ptr, vector<8xf32>, vector<8xf32>) : i64 {
    %3 = llvm.load %p {alignment = 4 : i64} : !llvm.ptr -> vector<8xf32>
    %x = math.fma %a, %3, %s : vector<8xf32>
    %y = math.fma %v, %3, %t : vector<8xf32>
    %5 = llvm.getelementptr %p[8] : (!llvm.ptr) -> !llvm.ptr, f32
    scf.yield %5, %x, %y : !llvm.ptr, vector<8xf32>, vector<8xf32>
  }
    %6 = arith.addf %1, %a : vector<8xf32>
    %7 = arith.addf %2, %a : vector<8xf32>
  func.return
}

// -----

// LLVM keeps its sums in registers where one term is left over.
// CHECK-LABEL: func.func @fifty_three(
// CHECK: count = 4 : i32
func.func @fifty_three(%b: !llvm.ptr, %a: vector<8xf32>, %v: vector<8xf32>) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %n = arith.constant 53 : i64
  %0, %1, %2 = scf.for %k = %c0 to %n step %c1 iter_args(%p = %b, %s = %v, %t = %v) -> (!llvm.ptr, vector<8xf32>, vector<8xf32>) : i64 {
    %3 = llvm.load %p {alignment = 4 : i64} : !llvm.ptr -> vector<8xf32>
    %x = math.fma %a, %3, %s : vector<8xf32>
    %y = math.fma %v, %3, %t : vector<8xf32>
    %5 = llvm.getelementptr %p[8] : (!llvm.ptr) -> !llvm.ptr, f32
    scf.yield %5, %x, %y : !llvm.ptr, vector<8xf32>, vector<8xf32>
  }
    %6 = arith.addf %1, %a : vector<8xf32>
    %7 = arith.addf %2, %a : vector<8xf32>
  func.return
}

// -----

// And where the sums are those of all terms.
// CHECK-LABEL: func.func @whole(
// CHECK: count = 4 : i32
func.func @whole(%b: !llvm.ptr, %a: vector<8xf32>, %v: vector<8xf32>) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %n = arith.constant 50 : i64
  %0, %1, %2 = scf.for %k = %c0 to %n step %c1 iter_args(%p = %b, %s = %v, %t = %v) -> (!llvm.ptr, vector<8xf32>, vector<8xf32>) : i64 {
    %3 = llvm.load %p {alignment = 4 : i64} : !llvm.ptr -> vector<8xf32>
    %x = math.fma %a, %3, %s : vector<8xf32>
    %y = math.fma %v, %3, %t : vector<8xf32>
    %5 = llvm.getelementptr %p[8] : (!llvm.ptr) -> !llvm.ptr, f32
    scf.yield %5, %x, %y : !llvm.ptr, vector<8xf32>, vector<8xf32>
  }
  func.return
}
