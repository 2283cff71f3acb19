// RUN: snippets-opt %s -p unroll-stablehlo-while | filecheck %s
// RUN: snippets-opt %s -p unroll-stablehlo-while{max-iterations=3} | filecheck %s --check-prefix=FEW
// RUN: snippets-opt %s -p unroll-stablehlo-while{max-ops=3} | filecheck %s --check-prefix=SMALL

// Two iterations; the counter is a constant of each, and so is where a slice begins.
// With at most three iterations, too; an iteration has more than three ops.
// FEW-LABEL: func.func @counted
// FEW-NOT: stablehlo.while
// SMALL-LABEL: func.func @counted
// SMALL: stablehlo.while
// CHECK-LABEL: func.func @counted
// CHECK: %[[P0:[0-9]+]] = stablehlo.constant dense<0> : tensor<i32>
// CHECK: stablehlo.dynamic_slice %x, %[[P0]]
// CHECK: %[[S0:.*]] = stablehlo.add
// CHECK: stablehlo.constant dense<2> : tensor<i32>
// CHECK-NEXT: %[[P1:[0-9]+]] = stablehlo.constant dense<1> : tensor<i32>
// CHECK: stablehlo.dynamic_slice %x, %[[P1]]
// CHECK: %[[S1:.*]] = stablehlo.add %[[S0]]
// CHECK-NOT: stablehlo.while
// CHECK: func.return %[[S1]]
func.func @counted(%x: tensor<2xf32>, %v: tensor<1xf32>) -> tensor<1xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %s = %v) : tensor<i32>, tensor<1xf32> cond {
    %c = stablehlo.constant dense<2> : tensor<i32>
    %p = stablehlo.compare LT, %i, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %n = stablehlo.add %i, %one : tensor<i32>
    %m = stablehlo.subtract %n, %one : tensor<i32>
    %part = stablehlo.dynamic_slice %x, %m, sizes = [1] : (tensor<2xf32>, tensor<i32>) -> tensor<1xf32>
    %w = stablehlo.add %s, %part : tensor<1xf32>
    stablehlo.return %n, %w : tensor<i32>, tensor<1xf32>
  }
  func.return %0#1 : tensor<1xf32>
}

// A loop in a loop, and a loop of no iteration.
// Twice two iterations are more than three.
// FEW-LABEL: func.func @nested
// FEW-COUNT-2: stablehlo.while
// SMALL-LABEL: func.func @nested
// SMALL: stablehlo.while
// CHECK-LABEL: func.func @nested
// CHECK-COUNT-4: stablehlo.tanh
// CHECK-NOT: stablehlo.tanh
// CHECK-NOT: stablehlo.while
// CHECK: func.return
func.func @nested(%x: tensor<4xf32>) -> tensor<4xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, tensor<4xf32> cond {
    %p = stablehlo.compare LT, %i, %two : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %n = stablehlo.add %i, %one : tensor<i32>
    %1:2 = stablehlo.while(%j = %two, %w = %v) : tensor<i32>, tensor<4xf32> cond {
      %p = stablehlo.compare GT, %j, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %m = stablehlo.subtract %j, %one : tensor<i32>
      %t = stablehlo.tanh %w : tensor<4xf32>
      stablehlo.return %m, %t : tensor<i32>, tensor<4xf32>
    }
    stablehlo.return %n, %1#1 : tensor<i32>, tensor<4xf32>
  }
  %2:2 = stablehlo.while(%i = %two, %v = %0#1) : tensor<i32>, tensor<4xf32> cond {
    %p = stablehlo.compare LT, %i, %two : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %t = stablehlo.tanh %v : tensor<4xf32>
    stablehlo.return %i, %t : tensor<i32>, tensor<4xf32>
  }
  func.return %2#1 : tensor<4xf32>
}

// Not: a condition on an argument, too many iterations, no end.
// CHECK-LABEL: func.func @stays
// CHECK-COUNT-3: stablehlo.while
// CHECK: func.return
func.func @stays(%n: tensor<i32>, %x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %many = stablehlo.constant dense<100000> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, tensor<4xf32> cond {
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %m = stablehlo.add %i, %one : tensor<i32>
    %t = stablehlo.tanh %v : tensor<4xf32>
    stablehlo.return %m, %t : tensor<i32>, tensor<4xf32>
  }
  %1:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, tensor<4xf32> cond {
    %p = stablehlo.compare LT, %i, %many : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %m = stablehlo.add %i, %one : tensor<i32>
    %t = stablehlo.tanh %v : tensor<4xf32>
    stablehlo.return %m, %t : tensor<i32>, tensor<4xf32>
  }
  %2:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, tensor<4xf32> cond {
    %p = stablehlo.compare LT, %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    stablehlo.return %i, %v : tensor<i32>, tensor<4xf32>
  }
  func.return %0#1, %1#1, %2#1 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// A loop that goes on from where the loop before it ended.
// CHECK-LABEL: func.func @continued
// CHECK-COUNT-3: stablehlo.tanh
// CHECK-NOT: stablehlo.tanh
// CHECK-NOT: stablehlo.while
// CHECK: func.return
func.func @continued(%x: tensor<4xf32>) -> tensor<4xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, tensor<4xf32> cond {
    %p = stablehlo.compare LT, %i, %two : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %n = stablehlo.add %i, %one : tensor<i32>
    %t = stablehlo.tanh %v : tensor<4xf32>
    stablehlo.return %n, %t : tensor<i32>, tensor<4xf32>
  }
  %1:2 = stablehlo.while(%i = %0#0, %v = %0#1) : tensor<i32>, tensor<4xf32> cond {
    %p = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %n = stablehlo.add %i, %one : tensor<i32>
    %t = stablehlo.tanh %v : tensor<4xf32>
    stablehlo.return %n, %t : tensor<i32>, tensor<4xf32>
  }
  func.return %1#1 : tensor<4xf32>
}
