// RUN: snippets-opt %s -p 'snippets-set-target{target=x86-64-avx512},snippets-tokenize-mha' --split-input-file --explain=snippets-tokenize-mha 2> %t.plan | filecheck %s
// RUN: filecheck %s --check-prefix=PLAN --input-file=%t.plan

// The scale and the mask are inside; what computes the mask is not.
// PLAN: attention of snippets.matmul %s, snippets.multiply, snippets.add, snippets.softmax %p, snippets.matmul %o
// CHECK-LABEL: func.func @mask(
// CHECK: %{{.*}} = snippets.abs %m
// CHECK: snippets.subgraph (%{{.*}} = %q, %{{.*}} = %k, %{{.*}} = %{{.*}}, %{{.*}} = %v)
// CHECK: snippets.yield %o
func.func @mask(%q: tensor<2x9x4xf32>, %k: tensor<2x7x4xf32>, %v: tensor<2x7x5xf32>, %m: tensor<9x7xf32>) -> tensor<2x9x5xf32> {
  %c = snippets.constant dense<0.5> : tensor<f32>
  %n = snippets.abs %m : tensor<9x7xf32>
  %s = snippets.matmul %q, %k {transpose_b} : (tensor<2x9x4xf32>, tensor<2x7x4xf32>) -> tensor<2x9x7xf32>
  %0 = snippets.multiply %s, %c : (tensor<2x9x7xf32>, tensor<f32>) -> tensor<2x9x7xf32>
  %1 = snippets.add %0, %n : (tensor<2x9x7xf32>, tensor<9x7xf32>) -> tensor<2x9x7xf32>
  %p = snippets.softmax %1 {axis = 2 : i64} : tensor<2x9x7xf32>
  %o = snippets.matmul %p, %v : (tensor<2x9x7xf32>, tensor<2x7x5xf32>) -> tensor<2x9x5xf32>
  func.return %o : tensor<2x9x5xf32>
}

// -----

// Transposes of operands are views inside.
// CHECK-LABEL: func.func @layouts(
// CHECK-NEXT: snippets.subgraph (%{{.*}} = %q, %{{.*}} = %k, %{{.*}} = %v)
// PLAN: attention of snippets.transpose, snippets.transpose, snippets.matmul %s
func.func @layouts(%q: tensor<9x2x4xf32>, %k: tensor<7x2x4xf32>, %v: tensor<2x7x5xf32>) -> tensor<2x9x5xf32> {
  %0 = snippets.transpose %q {permutation = array<i64: 1, 0, 2>} : (tensor<9x2x4xf32>) -> tensor<2x9x4xf32>
  %1 = snippets.transpose %k {permutation = array<i64: 1, 2, 0>} : (tensor<7x2x4xf32>) -> tensor<2x4x7xf32>
  %s = snippets.matmul %0, %1 : (tensor<2x9x4xf32>, tensor<2x4x7xf32>) -> tensor<2x9x7xf32>
  %p = snippets.softmax %s {axis = 2 : i64} : tensor<2x9x7xf32>
  %o = snippets.matmul %p, %v : (tensor<2x9x7xf32>, tensor<2x7x5xf32>) -> tensor<2x9x5xf32>
  func.return %o : tensor<2x9x5xf32>
}

// -----

// So is the transpose of the result, if it keeps rows whole.
// PLAN: attention of snippets.matmul %s, snippets.softmax %p, snippets.matmul %o, snippets.transpose %t
// CHECK-LABEL: func.func @heads_last(
// CHECK: snippets.yield %{{.*}} : tensor<9x2x5xf32>
func.func @heads_last(%q: tensor<2x9x4xf32>, %k: tensor<2x4x7xf32>, %v: tensor<2x7x5xf32>) -> tensor<9x2x5xf32> {
  %s = snippets.matmul %q, %k : (tensor<2x9x4xf32>, tensor<2x4x7xf32>) -> tensor<2x9x7xf32>
  %p = snippets.softmax %s {axis = 2 : i64} : tensor<2x9x7xf32>
  %o = snippets.matmul %p, %v : (tensor<2x9x7xf32>, tensor<2x7x5xf32>) -> tensor<2x9x5xf32>
  %t = snippets.transpose %o {permutation = array<i64: 1, 0, 2>} : (tensor<2x9x5xf32>) -> tensor<9x2x5xf32>
  func.return %t : tensor<9x2x5xf32>
}

