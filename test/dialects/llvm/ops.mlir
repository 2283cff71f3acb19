// RUN: snippets-opt --split-input-file %s | snippets-opt --split-input-file - | filecheck %s
// RUN: snippets-opt --split-input-file --mlir-print-op-generic %s | snippets-opt --split-input-file - | filecheck %s

// CHECK-LABEL: @intrinsics
llvm.func @intrinsics(%a: vector<8xf32>, %i: vector<8xi32>, %s: f32) {
  // CHECK-NEXT: %fabs = llvm.intr.fabs(%a) : (vector<8xf32>) -> vector<8xf32>
  %fabs = llvm.intr.fabs(%a) : (vector<8xf32>) -> vector<8xf32>
  // CHECK-NEXT: %trunc = llvm.intr.trunc(%a) : (vector<8xf32>) -> vector<8xf32>
  %trunc = llvm.intr.trunc(%a) : (vector<8xf32>) -> vector<8xf32>
  // CHECK-NEXT: %rint = llvm.intr.rint(%a) : (vector<8xf32>) -> vector<8xf32>
  %rint = llvm.intr.rint(%a) : (vector<8xf32>) -> vector<8xf32>
  // CHECK-NEXT: %nearbyint = llvm.intr.nearbyint(%a) : (vector<8xf32>) -> vector<8xf32>
  %nearbyint = llvm.intr.nearbyint(%a) : (vector<8xf32>) -> vector<8xf32>
  // CHECK-NEXT: %round = llvm.intr.round(%a) : (vector<8xf32>) -> vector<8xf32>
  %round = llvm.intr.round(%a) : (vector<8xf32>) -> vector<8xf32>
  // CHECK-NEXT: %roundeven = llvm.intr.roundeven(%a) : (vector<8xf32>) -> vector<8xf32>
  %roundeven = llvm.intr.roundeven(%a) : (vector<8xf32>) -> vector<8xf32>
  // CHECK-NEXT: %flagged = llvm.intr.roundeven(%s) {fastmathFlags = #llvm.fastmath<nnan>} : (f32) -> f32
  %flagged = llvm.intr.roundeven(%s) {fastmathFlags = #llvm.fastmath<nnan>} : (f32) -> f32
  // CHECK-NEXT: %maximum = llvm.intr.maximum(%a, %a) : (vector<8xf32>, vector<8xf32>) -> vector<8xf32>
  %maximum = llvm.intr.maximum(%a, %a) : (vector<8xf32>, vector<8xf32>) -> vector<8xf32>
  // CHECK-NEXT: %minimum = llvm.intr.minimum(%a, %a) : (vector<8xf32>, vector<8xf32>) -> vector<8xf32>
  %minimum = llvm.intr.minimum(%a, %a) : (vector<8xf32>, vector<8xf32>) -> vector<8xf32>
  // CHECK-NEXT: %smax = llvm.intr.smax(%i, %i) : (vector<8xi32>, vector<8xi32>) -> vector<8xi32>
  %smax = llvm.intr.smax(%i, %i) : (vector<8xi32>, vector<8xi32>) -> vector<8xi32>
  // CHECK-NEXT: %smin = llvm.intr.smin(%i, %i) : (vector<8xi32>, vector<8xi32>) -> vector<8xi32>
  %smin = llvm.intr.smin(%i, %i) : (vector<8xi32>, vector<8xi32>) -> vector<8xi32>
  // CHECK-NEXT: %umax = llvm.intr.umax(%i, %i) : (vector<8xi32>, vector<8xi32>) -> vector<8xi32>
  %umax = llvm.intr.umax(%i, %i) : (vector<8xi32>, vector<8xi32>) -> vector<8xi32>
  // CHECK-NEXT: %umin = llvm.intr.umin(%i, %i) : (vector<8xi32>, vector<8xi32>) -> vector<8xi32>
  %umin = llvm.intr.umin(%i, %i) : (vector<8xi32>, vector<8xi32>) -> vector<8xi32>
  // CHECK-NEXT: %sadd_sat = llvm.intr.sadd.sat(%i, %i) : (vector<8xi32>, vector<8xi32>) -> vector<8xi32>
  %sadd_sat = llvm.intr.sadd.sat(%i, %i) : (vector<8xi32>, vector<8xi32>) -> vector<8xi32>
  // CHECK-NEXT: %uadd_sat = llvm.intr.uadd.sat(%i, %i) : (vector<8xi32>, vector<8xi32>) -> vector<8xi32>
  %uadd_sat = llvm.intr.uadd.sat(%i, %i) : (vector<8xi32>, vector<8xi32>) -> vector<8xi32>
  // CHECK-NEXT: %ssub_sat = llvm.intr.ssub.sat(%i, %i) : (vector<8xi32>, vector<8xi32>) -> vector<8xi32>
  %ssub_sat = llvm.intr.ssub.sat(%i, %i) : (vector<8xi32>, vector<8xi32>) -> vector<8xi32>
  // CHECK-NEXT: %usub_sat = llvm.intr.usub.sat(%i, %i) : (vector<8xi32>, vector<8xi32>) -> vector<8xi32>
  %usub_sat = llvm.intr.usub.sat(%i, %i) : (vector<8xi32>, vector<8xi32>) -> vector<8xi32>
  // CHECK-NEXT: %ctpop = llvm.intr.ctpop(%i) : (vector<8xi32>) -> vector<8xi32>
  %ctpop = llvm.intr.ctpop(%i) : (vector<8xi32>) -> vector<8xi32>
  // CHECK-NEXT: %fmuladd = llvm.intr.fmuladd(%a, %a, %a) : (vector<8xf32>, vector<8xf32>, vector<8xf32>) -> vector<8xf32>
  %fmuladd = llvm.intr.fmuladd(%a, %a, %a) : (vector<8xf32>, vector<8xf32>, vector<8xf32>) -> vector<8xf32>
  // CHECK-NEXT: %stepvector = llvm.intr.stepvector : vector<8xi32>
  %stepvector = llvm.intr.stepvector : vector<8xi32>
  llvm.return
}

// -----

// CHECK-LABEL: @reductions
llvm.func @reductions(%a: vector<8xf32>, %i: vector<8xi32>) {
  // CHECK-NEXT: %add = "llvm.intr.vector.reduce.add"(%i) : (vector<8xi32>) -> i32
  %add = "llvm.intr.vector.reduce.add"(%i) : (vector<8xi32>) -> i32
  // CHECK-NEXT: %mul = "llvm.intr.vector.reduce.mul"(%i) : (vector<8xi32>) -> i32
  %mul = "llvm.intr.vector.reduce.mul"(%i) : (vector<8xi32>) -> i32
  // CHECK-NEXT: %and = "llvm.intr.vector.reduce.and"(%i) : (vector<8xi32>) -> i32
  %and = "llvm.intr.vector.reduce.and"(%i) : (vector<8xi32>) -> i32
  // CHECK-NEXT: %or = "llvm.intr.vector.reduce.or"(%i) : (vector<8xi32>) -> i32
  %or = "llvm.intr.vector.reduce.or"(%i) : (vector<8xi32>) -> i32
  // CHECK-NEXT: %xor = "llvm.intr.vector.reduce.xor"(%i) : (vector<8xi32>) -> i32
  %xor = "llvm.intr.vector.reduce.xor"(%i) : (vector<8xi32>) -> i32
  // CHECK-NEXT: %smax = "llvm.intr.vector.reduce.smax"(%i) : (vector<8xi32>) -> i32
  %smax = "llvm.intr.vector.reduce.smax"(%i) : (vector<8xi32>) -> i32
  // CHECK-NEXT: %smin = "llvm.intr.vector.reduce.smin"(%i) : (vector<8xi32>) -> i32
  %smin = "llvm.intr.vector.reduce.smin"(%i) : (vector<8xi32>) -> i32
  // CHECK-NEXT: %umax = "llvm.intr.vector.reduce.umax"(%i) : (vector<8xi32>) -> i32
  %umax = "llvm.intr.vector.reduce.umax"(%i) : (vector<8xi32>) -> i32
  // CHECK-NEXT: %umin = "llvm.intr.vector.reduce.umin"(%i) : (vector<8xi32>) -> i32
  %umin = "llvm.intr.vector.reduce.umin"(%i) : (vector<8xi32>) -> i32
  // CHECK-NEXT: %fmax = llvm.intr.vector.reduce.fmax(%a) : (vector<8xf32>) -> f32
  %fmax = llvm.intr.vector.reduce.fmax(%a) : (vector<8xf32>) -> f32
  // CHECK-NEXT: %fmin = llvm.intr.vector.reduce.fmin(%a) : (vector<8xf32>) -> f32
  %fmin = llvm.intr.vector.reduce.fmin(%a) : (vector<8xf32>) -> f32
  // CHECK-NEXT: %fmaximum = llvm.intr.vector.reduce.fmaximum(%a) : (vector<8xf32>) -> f32
  %fmaximum = llvm.intr.vector.reduce.fmaximum(%a) : (vector<8xf32>) -> f32
  // CHECK-NEXT: %fminimum = llvm.intr.vector.reduce.fminimum(%a) : (vector<8xf32>) -> f32
  %fminimum = llvm.intr.vector.reduce.fminimum(%a) : (vector<8xf32>) -> f32
  // CHECK-NEXT: %reassociated = llvm.intr.vector.reduce.fmax(%a) {fastmathFlags = #llvm.fastmath<nnan>} : (vector<8xf32>) -> f32
  %reassociated = llvm.intr.vector.reduce.fmax(%a) {fastmathFlags = #llvm.fastmath<nnan>} : (vector<8xf32>) -> f32
  llvm.return
}

// -----

// CHECK-LABEL: @values
llvm.func @values(%a: vector<8xf32>, %i: i64, %s: f32, %c: i1, %m: vector<8xi1>) {
  // CHECK-NEXT: %fcmp__false = llvm.fcmp "_false" %a, %a : vector<8xf32>
  %fcmp__false = llvm.fcmp "_false" %a, %a : vector<8xf32>
  // CHECK-NEXT: %fcmp_oeq = llvm.fcmp "oeq" %a, %a : vector<8xf32>
  %fcmp_oeq = llvm.fcmp "oeq" %a, %a : vector<8xf32>
  // CHECK-NEXT: %fcmp_ogt = llvm.fcmp "ogt" %a, %a : vector<8xf32>
  %fcmp_ogt = llvm.fcmp "ogt" %a, %a : vector<8xf32>
  // CHECK-NEXT: %fcmp_oge = llvm.fcmp "oge" %a, %a : vector<8xf32>
  %fcmp_oge = llvm.fcmp "oge" %a, %a : vector<8xf32>
  // CHECK-NEXT: %fcmp_olt = llvm.fcmp "olt" %a, %a : vector<8xf32>
  %fcmp_olt = llvm.fcmp "olt" %a, %a : vector<8xf32>
  // CHECK-NEXT: %fcmp_ole = llvm.fcmp "ole" %a, %a : vector<8xf32>
  %fcmp_ole = llvm.fcmp "ole" %a, %a : vector<8xf32>
  // CHECK-NEXT: %fcmp_one = llvm.fcmp "one" %a, %a : vector<8xf32>
  %fcmp_one = llvm.fcmp "one" %a, %a : vector<8xf32>
  // CHECK-NEXT: %fcmp_ord = llvm.fcmp "ord" %a, %a : vector<8xf32>
  %fcmp_ord = llvm.fcmp "ord" %a, %a : vector<8xf32>
  // CHECK-NEXT: %fcmp_ueq = llvm.fcmp "ueq" %a, %a : vector<8xf32>
  %fcmp_ueq = llvm.fcmp "ueq" %a, %a : vector<8xf32>
  // CHECK-NEXT: %fcmp_ugt = llvm.fcmp "ugt" %a, %a : vector<8xf32>
  %fcmp_ugt = llvm.fcmp "ugt" %a, %a : vector<8xf32>
  // CHECK-NEXT: %fcmp_uge = llvm.fcmp "uge" %a, %a : vector<8xf32>
  %fcmp_uge = llvm.fcmp "uge" %a, %a : vector<8xf32>
  // CHECK-NEXT: %fcmp_ult = llvm.fcmp "ult" %a, %a : vector<8xf32>
  %fcmp_ult = llvm.fcmp "ult" %a, %a : vector<8xf32>
  // CHECK-NEXT: %fcmp_ule = llvm.fcmp "ule" %a, %a : vector<8xf32>
  %fcmp_ule = llvm.fcmp "ule" %a, %a : vector<8xf32>
  // CHECK-NEXT: %fcmp_une = llvm.fcmp "une" %a, %a : vector<8xf32>
  %fcmp_une = llvm.fcmp "une" %a, %a : vector<8xf32>
  // CHECK-NEXT: %fcmp_uno = llvm.fcmp "uno" %a, %a : vector<8xf32>
  %fcmp_uno = llvm.fcmp "uno" %a, %a : vector<8xf32>
  // CHECK-NEXT: %fcmp__true = llvm.fcmp "_true" %a, %a : vector<8xf32>
  %fcmp__true = llvm.fcmp "_true" %a, %a : vector<8xf32>
  // CHECK-NEXT: %flags = llvm.fcmp "olt" %s, %s {fastmathFlags = #llvm.fastmath<nnan>} : f32
  %flags = llvm.fcmp "olt" %s, %s {fastmathFlags = #llvm.fastmath<nnan>} : f32
  // CHECK-NEXT: %select = llvm.select %m, %a, %a {fastmathFlags = #llvm.fastmath<nnan>} : vector<8xi1>, vector<8xf32>
  %select = llvm.select %m, %a, %a {fastmathFlags = #llvm.fastmath<nnan>} : vector<8xi1>, vector<8xf32>
  // CHECK-NEXT: %scalar = llvm.select %c, %a, %a : i1, vector<8xf32>
  %scalar = llvm.select %c, %a, %a : i1, vector<8xf32>
  // CHECK-NEXT: %element = llvm.extractelement %a[%i : i64] : vector<8xf32>
  %element = llvm.extractelement %a[%i : i64] : vector<8xf32>
  // CHECK-NEXT: %freeze = llvm.freeze %a : vector<8xf32>
  %freeze = llvm.freeze %a : vector<8xf32>
  // CHECK-NEXT: %poison = llvm.mlir.poison : vector<8xf32>
  %poison = llvm.mlir.poison : vector<8xf32>
  // CHECK-NEXT: %zero = llvm.mlir.zero : vector<8xf32>
  %zero = llvm.mlir.zero : vector<8xf32>
  // CHECK-NEXT: %null = llvm.mlir.zero : !llvm.ptr
  %null = llvm.mlir.zero : !llvm.ptr
  llvm.return
}

// -----

// CHECK-LABEL: @casts
llvm.func @casts(%a: vector<8xf32>, %i: vector<8xi32>, %h: f16) {
  // CHECK-NEXT: %fptosi = llvm.fptosi %a : vector<8xf32> to vector<8xi32>
  %fptosi = llvm.fptosi %a : vector<8xf32> to vector<8xi32>
  // CHECK-NEXT: %fptoui = llvm.fptoui %a : vector<8xf32> to vector<8xi8>
  %fptoui = llvm.fptoui %a : vector<8xf32> to vector<8xi8>
  // CHECK-NEXT: %sitofp = llvm.sitofp %i : vector<8xi32> to vector<8xf32>
  %sitofp = llvm.sitofp %i : vector<8xi32> to vector<8xf32>
  // CHECK-NEXT: %uitofp = llvm.uitofp nneg %i : vector<8xi32> to vector<8xf32>
  %uitofp = llvm.uitofp nneg %i : vector<8xi32> to vector<8xf32>
  // CHECK-NEXT: %fpext = llvm.fpext %h : f16 to f64
  %fpext = llvm.fpext %h : f16 to f64
  // CHECK-NEXT: %fptrunc = llvm.fptrunc %a : vector<8xf32> to vector<8xbf16>
  %fptrunc = llvm.fptrunc %a : vector<8xf32> to vector<8xbf16>
  // CHECK-NEXT: %bitcast = llvm.bitcast %a : vector<8xf32> to vector<8xi32>
  %bitcast = llvm.bitcast %a : vector<8xf32> to vector<8xi32>
  llvm.return
}

// -----

// CHECK-LABEL: @memory
llvm.func @memory(%p: !llvm.ptr, %a: vector<8xf32>, %m: vector<8xi1>, %n: i64, %i: vector<8xi32>, %ps: vector<8x!llvm.ptr>) {
  // CHECK-NEXT: %load = llvm.load %p {alignment = 4 : i64, nontemporal} : !llvm.ptr -> vector<8xf32>
  %load = llvm.load %p {alignment = 4 : i64, nontemporal} : !llvm.ptr -> vector<8xf32>
  // CHECK-NEXT: %constant = llvm.load %p invariant {alignment = 4 : i64} : !llvm.ptr -> vector<8xf32>
  %constant = llvm.load %p invariant {alignment = 4 : i64} : !llvm.ptr -> vector<8xf32>
  // CHECK-NEXT: %volatile = llvm.load volatile %p atomic monotonic {alignment = 4 : i64} : !llvm.ptr -> f32
  %volatile = llvm.load volatile %p atomic monotonic {alignment = 4 : i64} : !llvm.ptr -> f32
  // CHECK-NEXT: llvm.store %load, %p {alignment = 4 : i64, nontemporal} : vector<8xf32>, !llvm.ptr
  llvm.store %load, %p {alignment = 4 : i64, nontemporal} : vector<8xf32>, !llvm.ptr
  // CHECK-NEXT: llvm.store volatile %volatile, %p atomic release {alignment = 4 : i64} : f32, !llvm.ptr
  llvm.store volatile %volatile, %p atomic release {alignment = 4 : i64} : f32, !llvm.ptr
  // CHECK-NEXT: llvm.store %a, %p : vector<8xf32>, !llvm.ptr
  llvm.store %a, %p : vector<8xf32>, !llvm.ptr
  // CHECK-NEXT: %gep = llvm.getelementptr inbounds|nuw %p[%n] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %gep = llvm.getelementptr inbounds|nuw %p[%n] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  // CHECK-NEXT: %mixed = llvm.getelementptr nusw %p[1, %n] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<4 x f32>
  %mixed = llvm.getelementptr nusw %p[1, %n] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<4 x f32>
  // CHECK-NEXT: %geps = llvm.getelementptr %p[%i] : (!llvm.ptr, vector<8xi32>) -> vector<8x!llvm.ptr>, f32
  %geps = llvm.getelementptr %p[%i] : (!llvm.ptr, vector<8xi32>) -> vector<8x!llvm.ptr>, f32
  // CHECK-NEXT: %masked = llvm.intr.masked.load %p, %m, %a {alignment = 4 : i32} : (!llvm.ptr, vector<8xi1>, vector<8xf32>) -> vector<8xf32>
  %masked = llvm.intr.masked.load %p, %m, %a {alignment = 4 : i32} : (!llvm.ptr, vector<8xi1>, vector<8xf32>) -> vector<8xf32>
  // CHECK-NEXT: llvm.intr.masked.store %i, %p, %m {alignment = 4 : i32} : vector<8xi32>, vector<8xi1> into !llvm.ptr
  llvm.intr.masked.store %i, %p, %m {alignment = 4 : i32} : vector<8xi32>, vector<8xi1> into !llvm.ptr
  // CHECK-NEXT: %gathered = llvm.intr.masked.gather %ps, %m, %a {alignment = 4 : i32} : (vector<8x!llvm.ptr>, vector<8xi1>, vector<8xf32>) -> vector<8xf32>
  %gathered = llvm.intr.masked.gather %ps, %m, %a {alignment = 4 : i32} : (vector<8x!llvm.ptr>, vector<8xi1>, vector<8xf32>) -> vector<8xf32>
  // CHECK-NEXT: llvm.intr.masked.scatter %gathered, %ps, %m {alignment = 4 : i32} : vector<8xf32>, vector<8xi1> into vector<8x!llvm.ptr>
  llvm.intr.masked.scatter %gathered, %ps, %m {alignment = 4 : i32} : vector<8xf32>, vector<8xi1> into vector<8x!llvm.ptr>
  // CHECK-NEXT: llvm.fence release
  llvm.fence release
  // CHECK-NEXT: %old = llvm.atomicrmw xchg %p, %n acquire {alignment = 8 : i64} : !llvm.ptr, i64
  %old = llvm.atomicrmw xchg %p, %n acquire {alignment = 8 : i64} : !llvm.ptr, i64
  // CHECK-NEXT: %old_bits = llvm.atomicrmw volatile _or %p, %n seq_cst : !llvm.ptr, i64
  %old_bits = llvm.atomicrmw volatile _or %p, %n seq_cst : !llvm.ptr, i64
  llvm.return
}

// The default visibility is no word of the text.
// CHECK: llvm.mlir.global internal @words(dense<0> : tensor<2xi64>) {addr_space = 0 : i32} : !llvm.array<2 x i64>
"llvm.mlir.global"() <{global_type = !llvm.array<2 x i64>, sym_name = "words", linkage = #llvm.linkage<"internal">, addr_space = 0 : i32, value = dense<0> : tensor<2xi64>, visibility_ = 0 : i64}> ({
}) : () -> ()
