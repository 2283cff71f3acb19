// RUN: snippets-opt %s | snippets-opt - | filecheck %s
// RUN: snippets-opt --mlir-print-op-generic %s | snippets-opt - | filecheck %s

// CHECK-LABEL: @values
func.func @values(%a: vector<8xf32>, %s: f32, %n: index, %m: vector<8xi1>, %i: vector<8xi32>) {
  // CHECK-NEXT: %broadcast = vector.broadcast %s : f32 to vector<8xf32>
  %broadcast = vector.broadcast %s : f32 to vector<8xf32>
  // CHECK-NEXT: %extract = vector.extract %a[3] : f32 from vector<8xf32>
  %extract = vector.extract %a[3] : f32 from vector<8xf32>
  // CHECK-NEXT: %dynamic = vector.extract %a[%n] : f32 from vector<8xf32>
  %dynamic = vector.extract %a[%n] : f32 from vector<8xf32>
  // CHECK-NEXT: %insert = vector.insert %s, %a [1] : f32 into vector<8xf32>
  %insert = vector.insert %s, %a [1] : f32 into vector<8xf32>
  // CHECK-NEXT: %shuffle = vector.shuffle %a, %a [0, 9, 2, 3] : vector<8xf32>, vector<8xf32>
  %shuffle = vector.shuffle %a, %a [0, 9, 2, 3] : vector<8xf32>, vector<8xf32>
  // CHECK-NEXT: %elements = vector.from_elements %s, %s, %s, %s : vector<4xf32>
  %elements = vector.from_elements %s, %s, %s, %s : vector<4xf32>
  // CHECK-NEXT: %e0, %e1, %e2, %e3 = vector.to_elements %elements : vector<4xf32>
  %e0, %e1, %e2, %e3 = vector.to_elements %elements : vector<4xf32>
  // CHECK-NEXT: %mask = vector.create_mask %n : vector<8xi1>
  %mask = vector.create_mask %n : vector<8xi1>
  // CHECK-NEXT: %constant = vector.constant_mask [3] : vector<8xi1>
  %constant = vector.constant_mask [3] : vector<8xi1>
  // CHECK-NEXT: %planes = vector.constant_mask [2, 4] : vector<3x4xi1>
  %planes = vector.constant_mask [2, 4] : vector<3x4xi1>
  // CHECK-NEXT: %bits = vector.bitcast %a : vector<8xf32> to vector<8xi32>
  %bits = vector.bitcast %a : vector<8xf32> to vector<8xi32>
  // CHECK-NEXT: %fma = vector.fma %a, %a, %a : vector<8xf32>
  %fma = vector.fma %a, %a, %a : vector<8xf32>
  // CHECK-NEXT: %step = vector.step : vector<8xindex>
  %step = vector.step : vector<8xindex>
  func.return
}

// CHECK-LABEL: @reduce
func.func @reduce(%a: vector<8xf32>, %s: f32, %i: vector<8xi32>, %m: vector<8xi1>) {
  // CHECK-NEXT: %add = vector.reduction <add>, %i : vector<8xi32> into i32
  %add = vector.reduction <add>, %i : vector<8xi32> into i32
  // CHECK-NEXT: %mul = vector.reduction <mul>, %i : vector<8xi32> into i32
  %mul = vector.reduction <mul>, %i : vector<8xi32> into i32
  // CHECK-NEXT: %minui = vector.reduction <minui>, %i : vector<8xi32> into i32
  %minui = vector.reduction <minui>, %i : vector<8xi32> into i32
  // CHECK-NEXT: %minsi = vector.reduction <minsi>, %i : vector<8xi32> into i32
  %minsi = vector.reduction <minsi>, %i : vector<8xi32> into i32
  // CHECK-NEXT: %maxui = vector.reduction <maxui>, %i : vector<8xi32> into i32
  %maxui = vector.reduction <maxui>, %i : vector<8xi32> into i32
  // CHECK-NEXT: %maxsi = vector.reduction <maxsi>, %i : vector<8xi32> into i32
  %maxsi = vector.reduction <maxsi>, %i : vector<8xi32> into i32
  // CHECK-NEXT: %and = vector.reduction <and>, %i : vector<8xi32> into i32
  %and = vector.reduction <and>, %i : vector<8xi32> into i32
  // CHECK-NEXT: %or = vector.reduction <or>, %i : vector<8xi32> into i32
  %or = vector.reduction <or>, %i : vector<8xi32> into i32
  // CHECK-NEXT: %xor = vector.reduction <xor>, %i : vector<8xi32> into i32
  %xor = vector.reduction <xor>, %i : vector<8xi32> into i32
  // CHECK-NEXT: %minnumf = vector.reduction <minnumf>, %a, %s : vector<8xf32> into f32
  %minnumf = vector.reduction <minnumf>, %a, %s : vector<8xf32> into f32
  // CHECK-NEXT: %maxnumf = vector.reduction <maxnumf>, %a, %s : vector<8xf32> into f32
  %maxnumf = vector.reduction <maxnumf>, %a, %s : vector<8xf32> into f32
  // CHECK-NEXT: %minimumf = vector.reduction <minimumf>, %a, %s : vector<8xf32> into f32
  %minimumf = vector.reduction <minimumf>, %a, %s : vector<8xf32> into f32
  // CHECK-NEXT: %maximumf = vector.reduction <maximumf>, %a, %s : vector<8xf32> into f32
  %maximumf = vector.reduction <maximumf>, %a, %s : vector<8xf32> into f32
  // CHECK-NEXT: %any = vector.reduction <or>, %m : vector<8xi1> into i1
  %any = vector.reduction <or>, %m : vector<8xi1> into i1
  // CHECK-NEXT: %sum = vector.reduction <add>, %a fastmath<reassoc> : vector<8xf32> into f32
  %sum = vector.reduction <add>, %a fastmath<reassoc> : vector<8xf32> into f32
  func.return
}

// CHECK-LABEL: @memory
func.func @memory(%p: memref<16xf32>, %n: index, %a: vector<8xf32>, %m: vector<8xi1>, %s: f32) {
  // CHECK-NEXT: %load = vector.load %p[%n] : memref<16xf32>, vector<8xf32>
  %load = vector.load %p[%n] : memref<16xf32>, vector<8xf32>
  // CHECK-NEXT: vector.store %load, %p[%n] : memref<16xf32>, vector<8xf32>
  vector.store %load, %p[%n] : memref<16xf32>, vector<8xf32>
  // CHECK-NEXT: %masked = vector.maskedload %p[%n], %m, %a : memref<16xf32>, vector<8xi1>, vector<8xf32> into vector<8xf32>
  %masked = vector.maskedload %p[%n], %m, %a : memref<16xf32>, vector<8xi1>, vector<8xf32> into vector<8xf32>
  // CHECK-NEXT: vector.maskedstore %p[%n], %m, %masked : memref<16xf32>, vector<8xi1>, vector<8xf32>
  vector.maskedstore %p[%n], %m, %masked : memref<16xf32>, vector<8xi1>, vector<8xf32>
  // CHECK-NEXT: %read = vector.transfer_read %p[%n], %s : memref<16xf32>, vector<8xf32>
  %read = vector.transfer_read %p[%n], %s : memref<16xf32>, vector<8xf32>
  // CHECK-NEXT: vector.transfer_write %read, %p[%n] : vector<8xf32>, memref<16xf32>
  vector.transfer_write %read, %p[%n] : vector<8xf32>, memref<16xf32>
  func.return
}
