// RUN: snippets-opt %s | snippets-opt - | filecheck %s
// RUN: snippets-opt --mlir-print-op-generic %s | snippets-opt - | filecheck %s

// CHECK-LABEL: @compare
func.func @compare(%a: vector<8xf32>, %i: vector<8xi32>, %s: f32, %t: tensor<4xf32>) {
  // CHECK-NEXT: %cmpf_false = arith.cmpf false, %a, %a : vector<8xf32>
  %cmpf_false = arith.cmpf false, %a, %a : vector<8xf32>
  // CHECK-NEXT: %cmpf_oeq = arith.cmpf oeq, %a, %a : vector<8xf32>
  %cmpf_oeq = arith.cmpf oeq, %a, %a : vector<8xf32>
  // CHECK-NEXT: %cmpf_ogt = arith.cmpf ogt, %a, %a : vector<8xf32>
  %cmpf_ogt = arith.cmpf ogt, %a, %a : vector<8xf32>
  // CHECK-NEXT: %cmpf_oge = arith.cmpf oge, %a, %a : vector<8xf32>
  %cmpf_oge = arith.cmpf oge, %a, %a : vector<8xf32>
  // CHECK-NEXT: %cmpf_olt = arith.cmpf olt, %a, %a : vector<8xf32>
  %cmpf_olt = arith.cmpf olt, %a, %a : vector<8xf32>
  // CHECK-NEXT: %cmpf_ole = arith.cmpf ole, %a, %a : vector<8xf32>
  %cmpf_ole = arith.cmpf ole, %a, %a : vector<8xf32>
  // CHECK-NEXT: %cmpf_one = arith.cmpf one, %a, %a : vector<8xf32>
  %cmpf_one = arith.cmpf one, %a, %a : vector<8xf32>
  // CHECK-NEXT: %cmpf_ord = arith.cmpf ord, %a, %a : vector<8xf32>
  %cmpf_ord = arith.cmpf ord, %a, %a : vector<8xf32>
  // CHECK-NEXT: %cmpf_ueq = arith.cmpf ueq, %a, %a : vector<8xf32>
  %cmpf_ueq = arith.cmpf ueq, %a, %a : vector<8xf32>
  // CHECK-NEXT: %cmpf_ugt = arith.cmpf ugt, %a, %a : vector<8xf32>
  %cmpf_ugt = arith.cmpf ugt, %a, %a : vector<8xf32>
  // CHECK-NEXT: %cmpf_uge = arith.cmpf uge, %a, %a : vector<8xf32>
  %cmpf_uge = arith.cmpf uge, %a, %a : vector<8xf32>
  // CHECK-NEXT: %cmpf_ult = arith.cmpf ult, %a, %a : vector<8xf32>
  %cmpf_ult = arith.cmpf ult, %a, %a : vector<8xf32>
  // CHECK-NEXT: %cmpf_ule = arith.cmpf ule, %a, %a : vector<8xf32>
  %cmpf_ule = arith.cmpf ule, %a, %a : vector<8xf32>
  // CHECK-NEXT: %cmpf_une = arith.cmpf une, %a, %a : vector<8xf32>
  %cmpf_une = arith.cmpf une, %a, %a : vector<8xf32>
  // CHECK-NEXT: %cmpf_uno = arith.cmpf uno, %a, %a : vector<8xf32>
  %cmpf_uno = arith.cmpf uno, %a, %a : vector<8xf32>
  // CHECK-NEXT: %cmpf_true = arith.cmpf true, %a, %a : vector<8xf32>
  %cmpf_true = arith.cmpf true, %a, %a : vector<8xf32>
  // CHECK-NEXT: %cmpi_eq = arith.cmpi eq, %i, %i : vector<8xi32>
  %cmpi_eq = arith.cmpi eq, %i, %i : vector<8xi32>
  // CHECK-NEXT: %cmpi_ne = arith.cmpi ne, %i, %i : vector<8xi32>
  %cmpi_ne = arith.cmpi ne, %i, %i : vector<8xi32>
  // CHECK-NEXT: %cmpi_slt = arith.cmpi slt, %i, %i : vector<8xi32>
  %cmpi_slt = arith.cmpi slt, %i, %i : vector<8xi32>
  // CHECK-NEXT: %cmpi_sle = arith.cmpi sle, %i, %i : vector<8xi32>
  %cmpi_sle = arith.cmpi sle, %i, %i : vector<8xi32>
  // CHECK-NEXT: %cmpi_sgt = arith.cmpi sgt, %i, %i : vector<8xi32>
  %cmpi_sgt = arith.cmpi sgt, %i, %i : vector<8xi32>
  // CHECK-NEXT: %cmpi_sge = arith.cmpi sge, %i, %i : vector<8xi32>
  %cmpi_sge = arith.cmpi sge, %i, %i : vector<8xi32>
  // CHECK-NEXT: %cmpi_ult = arith.cmpi ult, %i, %i : vector<8xi32>
  %cmpi_ult = arith.cmpi ult, %i, %i : vector<8xi32>
  // CHECK-NEXT: %cmpi_ule = arith.cmpi ule, %i, %i : vector<8xi32>
  %cmpi_ule = arith.cmpi ule, %i, %i : vector<8xi32>
  // CHECK-NEXT: %cmpi_ugt = arith.cmpi ugt, %i, %i : vector<8xi32>
  %cmpi_ugt = arith.cmpi ugt, %i, %i : vector<8xi32>
  // CHECK-NEXT: %cmpi_uge = arith.cmpi uge, %i, %i : vector<8xi32>
  %cmpi_uge = arith.cmpi uge, %i, %i : vector<8xi32>
  // CHECK-NEXT: %flags = arith.cmpf olt, %a, %a fastmath<nnan,ninf> : vector<8xf32>
  %flags = arith.cmpf olt, %a, %a fastmath<nnan,ninf> : vector<8xf32>
  // CHECK-NEXT: %attribute = arith.cmpf olt, %s, %s {note = 1 : i64} : f32
  %attribute = arith.cmpf olt, %s, %s {note = 1 : i64} : f32
  // CHECK-NEXT: %tensors = arith.cmpf olt, %t, %t : tensor<4xf32>
  %tensors = arith.cmpf olt, %t, %t : tensor<4xf32>
  func.return
}