// -----

// Rows would come apart here; there the result is read as it is, too.
// PLAN: attention of snippets.matmul %s, snippets.softmax %p, snippets.matmul %o{{$}}
// PLAN: attention of snippets.matmul %s, snippets.softmax %p, snippets.matmul %o{{$}}
// CHECK-LABEL: func.func @result_stays(
// CHECK: snippets.yield %o
// CHECK: snippets.yield %o
func.func @result_stays(%q: tensor<2x9x4xf32>, %k: tensor<2x4x7xf32>, %v: tensor<2x7x5xf32>, %w: tensor<2x7x5xf32>) -> (tensor<2x5x9xf32>, tensor<9x2x5xf32>, tensor<2x9x5xf32>) {
  %s = snippets.matmul %q, %k : (tensor<2x9x4xf32>, tensor<2x4x7xf32>) -> tensor<2x9x7xf32>
  %p = snippets.softmax %s {axis = 2 : i64} : tensor<2x9x7xf32>
  %o = snippets.matmul %p, %v : (tensor<2x9x7xf32>, tensor<2x7x5xf32>) -> tensor<2x9x5xf32>
  %t = snippets.transpose %o {permutation = array<i64: 0, 2, 1>} : (tensor<2x9x5xf32>) -> tensor<2x5x9xf32>
  %s_1 = snippets.matmul %q, %k : (tensor<2x9x4xf32>, tensor<2x4x7xf32>) -> tensor<2x9x7xf32>
  %p_1 = snippets.softmax %s_1 {axis = 2 : i64} : tensor<2x9x7xf32>
  %o_1 = snippets.matmul %p_1, %w : (tensor<2x9x7xf32>, tensor<2x7x5xf32>) -> tensor<2x9x5xf32>
  %u = snippets.transpose %o_1 {permutation = array<i64: 1, 0, 2>} : (tensor<2x9x5xf32>) -> tensor<9x2x5xf32>
  func.return %t, %u, %o_1 : tensor<2x5x9xf32>, tensor<9x2x5xf32>, tensor<2x9x5xf32>
}

// -----

// CHECK-LABEL: func.func @other_axis(
// CHECK-NOT: snippets.subgraph
// PLAN: no attention: M2: P3: snippets.softmax stands beside a matrix product
func.func @other_axis(%q: tensor<2x9x4xf32>, %k: tensor<2x4x7xf32>, %v: tensor<2x7x5xf32>) -> tensor<2x9x5xf32> {
  %s = snippets.matmul %q, %k : (tensor<2x9x4xf32>, tensor<2x4x7xf32>) -> tensor<2x9x7xf32>
  %p = snippets.softmax %s {axis = 1 : i64} : tensor<2x9x7xf32>
  %o = snippets.matmul %p, %v : (tensor<2x9x7xf32>, tensor<2x7x5xf32>) -> tensor<2x9x5xf32>
  func.return %o : tensor<2x9x5xf32>
}

// -----

// PLAN: no attention: M2: P4: more than the second matrix product reads snippets.softmax
func.func @weights_returned(%q: tensor<2x9x4xf32>, %k: tensor<2x4x7xf32>, %v: tensor<2x7x5xf32>) -> (tensor<2x9x5xf32>, tensor<2x9x7xf32>) {
  %s = snippets.matmul %q, %k : (tensor<2x9x4xf32>, tensor<2x4x7xf32>) -> tensor<2x9x7xf32>
  %p = snippets.softmax %s {axis = 2 : i64} : tensor<2x9x7xf32>
  %o = snippets.matmul %p, %v : (tensor<2x9x7xf32>, tensor<2x7x5xf32>) -> tensor<2x9x5xf32>
  func.return %o, %p : tensor<2x9x5xf32>, tensor<2x9x7xf32>
}

