// RUN: snippets-opt %s | snippets-opt | filecheck %s

// The sizes of dynamic dims are in the encoding of a tensor type, one for each ?; a lone ? is a size of which nothing is known.
// CHECK: func.func @sizes(%x: tensor<?x8x?xf32, #lir.sizes<?0, ?1*4>>, %y: tensor<?x?xf32, #lir.sizes<?0*2 + 3, ?>>, %z: tensor<?xf32>)
func.func @sizes(%x: tensor<?x8x?xf32, #lir.sizes<?0, ?1*4>>, %y: tensor<?x?xf32, #lir.sizes<?0*2 + 3, ?>>, %z: tensor<?xf32>) {
  // The same symbol is the same size.
  // CHECK: snippets.add %x, %x : tensor<?x8x?xf32, #lir.sizes<?0, ?1*4>>
  %0 = snippets.add %x, %x : tensor<?x8x?xf32, #lir.sizes<?0, ?1*4>>
  // CHECK: snippets.reshape %0 : (tensor<?x8x?xf32, #lir.sizes<?0, ?1*4>>) -> tensor<?xf32, #lir.sizes<?0*?1*32>>
  %1 = snippets.reshape %0 : (tensor<?x8x?xf32, #lir.sizes<?0, ?1*4>>) -> tensor<?xf32, #lir.sizes<?0*?1*32>>
  func.return
}