// CHECK-LABEL: @select
func.func @select(%c: i1, %m: vector<8xi1>, %a: vector<8xf32>, %p: !llvm.ptr) {
  // CHECK-NEXT: %scalar = arith.select %c, %a, %a : vector<8xf32>
  %scalar = arith.select %c, %a, %a : vector<8xf32>
  // CHECK-NEXT: %lanes = arith.select %m, %a, %a : vector<8xi1>, vector<8xf32>
  %lanes = arith.select %m, %a, %a : vector<8xi1>, vector<8xf32>
  // CHECK-NEXT: %pointers = arith.select %c, %p, %p {note = 1 : i64} : !llvm.ptr
  %pointers = arith.select %c, %p, %p {note = 1 : i64} : !llvm.ptr
  func.return
}

// CHECK-LABEL: @cast
func.func @cast(%a: vector<8xf32>, %h: vector<8xf16>, %i: vector<8xi32>, %b: vector<8xi8>, %m: vector<8xi1>, %n: index, %s: f32, %t: i64) {
  // CHECK-NEXT: %cast_a = arith.extf %h : vector<8xf16> to vector<8xf32>
  %cast_a = arith.extf %h : vector<8xf16> to vector<8xf32>
  // CHECK-NEXT: %cast_b = arith.truncf %a : vector<8xf32> to vector<8xbf16>
  %cast_b = arith.truncf %a : vector<8xf32> to vector<8xbf16>
  // CHECK-NEXT: %cast_c = arith.extsi %b : vector<8xi8> to vector<8xi64>
  %cast_c = arith.extsi %b : vector<8xi8> to vector<8xi64>
  // CHECK-NEXT: %cast_d = arith.extui %m : vector<8xi1> to vector<8xi32>
  %cast_d = arith.extui %m : vector<8xi1> to vector<8xi32>
  // CHECK-NEXT: %cast_e = arith.trunci %i : vector<8xi32> to vector<8xi8>
  %cast_e = arith.trunci %i : vector<8xi32> to vector<8xi8>
  // CHECK-NEXT: %cast_f = arith.fptosi %a : vector<8xf32> to vector<8xi32>
  %cast_f = arith.fptosi %a : vector<8xf32> to vector<8xi32>
  // CHECK-NEXT: %cast_g = arith.fptoui %a : vector<8xf32> to vector<8xi8>
  %cast_g = arith.fptoui %a : vector<8xf32> to vector<8xi8>
  // CHECK-NEXT: %cast_h = arith.sitofp %i : vector<8xi32> to vector<8xf32>
  %cast_h = arith.sitofp %i : vector<8xi32> to vector<8xf32>
  // CHECK-NEXT: %cast_i = arith.uitofp %m : vector<8xi1> to vector<8xf32>
  %cast_i = arith.uitofp %m : vector<8xi1> to vector<8xf32>
  // CHECK-NEXT: %cast_j = arith.index_cast %n : index to i32
  %cast_j = arith.index_cast %n : index to i32
  // CHECK-NEXT: %cast_k = arith.index_castui %i : vector<8xi32> to vector<8xindex>
  %cast_k = arith.index_castui %i : vector<8xi32> to vector<8xindex>
  // CHECK-NEXT: %cast_l = arith.extf %s : f32 to f64
  %cast_l = arith.extf %s : f32 to f64
  // CHECK-NEXT: %cast_m = arith.trunci %t : i64 to i1
  %cast_m = arith.trunci %t : i64 to i1
  // CHECK-NEXT: %cast_n = arith.sitofp %t : i64 to f16
  %cast_n = arith.sitofp %t : i64 to f16
  // CHECK-NEXT: %cast_o = arith.bitcast %a : vector<8xf32> to vector<8xi32>
  %cast_o = arith.bitcast %a : vector<8xf32> to vector<8xi32>
  func.return
}

// CHECK-LABEL: @negate
func.func @negate(%a: vector<8xf32>, %s: f64) {
  // CHECK-NEXT: %vector = arith.negf %a : vector<8xf32>
  %vector = arith.negf %a : vector<8xf32>
  // CHECK-NEXT: %flags = arith.negf %s fastmath<fast> : f64
  %flags = arith.negf %s fastmath<fast> : f64
  func.return
}

// CHECK-LABEL: @remainder
func.func @remainder(%a: vector<8xf32>) {
  // CHECK-NEXT: %remf = arith.remf %a, %a fastmath<nnan> : vector<8xf32>
  %remf = arith.remf %a, %a fastmath<nnan> : vector<8xf32>
  func.return
}