// -----

// PLAN: no attention: M3: 1280000 bytes of scores for 16 rows, the second-level cache has 1048576
func.func @long(%q: tensor<90x4xf32>, %k: tensor<4x20000xf32>, %v: tensor<20000x5xf32>) -> tensor<90x5xf32> {
  %s = snippets.matmul %q, %k : (tensor<90x4xf32>, tensor<4x20000xf32>) -> tensor<90x20000xf32>
  %p = snippets.softmax %s {axis = 1 : i64} : tensor<90x20000xf32>
  %o = snippets.matmul %p, %v : (tensor<90x20000xf32>, tensor<20000x5xf32>) -> tensor<90x5xf32>
  func.return %o : tensor<90x5xf32>
}

// -----

// Nothing to do: there is no softmax between the products.
// PLAN: no softmax stands between a product and the left operand of another
func.func @mlp(%x: tensor<9x4xf32>, %w: tensor<4x7xf32>, %v: tensor<7x5xf32>) -> tensor<9x5xf32> {
  %s = snippets.matmul %x, %w : (tensor<9x4xf32>, tensor<4x7xf32>) -> tensor<9x7xf32>
  %p = snippets.relu %s : tensor<9x7xf32>
  %o = snippets.matmul %p, %v : (tensor<9x7xf32>, tensor<7x5xf32>) -> tensor<9x5xf32>
  func.return %o : tensor<9x5xf32>
}

// -----

// A mask whose size is that of a product's result: what a node makes comes from outside.
// PLAN: attention of snippets.matmul %s, snippets.add, snippets.softmax %p, snippets.matmul %o
// CHECK-LABEL: func.func @shape_of_a_product(
// CHECK: onnx.node "ConstantOfShape"
// CHECK: snippets.subgraph
// CHECK: snippets.yield %o
func.func @shape_of_a_product(%x: tensor<9x7xf32>, %w: tensor<7x7xf32>, %q: tensor<9x4xf32>, %k: tensor<7x4xf32>, %v: tensor<7x5xf32>) -> tensor<9x5xf32> {
  %y = snippets.matmul %x, %w : (tensor<9x7xf32>, tensor<7x7xf32>) -> tensor<9x7xf32>
  %0 = onnx.node "Shape"(%y) {domain = "", version = 13 : i64} : (tensor<9x7xf32>) -> tensor<2xi64>
  %m = onnx.node "ConstantOfShape"(%0) {domain = "", version = 9 : i64} : (tensor<2xi64>) -> tensor<9x7xf32>
  %s = snippets.matmul %q, %k {transpose_b} : (tensor<9x4xf32>, tensor<7x4xf32>) -> tensor<9x7xf32>
  %1 = snippets.add %s, %m : tensor<9x7xf32>
  %p = snippets.softmax %1 {axis = 1 : i64} : tensor<9x7xf32>
  %o = snippets.matmul %p, %v : (tensor<9x7xf32>, tensor<7x5xf32>) -> tensor<9x5xf32>
  func.return %o : tensor<9x5xf32>
}

// -----

// Does not fire: the size is that of a product that reads the scores, which the kernel does not give away.
// PLAN: no softmax stands between a product and the left operand of another
// CHECK-LABEL: func.func @shape_of_a_product_of_scores(
// CHECK-NOT: snippets.subgraph
func.func @shape_of_a_product_of_scores(%w: tensor<7x7xf32>, %q: tensor<9x4xf32>, %k: tensor<7x4xf32>, %v: tensor<7x5xf32>) -> tensor<9x5xf32> {
  %s = snippets.matmul %q, %k {transpose_b} : (tensor<9x4xf32>, tensor<7x4xf32>) -> tensor<9x7xf32>
  %y = snippets.matmul %s, %w : (tensor<9x7xf32>, tensor<7x7xf32>) -> tensor<9x7xf32>
  %0 = onnx.node "Shape"(%y) {domain = "", version = 13 : i64} : (tensor<9x7xf32>) -> tensor<2xi64>
  %m = onnx.node "ConstantOfShape"(%0) {domain = "", version = 9 : i64} : (tensor<2xi64>) -> tensor<9x7xf32>
  %1 = snippets.add %s, %m : tensor<9x7xf32>
  %p = snippets.softmax %1 {axis = 1 : i64} : tensor<9x7xf32>
  %o = snippets.matmul %p, %v : (tensor<9x7xf32>, tensor<7x5xf32>) -> tensor<9x5xf32>
  func.return %o : tensor<9x5xf32>
}

