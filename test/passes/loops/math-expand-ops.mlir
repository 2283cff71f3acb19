// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx2},math-expand-ops' | filecheck %s
// RUN: snippets-opt %s -p 'math-expand-ops{ops=sin,fpowi}' | filecheck %s --check-prefix=SOME
// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx2 math=fast},math-expand-ops{ops=exp}' | filecheck %s --check-prefix=FAST
// RUN: snippets-opt %s -p 'snippets-set-target{target=generic math=fast},math-expand-ops{ops=exp}' | filecheck %s --check-prefix=NOFMA
// RUN: snippets-opt %s -p 'math-expand-ops{ops=sin},math-expand-ops{ops=tan}' | filecheck %s --check-prefix=TABLES
// RUN: not snippets-opt %s -p 'math-expand-ops{ops=sine}' 2>&1 | filecheck %s --check-prefix=UNKNOWN

// UNKNOWN: error: pass 'math-expand-ops': ops: no expansion of 'sine'; did you mean 'sin'?

// Constants go to the start of the function, each once; products and sums are fused, as the target has that.
// CHECK: memref.global "private" constant @math_table
// CHECK-LABEL: @vectors
// CHECK: arith.constant dense<{{.*}}> : vector<2x4xf32>
// CHECK: math.fma %{{.*}} : vector<2x4xf32>
// CHECK: arith.bitcast %{{.*}} : vector<2x4xi32> to vector<2x4xf32>
// CHECK-NOT: math.exp
// CHECK: func.return
// SOME-LABEL: @vectors
// SOME: math.exp
// The fast form multiplies by one power of two, the accurate one twice by the same; it needs fma.
// FAST-LABEL: @vectors
// FAST: [[POWER:%[0-9]+]] = arith.bitcast {{.*}} to vector<2x4xf32>
// FAST-NEXT: %[[RESULT:[0-9]+]] = arith.mulf {{.*}}[[POWER]]
// FAST-NEXT: func.return %[[RESULT]]
// NOFMA-LABEL: @vectors
// NOFMA: arith.shrsi
// NOFMA: func.return
func.func @vectors(%x: vector<2x4xf32>) -> vector<2x4xf32> {
  %0 = math.exp %x : vector<2x4xf32>
  func.return %0 : vector<2x4xf32>
}

// Without a target that fuses, sums and products are apart. Half precision computes in f32.
// SOME-LABEL: @scalar
// SOME: arith.extf %x : f16 to f32
// SOME-NOT: math.sin
// SOME: memref.load %{{.*}}[%{{.*}}] : memref<
// SOME: arith.truncf %{{.*}} : f32 to f16
func.func @scalar(%x: f16) -> f16 {
  %0 = math.sin %x : f16
  func.return %0 : f16
}

// Functions, and further passes, read one global of each table.
// TABLES: @math_table1 : memref<105xf64>
// TABLES-NEXT: @math_table0 : memref<105xf64>
// TABLES-NEXT: func.func
// TABLES-LABEL: @tangent
// TABLES: memref.get_global @math_table0 : memref<105xf64>
// TABLES: memref.get_global @math_table1 : memref<105xf64>
func.func @tangent(%x: f32) -> f32 {
  %0 = math.tan %x : f32
  func.return %0 : f32
}

// CHECK-LABEL: @gathers
// CHECK: vector.gather %{{.*}}[%{{.*}}] [%{{.*}}], %{{.*}}, %{{.*}} : memref<{{.*}}xf64>, vector<4xi64>, vector<4xi1>, vector<4xf64> into vector<4xf64>
// CHECK-NOT: math.cos
func.func @gathers(%x: vector<4xf64>) -> vector<4xf64> {
  %0 = math.cos %x : vector<4xf64>
  func.return %0 : vector<4xf64>
}

// The sign of an odd power comes from the exponent's last bit.
// SOME-LABEL: @integer
// SOME: arith.trunci %n : i64 to i32
// SOME: arith.sitofp %n : i64 to f32
// SOME-NOT: math.fpowi
func.func @integer(%x: f32, %n: i64) -> f32 {
  %0 = math.fpowi %x, %n : f32, i64
  func.return %0 : f32
}

// Does not fire: one instruction; tensors.
// CHECK-LABEL: @others
// CHECK-NEXT: math.sqrt %x : f32
// CHECK-NEXT: math.exp %t : tensor<4xf32>
func.func @others(%x: f32, %t: tensor<4xf32>) -> (f32, tensor<4xf32>) {
  %0 = math.sqrt %x : f32
  %1 = math.exp %t : tensor<4xf32>
  func.return %0, %1 : f32, tensor<4xf32>
}
