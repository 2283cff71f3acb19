// RUN: not snippets-opt %s -p 'affine-super-vectorize' 2>&1 | filecheck %s --check-prefix=MISSING
// RUN: not snippets-opt %s -p 'affine-super-vectorize{virtual-vector-size=2,2,2,2}' 2>&1 | filecheck %s --check-prefix=RANK
// RUN: not snippets-opt %s -p 'affine-super-vectorize{virtual-vector-size=4,0}' 2>&1 | filecheck %s --check-prefix=POSITIVE
// RUN: not snippets-opt %s -p 'affine-super-vectorize{virtual-vector-size=4,8 test-fastest-varying=0}' 2>&1 | filecheck %s --check-prefix=LENGTH
// RUN: not snippets-opt %s -p 'affine-super-vectorize{virtual-vector-size=4,8 vectorize-reductions=true}' 2>&1 | filecheck %s --check-prefix=REDUCTIONS
// RUN: snippets-opt %s --affine-super-vectorize='virtual-vector-size=32,64,256 test-fastest-varying=2,1,0' | filecheck %s --check-prefix=THREE
// RUN: snippets-opt %s -p 'affine-super-vectorize{virtual-vector-size=8 test-fastest-varying=1}' | filecheck %s --check-prefix=ROWS
// RUN: snippets-opt %s -p 'affine-super-vectorize{virtual-vector-size=8 test-fastest-varying=3 explain=true}' --explain 2>&1 | filecheck %s --check-prefix=NONE

// MISSING: error: {{.*}}virtual-vector-size
// RANK: error: pass 'affine-super-vectorize': virtual-vector-size takes 1 to 3 sizes, found 4
// POSITIVE: error: pass 'affine-super-vectorize': virtual-vector-size takes positive sizes, found 0
// LENGTH: error: pass 'affine-super-vectorize': test-fastest-varying needs one dim for each of the 2 sizes of virtual-vector-size, found 1
// REDUCTIONS: error: pass 'affine-super-vectorize': vectorize-reductions works with one size in virtual-vector-size

// Three levels: the innermost three of five loops. With one level and another dim, another loop.
// THREE: affine.for %i0 = 0 to %a {
// THREE-NEXT: affine.for %i1 = 0 to %b {
// THREE-NEXT: affine.for %i2 = 0 to 64 step 32 {
// THREE-NEXT: affine.for %i3 = 0 to 128 step 64 {
// THREE-NEXT: affine.for %i4 = 0 to 512 step 256 {
// THREE: vector.transfer_read %A[%i2, %i3, %i4], {{.*}} : memref<64x128x512xf32>, vector<32x64x256xf32>
// ROWS: affine.for %i2 = 0 to 64 {
// ROWS-NEXT: affine.for %i3 = 0 to 128 step 8 {
// ROWS-NEXT: affine.for %i4 = 0 to 512 {
// ROWS: vector.transfer_read %A[%i2, %i3, %i4], {{.*}} {in_bounds = [true], permutation_map = affine_map<(d0, d1, d2) -> (d1)>} : memref<64x128x512xf32>, vector<8xf32>
// NONE: remark: affine.for not vectorized: it steps through dim 2 of its memrefs, asked for is 3
// NONE: remark: affine.for not vectorized: it steps through dim 1 of its memrefs, asked for is 3
// NONE: remark: affine.for not vectorized: it steps through dim 0 of its memrefs, asked for is 3
func.func @five_loops(%A: memref<64x128x512xf32>, %B: memref<64x128x512xf32>, %a: index, %b: index) {
  affine.for %i0 = 0 to %a {
    affine.for %i1 = 0 to %b {
      affine.for %i2 = 0 to 64 {
        affine.for %i3 = 0 to 128 {
          affine.for %i4 = 0 to 512 {
            %0 = affine.load %A[%i2, %i3, %i4] : memref<64x128x512xf32>
            affine.store %0, %B[%i2, %i3, %i4] : memref<64x128x512xf32>
          }
        }
      }
    }
  }
  func.return
}