// -----

// Scores that are a sum of products: the last one is inside, the other one comes from outside.
// PLAN: attention of snippets.matmul %s, snippets.add, snippets.softmax %p, snippets.matmul %o
// CHECK-LABEL: func.func @sum_of_products(
// CHECK: %y = snippets.matmul
// CHECK-NEXT: snippets.subgraph (%{{.*}} = %q, %{{.*}} = %k, %{{.*}} = %y, %{{.*}} = %v)
// CHECK: snippets.yield %o
func.func @sum_of_products(%x: tensor<9x7xf32>, %w: tensor<7x7xf32>, %q: tensor<9x4xf32>, %k: tensor<7x4xf32>, %v: tensor<7x5xf32>) -> tensor<9x5xf32> {
  %y = snippets.matmul %x, %w : (tensor<9x7xf32>, tensor<7x7xf32>) -> tensor<9x7xf32>
  %s = snippets.matmul %q, %k {transpose_b} : (tensor<9x4xf32>, tensor<7x4xf32>) -> tensor<9x7xf32>
  %1 = snippets.add %s, %y : tensor<9x7xf32>
  %p = snippets.softmax %1 {axis = 1 : i64} : tensor<9x7xf32>
  %o = snippets.matmul %p, %v : (tensor<9x7xf32>, tensor<7x5xf32>) -> tensor<9x5xf32>
  func.return %o : tensor<9x5xf32>
}

// -----

// The product beside the softmax is later, and no part of the attention.
// PLAN: attention of snippets.matmul %s, snippets.softmax %p, snippets.multiply, snippets.matmul %o
// CHECK-LABEL: func.func @gate(
// CHECK: %y = snippets.matmul
// CHECK: snippets.subgraph
func.func @gate(%x: tensor<9x7xf32>, %w: tensor<7x7xf32>, %q: tensor<9x4xf32>, %k: tensor<7x4xf32>, %v: tensor<7x5xf32>) -> tensor<9x5xf32> {
  %s = snippets.matmul %q, %k {transpose_b} : (tensor<9x4xf32>, tensor<7x4xf32>) -> tensor<9x7xf32>
  %y = snippets.matmul %x, %w : (tensor<9x7xf32>, tensor<7x7xf32>) -> tensor<9x7xf32>
  %p = snippets.softmax %s {axis = 1 : i64} : tensor<9x7xf32>
  %1 = snippets.multiply %p, %y : tensor<9x7xf32>
  %o = snippets.matmul %1, %v : (tensor<9x7xf32>, tensor<7x5xf32>) -> tensor<9x5xf32>
  func.return %o : tensor<9x5xf32>
}

// -----

// Does not fire: the other product reads the scores, which the kernel does not give away.
// PLAN: no softmax stands between a product and the left operand of another
// CHECK-LABEL: func.func @product_of_scores(
// CHECK-NOT: snippets.subgraph
func.func @product_of_scores(%w: tensor<7x7xf32>, %q: tensor<9x4xf32>, %k: tensor<7x4xf32>, %v: tensor<7x5xf32>) -> tensor<9x5xf32> {
  %s = snippets.matmul %q, %k {transpose_b} : (tensor<9x4xf32>, tensor<7x4xf32>) -> tensor<9x7xf32>
  %y = snippets.matmul %s, %w : (tensor<9x7xf32>, tensor<7x7xf32>) -> tensor<9x7xf32>
  %p = snippets.softmax %s {axis = 1 : i64} : tensor<9x7xf32>
  %1 = snippets.multiply %p, %y : tensor<9x7xf32>
  %o = snippets.matmul %1, %v : (tensor<9x7xf32>, tensor<7x5xf32>) -> tensor<9x5xf32>
  func.return %o : tensor<9x5xf32>
}

