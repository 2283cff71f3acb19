// RUN: not snippets-run %s --seed=0 2>&1 | filecheck %s
// RUN: not snippets-run %s --entry=own 2>&1 | filecheck %s --check-prefix=OWN

// An access that is out of bounds is an error like any other: of an input, and of own memory.
// CHECK: error: input 'A': affine.load at {{.*}}:9:3 accesses index 5 of dim 0, which has size 1
// CHECK-NOT: Traceback
// OWN: error: memref.alloc at {{.*}} accesses index 42 of dim 0, which has size 4
func.func @main(%A: memref<?xf32> {snippets.name = "A"}) -> f32 {
  %x = affine.load %A[5] : memref<?xf32>
  return %x : f32
}

func.func @own() -> f32 {
  %c4 = arith.constant 4 : index
  %A = memref.alloc (%c4) : memref<?xf32>
  %c42 = arith.constant 42 : index
  %x = memref.load %A[%c42] : memref<?xf32>
  return %x : f32
}
