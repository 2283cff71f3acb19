// RUN: snippets-opt %s --split-input-file --verify-diagnostics

func.func @f1_type_of_a_field(%x: tensor<4xf32>) {
  // expected-error @+1 {{F1: snippets.tuple expects a result of tuple<tensor<4xf32>>, found tuple<tensor<4xf64>>}}
  %0 = snippets.tuple %x : (tensor<4xf32>) -> tuple<tensor<4xf64>>
  func.return
}

// -----

func.func @f1_number_of_fields(%x: tensor<4xf32>) {
  // expected-error @+1 {{F1: snippets.tuple expects a result of tuple<tensor<4xf32>>, found tuple<>}}
  %0 = snippets.tuple %x : (tensor<4xf32>) -> tuple<>
  func.return
}

// -----

func.func @f2_after_the_last(%t: tuple<tensor<4xf32>>) {
  // expected-error @+1 {{F2: snippets.tuple_get expects an index below 1, found 1}}
  %0 = snippets.tuple_get %t {index = 1 : i64} : (tuple<tensor<4xf32>>) -> tensor<4xf32>
  func.return
}

// -----

func.func @f2_before_the_first(%t: tuple<tensor<4xf32>>) {
  // expected-error @+1 {{F2: snippets.tuple_get expects an index below 1, found -1}}
  %0 = snippets.tuple_get %t {index = -1 : i64} : (tuple<tensor<4xf32>>) -> tensor<4xf32>
  func.return
}

// -----

func.func @f2_no_fields(%t: tuple<>) {
  // expected-error @+1 {{F2: snippets.tuple_get expects an index below 0, found 0}}
  %0 = snippets.tuple_get %t {index = 0 : i64} : (tuple<>) -> tensor<4xf32>
  func.return
}

// -----

func.func @f3_type_of_the_other_field(%t: tuple<tensor<4xf32>, tensor<i1>>) {
  // expected-error @+1 {{F3: snippets.tuple_get expects a result of tensor<4xf32>, found tensor<i1>}}
  %0 = snippets.tuple_get %t {index = 0 : i64} : (tuple<tensor<4xf32>, tensor<i1>>) -> tensor<i1>
  func.return
}

// -----

func.func @f4_another_type(%x: tensor<4xf32>) {
  // expected-error @+1 {{F4: snippets.stop_fusion expects a result of tensor<4xf32>, found tensor<2xf32>}}
  %0 = snippets.stop_fusion %x : (tensor<4xf32>) -> tensor<2xf32>
  func.return
}
