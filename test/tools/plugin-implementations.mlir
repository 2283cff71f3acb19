// A plugin's IMPLEMENTATIONS are rows of the registry, with the priority that the plugin says.

// RUN: snippets-opt %s -p program-select-implementations | filecheck %s --check-prefix=WITHOUT
// RUN: snippets-opt %s --load-pass-plugin=%S/inputs/plugin_implementations.py -p program-select-implementations --explain=program-select-implementations 2>&1 | filecheck %s
// RUN: snippets-opt %s --load-pass-plugin=%S/inputs/plugin_implementations.py --load-pass-plugin=%S/inputs/plugin_implementations.py -p program-select-implementations --force-impl small:mine-any | filecheck %s --check-prefix=FORCE
// RUN: not snippets-opt %s --load-pass-plugin=%S/inputs/plugin_implementations.py -p program-select-implementations --force-impl large:mine-small 2>&1 | filecheck %s --check-prefix=REASON
// RUN: not snippets-opt %s --load-pass-plugin=%S/inputs/plugin_no_row.py 2>&1 | filecheck %s --check-prefix=ROW
// RUN: not snippets-opt %s --load-pass-plugin=%S/inputs/plugin_taken_row.py 2>&1 | filecheck %s --check-prefix=TAKEN
// RUN: snippets-run %s --load-pass-plugin=%S/inputs/plugin_implementations.py --verify | filecheck %s --check-prefix=EXECUTE

// CHECK: "small": mine-small: chosen
// CHECK-NEXT: "large": mine-small refused: 8 elements are too many, expected at most 7; snippets: chosen
// CHECK: program.node "small" (%{{.*}} = %{{.*}}) impl<"mine-small", cost = 10> :
// CHECK: program.node "large" (%{{.*}} = %{{.*}}) impl<"snippets"> :
// FORCE: program.node "small" (%{{.*}} = %{{.*}}) impl<"mine-any"> :
// WITHOUT: program.node "small" (%{{.*}} = %{{.*}}) impl<"snippets"> :
// REASON: error: "large": mine-small is forced and refused it: 8 elements are too many, expected at most 7
// ROW: error: plugin '{{.*}}plugin_no_row.py': IMPLEMENTATIONS: expected rows Implementation(...) or pairs (row, KIND), found 'snippets'
// TAKEN: error: plugin '{{.*}}plugin_taken_row.py': IMPLEMENTATIONS: there is an implementation 'reference' already
// EXECUTE: u: 4 float32 max_abs=0 max_rel=0 ok
// EXECUTE-NEXT: v: 8 float32 max_abs=0 max_rel=0 ok

program.graph @main "topology" (%x: tensor<4xf32>, %y: tensor<8xf32>) {
  %0 = program.node "small" (%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    %v = snippets.relu %a : tensor<4xf32>
    program.yield %v : tensor<4xf32>
  }
  %1 = program.node "large" (%a = %y) : (tensor<8xf32>) -> tensor<8xf32> {
    %v = snippets.relu %a : tensor<8xf32>
    program.yield %v : tensor<8xf32>
  }
  program.output %0 as "u", %1 as "v" : tensor<4xf32>, tensor<8xf32>
}
