// RUN: snippets-opt %s -p snippets-broadcast-to-broadcast-move --verify-each | filecheck %s
// RUN: snippets-opt %s -p snippets-broadcast-to-broadcast-move,snippets-broadcast-to-broadcast-move --verify-each | filecheck %s

// A broadcast of the last dim becomes a move.
// CHECK-LABEL: func.func @last_dim(
// CHECK: snippets.broadcast_move %{{.*}} : (tensor<4x1xf32>) -> tensor<4x8xf32>
// CHECK-NEXT: snippets.exp
// CHECK-NEXT: snippets.yield
func.func @last_dim(%x: tensor<4x1xf32>) -> tensor<4x8xf32> {
  %0 = snippets.subgraph (%a = %x) : (tensor<4x1xf32>) -> tensor<4x8xf32> {
    %1 = snippets.broadcast %a : (tensor<4x1xf32>) -> tensor<4x8xf32>
    %2 = snippets.exp %1 : tensor<4x8xf32>
    snippets.yield %2 : tensor<4x8xf32>
  }
  func.return %0 : tensor<4x8xf32>
}

// Also from rank 0, and of the last dim together with others.
// CHECK-LABEL: func.func @from_a_number(
// CHECK: snippets.broadcast_move %{{.*}} : (tensor<f32>) -> tensor<8xf32>
// CHECK: snippets.broadcast_move %{{.*}} : (tensor<1x1xf32>) -> tensor<4x8xf32>
func.func @from_a_number(%x: tensor<f32>, %y: tensor<1x1xf32>) -> (tensor<8xf32>, tensor<4x8xf32>) {
  %0, %1 = snippets.subgraph (%a = %x, %b = %y) : (tensor<f32>, tensor<1x1xf32>) -> (tensor<8xf32>, tensor<4x8xf32>) {
    %2 = snippets.broadcast %a : (tensor<f32>) -> tensor<8xf32>
    %3 = snippets.broadcast %b : (tensor<1x1xf32>) -> tensor<4x8xf32>
    snippets.yield %2, %3 : tensor<8xf32>, tensor<4x8xf32>
  }
  func.return %0, %1 : tensor<8xf32>, tensor<4x8xf32>
}

// One of other dims is dropped where every user has its shape without it.
// CHECK-LABEL: func.func @other_dims(
// CHECK-NOT: broadcast
// CHECK: snippets.add %{{.*}}, %{{.*}} : (tensor<1x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
func.func @other_dims(%x: tensor<1x8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = snippets.subgraph (%a = %x, %b = %y) : (tensor<1x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32> {
    %1 = snippets.broadcast %a : (tensor<1x8xf32>) -> tensor<4x8xf32>
    %2 = snippets.add %1, %b : tensor<4x8xf32>
    snippets.yield %2 : tensor<4x8xf32>
  }
  func.return %0 : tensor<4x8xf32>
}

// It stays where a user has its shape from it: alone, with another such value, or yielded.
// CHECK-LABEL: func.func @gives_the_shape(
// CHECK: snippets.broadcast %{{.*}} : (tensor<1x8xf32>) -> tensor<4x8xf32>
// CHECK-NEXT: snippets.exp
// CHECK-NEXT: snippets.broadcast %{{.*}} : (tensor<8xf32>) -> tensor<4x8xf32>
// CHECK-NEXT: snippets.add
// CHECK-NEXT: snippets.broadcast %{{.*}} : (tensor<8xf32>) -> tensor<1x8xf32>
// CHECK-NEXT: snippets.yield
func.func @gives_the_shape(%x: tensor<1x8xf32>, %y: tensor<8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<1x8xf32>) {
  %0, %1, %2 = snippets.subgraph (%a = %x, %b = %y) : (tensor<1x8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<1x8xf32>) {
    %3 = snippets.broadcast %a : (tensor<1x8xf32>) -> tensor<4x8xf32>
    %4 = snippets.exp %3 : tensor<4x8xf32>
    %5 = snippets.broadcast %b : (tensor<8xf32>) -> tensor<4x8xf32>
    %6 = snippets.add %5, %b : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
    %7 = snippets.broadcast %b : (tensor<8xf32>) -> tensor<1x8xf32>
    snippets.yield %4, %6, %7 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<1x8xf32>
  }
  func.return %0, %1, %2 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<1x8xf32>
}

// One user that needs it keeps it for all; outside of subgraphs nothing changes.
// CHECK-LABEL: func.func @mixed_users(
// CHECK: snippets.broadcast %x : (tensor<1x1xf32>) -> tensor<1x8xf32>
// CHECK: snippets.broadcast %{{.*}} : (tensor<1x8xf32>) -> tensor<4x8xf32>
// CHECK-NEXT: snippets.add
// CHECK-NEXT: snippets.exp
func.func @mixed_users(%x: tensor<1x1xf32>, %y: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %o = snippets.broadcast %x : (tensor<1x1xf32>) -> tensor<1x8xf32>
  %0, %1 = snippets.subgraph (%a = %o, %b = %y) : (tensor<1x8xf32>, tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
    %2 = snippets.broadcast %a : (tensor<1x8xf32>) -> tensor<4x8xf32>
    %3 = snippets.add %2, %b : tensor<4x8xf32>
    %4 = snippets.exp %2 : tensor<4x8xf32>
    snippets.yield %3, %4 : tensor<4x8xf32>, tensor<4x8xf32>
  }
  func.return %0, %1 : tensor<4x8xf32>, tensor<4x8xf32>
}