// -----

// ONNX's rows without a key: the mask, a number of its rows and the select of the result are inside.
// PLAN: attention of snippets.select %b, snippets.select %c, snippets.reduce_sum %n, snippets.equal %h, snippets.matmul %s, snippets.add, snippets.softmax %p, snippets.matmul %o, snippets.select %y, snippets.transpose %t
// CHECK-LABEL: func.func @rows_without_a_key(
// CHECK-NEXT: constant
// CHECK-NEXT: constant
// CHECK-NEXT: constant
// CHECK-NEXT: snippets.subgraph (%{{.*}} = %m, %{{.*}} = %q, %{{.*}} = %k, %{{.*}} = %v)
// CHECK: snippets.yield %t
// CHECK-NEXT: }
// CHECK-NEXT: func.return
func.func @rows_without_a_key(%q: tensor<2x9x4xf32>, %k: tensor<2x7x4xf32>, %v: tensor<2x7x5xf32>, %m: tensor<9x7xi1>) -> tensor<9x2x5xf32> {
  %zero = snippets.constant dense<0.0> : tensor<f32>
  %one = snippets.constant dense<1.0> : tensor<f32>
  %low = snippets.constant dense<0xFF800000> : tensor<f32>
  %s = snippets.matmul %q, %k {transpose_b} : (tensor<2x9x4xf32>, tensor<2x7x4xf32>) -> tensor<2x9x7xf32>
  %b = snippets.select %m, %zero, %low : (tensor<9x7xi1>, tensor<f32>, tensor<f32>) -> tensor<9x7xf32>
  %1 = snippets.add %s, %b : (tensor<2x9x7xf32>, tensor<9x7xf32>) -> tensor<2x9x7xf32>
  %p = snippets.softmax %1 {axis = 2 : i64} : tensor<2x9x7xf32>
  %o = snippets.matmul %p, %v : (tensor<2x9x7xf32>, tensor<2x7x5xf32>) -> tensor<2x9x5xf32>
  %c = snippets.select %m, %one, %zero : (tensor<9x7xi1>, tensor<f32>, tensor<f32>) -> tensor<9x7xf32>
  %n = snippets.reduce_sum %c {axes = array<i64: 1>, keep_dims} : (tensor<9x7xf32>) -> tensor<9x1xf32>
  %h = snippets.equal %n, %zero : (tensor<9x1xf32>, tensor<f32>) -> tensor<9x1xi1>
  %y = snippets.select %h, %zero, %o : (tensor<9x1xi1>, tensor<f32>, tensor<2x9x5xf32>) -> tensor<2x9x5xf32>
  %t = snippets.transpose %y {permutation = array<i64: 1, 0, 2>} : (tensor<2x9x5xf32>) -> tensor<9x2x5xf32>
  func.return %t : tensor<9x2x5xf32>
}

// -----

