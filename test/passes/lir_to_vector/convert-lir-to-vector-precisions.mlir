// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx2},convert-snippets-to-lir,lir-mark-loops,lir-fuse-loops,lir-insert-load-store,lir-init-loops,lir-insert-loops,lir-insert-specific-iterations,convert-lir-to-vector' --split-input-file --verify-diagnostics
// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx2},snippets-propagate-precision,convert-snippets-to-lir,lir-mark-loops,lir-fuse-loops,lir-insert-load-store,lir-init-loops,lir-insert-loops,lir-insert-specific-iterations,convert-lir-to-vector' --split-input-file | filecheck %s

// An op of a type that no emitter computes in is refused, with those that there are; snippets-propagate-precision
// converts it.
// CHECK-LABEL: @half
// CHECK: arith.extf {{.*}} vector<8xf16> to vector<8xf32>
// CHECK: arith.addf {{.*}}vector<8xf32>
func.func @half(%x: tensor<16xf16>) -> tensor<16xf16> {
  %r = snippets.subgraph (%a = %x) : (tensor<16xf16>) -> tensor<16xf16> {
    // expected-error @+1 {{snippets.add has no emitter for f16, f16 on target x86-64-avx2, expected f32, f32 or f64, f64 or i32, i32 or i64, i64; run snippets-propagate-precision, insert a snippets.convert_saturation, or choose another target}}
    %0 = snippets.add %a, %a : tensor<16xf16>
    snippets.yield %0 : tensor<16xf16>
  }
  func.return %r : tensor<16xf16>
}

// -----

// Does not fire: conversions and what moves elements take any type.
func.func @moved(%x: tensor<16xi8>) -> tensor<16xi32> {
  %r = snippets.subgraph (%a = %x) : (tensor<16xi8>) -> tensor<16xi32> {
    %0 = snippets.convert_truncation %a : (tensor<16xi8>) -> tensor<16xi32>
    snippets.yield %0 : tensor<16xi32>
  }
  func.return %r : tensor<16xi32>
}

// -----

// A bf16 is an i16 between ops, so what is loaded is stored as it is.
// CHECK-LABEL: @bf16_moved
// CHECK: %[[BITS:.*]] = llvm.load {{.*}} -> vector<8xi16>
// CHECK-NEXT: llvm.store %[[BITS]]
func.func @bf16_moved(%x: tensor<16xbf16>) -> tensor<16xbf16> {
  %r = snippets.subgraph (%a = %x) : (tensor<16xbf16>) -> tensor<16xbf16> {
    %0 = snippets.broadcast %a : tensor<16xbf16>
    snippets.yield %0 : tensor<16xbf16>
  }
  func.return %r : tensor<16xbf16>
}

// -----

// Does not fire inside of an op: it reads bf16.
// CHECK-LABEL: @bf16_converted
// CHECK: %[[BITS:.*]] = llvm.load {{.*}} -> vector<8xi16>
// CHECK: arith.bitcast %[[BITS]] : vector<8xi16> to vector<8xbf16>
func.func @bf16_converted(%x: tensor<16xbf16>) -> tensor<16xf32> {
  %r = snippets.subgraph (%a = %x) : (tensor<16xbf16>) -> tensor<16xf32> {
    %0 = snippets.convert_truncation %a : (tensor<16xbf16>) -> tensor<16xf32>
    snippets.yield %0 : tensor<16xf32>
  }
  func.return %r : tensor<16xf32>
}

// -----

// A f16 is an i16 between ops, too.
// CHECK-LABEL: @f16_moved
// CHECK: %[[BITS:.*]] = llvm.load {{.*}} -> vector<8xi16>
// CHECK-NEXT: llvm.store %[[BITS]]
func.func @f16_moved(%x: tensor<16xf16>) -> tensor<16xf16> {
  %r = snippets.subgraph (%a = %x) : (tensor<16xf16>) -> tensor<16xf16> {
    %0 = snippets.broadcast %a : tensor<16xf16>
    snippets.yield %0 : tensor<16xf16>
  }
  func.return %r : tensor<16xf16>
}
