// RUN: snippets-opt %s --split-input-file --verify-diagnostics

llvm.func @f(%a: vector<8xf32>) {
  // expected-error @+1 {{C1: expected types with the same number of elements, found vector<8xf32> and vector<4xi32>}}
  %0 = llvm.fptosi %a : vector<8xf32> to vector<4xi32>
  llvm.return
}

// -----

llvm.func @f(%a: vector<8xf32>) {
  // expected-error @+1 {{C2: expected types of the same number of bits, found vector<8xf32> and vector<8xi64>}}
  %0 = llvm.bitcast %a : vector<8xf32> to vector<8xi64>
  llvm.return
}

// -----

llvm.func @f(%p: !llvm.ptr) {
  // expected-error @+1 {{expected an alignment that is a power of two, found 3}}
  %0 = llvm.load %p {alignment = 3 : i64} : !llvm.ptr -> f32
  llvm.return
}

// -----

llvm.func @f(%c: vector<4xi1>, %a: vector<8xf32>) {
  // expected-error @+1 {{expected i1 or as many lanes as vector<8xf32>, found vector<4xi1>}}
  %0 = llvm.select %c, %a, %a : vector<4xi1>, vector<8xf32>
  llvm.return
}

// -----

llvm.func @f(%p: !llvm.ptr, %m: vector<4xi1>, %a: vector<8xf32>) {
  // expected-error @+1 {{expected vectors of one length, found !llvm.ptr, vector<4xi1>, vector<8xf32>, vector<8xf32>}}
  %0 = llvm.intr.masked.load %p, %m, %a {alignment = 4 : i32} : (!llvm.ptr, vector<4xi1>, vector<8xf32>) -> vector<8xf32>
  llvm.return
}

// -----

llvm.func @f(%p: !llvm.ptr) {
  // expected-error @+1 {{expected 1 dynamic indices, found 0}}
  %0 = "llvm.getelementptr"(%p) <{elem_type = f32, noWrapFlags = 0 : i32, rawConstantIndices = array<i32: -2147483648>}> : (!llvm.ptr) -> !llvm.ptr
  llvm.return
}

// -----

llvm.func @f() {
  // expected-error @+1 {{expected a type of LLVM's, found vector<2x4xf32>}}
  %0 = llvm.mlir.zero : vector<2x4xf32>
  llvm.return
}

// -----

llvm.func @f(%a: f32) {
  // expected-error @+1 {{expected one of _false, oeq, ogt, oge, olt, ole, one, ord, ueq, ugt, uge, ult, ule, une, uno, _true, found 'lt'}}
  %0 = llvm.fcmp "lt" %a, %a : f32
  llvm.return
}

// -----

llvm.func @f() {
  // expected-error @+1 {{expected acquire, release, acq_rel or seq_cst}}
  llvm.fence monotonic
  llvm.return
}

// -----

llvm.func @f(%p: !llvm.ptr, %x: i32) {
  // expected-error @+1 {{expected monotonic, acquire, release, acq_rel or seq_cst}}
  %0 = llvm.atomicrmw xchg %p, %x unordered : !llvm.ptr, i32
  llvm.return
}

// -----

llvm.func @f(%p: !llvm.ptr, %x: i32) {
  // expected-error @+1 {{expected one of xchg, add, sub, _and, nand, _or, _xor, max, min, umax, umin}}
  %0 = llvm.atomicrmw fmax %p, %x acquire : !llvm.ptr, i32
  llvm.return
}

// -----

llvm.func @f(%p: !llvm.ptr, %x: i32) {
  // expected-error @+1 {{expected a change of integers, found 11}}
  %0 = "llvm.atomicrmw"(%p, %x) <{bin_op = 11 : i64, ordering = 4 : i64}> : (!llvm.ptr, i32) -> i32
  llvm.return
}