// The number of a row is also a result: it stays outside, and the kernel reads it. So does a mask that others read.
// PLAN: attention of snippets.matmul %s, snippets.add, snippets.softmax %p, snippets.matmul %o, snippets.select %y{{$}}
// CHECK-LABEL: func.func @numbers_returned(
// CHECK: %b = snippets.select
// CHECK: %n = snippets.reduce_sum %b
// CHECK: %h = snippets.equal %n
// CHECK-NEXT: snippets.subgraph
// CHECK: snippets.yield %y
func.func @numbers_returned(%q: tensor<2x9x4xf32>, %k: tensor<2x7x4xf32>, %v: tensor<2x7x5xf32>, %m: tensor<9x7xi1>) -> (tensor<2x9x5xf32>, tensor<9x1xi1>) {
  %zero = snippets.constant dense<0.0> : tensor<f32>
  %low = snippets.constant dense<0xFF800000> : tensor<f32>
  %b = snippets.select %m, %zero, %low : (tensor<9x7xi1>, tensor<f32>, tensor<f32>) -> tensor<9x7xf32>
  %n = snippets.reduce_sum %b {axes = array<i64: 1>, keep_dims} : (tensor<9x7xf32>) -> tensor<9x1xf32>
  %h = snippets.equal %n, %low : (tensor<9x1xf32>, tensor<f32>) -> tensor<9x1xi1>
  %s = snippets.matmul %q, %k {transpose_b} : (tensor<2x9x4xf32>, tensor<2x7x4xf32>) -> tensor<2x9x7xf32>
  %1 = snippets.add %s, %b : (tensor<2x9x7xf32>, tensor<9x7xf32>) -> tensor<2x9x7xf32>
  %p = snippets.softmax %1 {axis = 2 : i64} : tensor<2x9x7xf32>
  %o = snippets.matmul %p, %v : (tensor<2x9x7xf32>, tensor<2x7x5xf32>) -> tensor<2x9x5xf32>
  %y = snippets.select %h, %zero, %o : (tensor<9x1xi1>, tensor<f32>, tensor<2x9x5xf32>) -> tensor<2x9x5xf32>
  func.return %y, %h : tensor<2x9x5xf32>, tensor<9x1xi1>
}

// -----

// Ops after the result end where one changes its shape, or where another op reads the value too.
// PLAN: attention of snippets.matmul %s, snippets.softmax %p, snippets.matmul %o, snippets.multiply %y{{$}}
// CHECK-LABEL: func.func @ends(
// CHECK: snippets.yield %y
// CHECK: snippets.exp
func.func @ends(%q: tensor<9x4xf32>, %k: tensor<7x4xf32>, %v: tensor<7x5xf32>, %g: tensor<9x5xf32>, %w: tensor<2x9x5xf32>) -> (tensor<2x9x5xf32>, tensor<9x5xf32>) {
  %s = snippets.matmul %q, %k {transpose_b} : (tensor<9x4xf32>, tensor<7x4xf32>) -> tensor<9x7xf32>
  %p = snippets.softmax %s {axis = 1 : i64} : tensor<9x7xf32>
  %o = snippets.matmul %p, %v : (tensor<9x7xf32>, tensor<7x5xf32>) -> tensor<9x5xf32>
  %y = snippets.multiply %o, %g : tensor<9x5xf32>
  %e = snippets.exp %y : tensor<9x5xf32>
  %z = snippets.add %y, %w : (tensor<9x5xf32>, tensor<2x9x5xf32>) -> tensor<2x9x5xf32>
  func.return %z, %e : tensor<2x9x5xf32>, tensor<9x5xf32>
}

// -----

// Does not take the gate: an op outside of the kernel computes it with the maxima of the scores.
// PLAN: attention of snippets.matmul %s, {{.*}}snippets.matmul %o{{$}}
// CHECK-LABEL: func.func @gate_of_maxima(
// CHECK: snippets.yield %{{.*}}, %o
// CHECK: snippets.softmax
// CHECK: snippets.multiply
func.func @gate_of_maxima(%q: tensor<9x4xf32>, %k: tensor<7x4xf32>, %v: tensor<7x9xf32>) -> tensor<9x9xf32> {
  %s = snippets.matmul %q, %k {transpose_b} : (tensor<9x4xf32>, tensor<7x4xf32>) -> tensor<9x7xf32>
  %x = snippets.reduce_max %s {axes = array<i64: 1>, keep_dims} : (tensor<9x7xf32>) -> tensor<9x1xf32>
  %d = snippets.subtract %s, %x : (tensor<9x7xf32>, tensor<9x1xf32>) -> tensor<9x7xf32>
  %p = snippets.softmax %d {axis = 1 : i64} : tensor<9x7xf32>
  %o = snippets.matmul %p, %v : (tensor<9x7xf32>, tensor<7x9xf32>) -> tensor<9x9xf32>
  %f = snippets.softmax %x {axis = 0 : i64} : tensor<9x1xf32>
  %y = snippets.multiply %o, %f : (tensor<9x9xf32>, tensor<9x1xf32>) -> tensor<9x9xf32>
  func.return %y : tensor<9x9xf32>
}

