// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx2},unroll-terms' --verify-each --split-input-file | filecheck %s
// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx2},unroll-terms{disable-patterns=kept-loops}' --split-input-file | filecheck %s --check-prefix=OFF

// OFF-NOT: disable

// One product for each loaded vector: LLVM adds no copies of the loop, nor of the loop around it.
// CHECK-LABEL: func.func @fires(
// CHECK-COUNT-2: } {llvm.loop_annotation = #llvm.loop_annotation<unroll = #llvm.loop_unroll<disable = true>>}
func.func @fires(%b: !llvm.ptr, %a: f32, %v: vector<8xf32>, %n: i64) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %cT = arith.constant 128 : i64
  %0 = scf.for %r = %c0 to %n step %c1 iter_args(%q = %b) -> (!llvm.ptr) : i64 {
    %1, %2 = scf.for %k = %c0 to %cT step %c1 iter_args(%p = %b, %s = %v) -> (!llvm.ptr, vector<8xf32>) : i64 {
      %3 = llvm.load %p {alignment = 4 : i64} : !llvm.ptr -> vector<8xf32>
      %x = math.fma %3, %3, %s : vector<8xf32>
      %5 = llvm.getelementptr %p[8] : (!llvm.ptr) -> !llvm.ptr, f32
      scf.yield %5, %x : !llvm.ptr, vector<8xf32>
    }
    scf.yield %1 : !llvm.ptr
  }
  func.return
}

// -----

// Does not fire: the loop over terms is short.
// CHECK-LABEL: func.func @short(
// CHECK-NOT: disable
func.func @short(%b: !llvm.ptr, %a: f32, %v: vector<8xf32>, %n: i64) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %cT = arith.constant 16 : i64
  %0 = scf.for %r = %c0 to %n step %c1 iter_args(%q = %b) -> (!llvm.ptr) : i64 {
    %1, %2 = scf.for %k = %c0 to %cT step %c1 iter_args(%p = %b, %s = %v) -> (!llvm.ptr, vector<8xf32>) : i64 {
      %3 = llvm.load %p {alignment = 4 : i64} : !llvm.ptr -> vector<8xf32>
      %x = math.fma %3, %3, %s : vector<8xf32>
      %5 = llvm.getelementptr %p[8] : (!llvm.ptr) -> !llvm.ptr, f32
      scf.yield %5, %x : !llvm.ptr, vector<8xf32>
    }
    scf.yield %1 : !llvm.ptr
  }
  func.return
}

// -----

// Does not fire: a sum is no product.
// CHECK-LABEL: func.func @sum(
// CHECK-NOT: disable
func.func @sum(%b: !llvm.ptr, %a: f32, %v: vector<8xf32>, %n: i64) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %cT = arith.constant 128 : i64
  %0 = scf.for %r = %c0 to %n step %c1 iter_args(%q = %b) -> (!llvm.ptr) : i64 {
    %1, %2 = scf.for %k = %c0 to %cT step %c1 iter_args(%p = %b, %s = %v) -> (!llvm.ptr, vector<8xf32>) : i64 {
      %3 = llvm.load %p {alignment = 4 : i64} : !llvm.ptr -> vector<8xf32>
      %x = arith.addf %3, %s : vector<8xf32>
      %5 = llvm.getelementptr %p[8] : (!llvm.ptr) -> !llvm.ptr, f32
      scf.yield %5, %x : !llvm.ptr, vector<8xf32>
    }
    scf.yield %1 : !llvm.ptr
  }
  func.return
}

// -----

// Does not fire: the products are not summed.
// CHECK-LABEL: func.func @apart(
// CHECK-NOT: disable
func.func @apart(%b: !llvm.ptr, %a: f32, %v: vector<8xf32>, %n: i64) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %cT = arith.constant 128 : i64
  %0 = scf.for %r = %c0 to %n step %c1 iter_args(%q = %b) -> (!llvm.ptr) : i64 {
    %1, %2 = scf.for %k = %c0 to %cT step %c1 iter_args(%p = %b, %s = %v) -> (!llvm.ptr, vector<8xf32>) : i64 {
      %3 = llvm.load %p {alignment = 4 : i64} : !llvm.ptr -> vector<8xf32>
      %x = math.fma %3, %s, %v : vector<8xf32>
      %5 = llvm.getelementptr %p[8] : (!llvm.ptr) -> !llvm.ptr, f32
      scf.yield %5, %x : !llvm.ptr, vector<8xf32>
    }
    scf.yield %1 : !llvm.ptr
  }
  func.return
}