// -----

// Parts of one array: the slices are views inside, with their transposes or without.
// PLAN: attention of snippets.slice, snippets.transpose %q, snippets.slice %k, snippets.slice, snippets.transpose %v, snippets.matmul %s
// CHECK-LABEL: func.func @parts(
// CHECK-NEXT: snippets.subgraph (%{{.*}} = %x, %{{.*}} = %y)
// CHECK-NEXT: snippets.slice
func.func @parts(%x: tensor<9x6x4xf32>, %y: tensor<2x9x8xf32>) -> tensor<2x9x4xf32> {
  %0 = snippets.slice %x {starts = array<i64: 0, 0, 0>, steps = array<i64: 1, 1, 1>} : (tensor<9x6x4xf32>) -> tensor<9x2x4xf32>
  %q = snippets.transpose %0 {permutation = array<i64: 1, 0, 2>} : (tensor<9x2x4xf32>) -> tensor<2x9x4xf32>
  %k = snippets.slice %y {starts = array<i64: 0, 0, 4>, steps = array<i64: 1, 1, 1>} : (tensor<2x9x8xf32>) -> tensor<2x9x4xf32>
  %1 = snippets.slice %x {starts = array<i64: 0, 4, 0>, steps = array<i64: 1, 1, 1>} : (tensor<9x6x4xf32>) -> tensor<9x2x4xf32>
  %v = snippets.transpose %1 {permutation = array<i64: 1, 0, 2>} : (tensor<9x2x4xf32>) -> tensor<2x9x4xf32>
  %s = snippets.matmul %q, %k {transpose_b} : (tensor<2x9x4xf32>, tensor<2x9x4xf32>) -> tensor<2x9x9xf32>
  %p = snippets.softmax %s {axis = 2 : i64} : tensor<2x9x9xf32>
  %o = snippets.matmul %p, %v : (tensor<2x9x9xf32>, tensor<2x9x4xf32>) -> tensor<2x9x4xf32>
  func.return %o : tensor<2x9x4xf32>
}

// -----

// Stays outside: a slice of every second element, one without the last dim, one that is also a result.
// PLAN: attention of snippets.matmul %s
// CHECK-LABEL: func.func @parts_with_gaps(
// CHECK: %q = snippets.slice
// CHECK: %k = snippets.slice
// CHECK: %v = snippets.slice
// CHECK-NEXT: snippets.subgraph (%{{.*}} = %q, %{{.*}} = %k, %{{.*}} = %v)
func.func @parts_with_gaps(%x: tensor<9x8xf32>, %y: tensor<9x4x2xf32>) -> (tensor<9x4xf32>, tensor<9x4xf32>) {
  %q = snippets.slice %x {starts = array<i64: 0, 1>, steps = array<i64: 1, 2>} : (tensor<9x8xf32>) -> tensor<9x4xf32>
  %k = snippets.slice %y {drops = array<i64: 2>, starts = array<i64: 0, 0, 1>, steps = array<i64: 1, 1, 1>} : (tensor<9x4x2xf32>) -> tensor<9x4xf32>
  %v = snippets.slice %x {starts = array<i64: 0, 4>, steps = array<i64: 1, 1>} : (tensor<9x8xf32>) -> tensor<9x4xf32>
  %s = snippets.matmul %q, %k {transpose_b} : (tensor<9x4xf32>, tensor<9x4xf32>) -> tensor<9x9xf32>
  %p = snippets.softmax %s {axis = 1 : i64} : tensor<9x9xf32>
  %o = snippets.matmul %p, %v : (tensor<9x9xf32>, tensor<9x4xf32>) -> tensor<9x4xf32>
  func.return %o, %v : tensor<9x4xf32>, tensor<9x4xf32>
}
