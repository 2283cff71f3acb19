// RUN: snippets-opt %s --load-dialect-plugin=%S/inputs/plugin_mine.py --load-pass-plugin %S/inputs/plugin_mine.py --mine-abs-to-twice | filecheck %s
// RUN: env PYTHONPATH=%S/inputs python -m snippets_mlir.tools.snippets_opt %s --load-dialect-plugin=plugin_tables --load-pass-plugin=plugin_tables -p mine-abs-to-twice | filecheck %s
// RUN: not snippets-opt %s 2>&1 | filecheck %s --check-prefix WITHOUT
// RUN: not snippets-opt %s --load-dialect-plugin=%S/inputs/no_such_file.py 2>&1 | filecheck %s --check-prefix MISSING
// RUN: not snippets-opt %s --load-dialect-plugin=no_such_module 2>&1 | filecheck %s --check-prefix MODULE
// RUN: not snippets-opt %s --load-pass-plugin=%S/inputs/plugin_broken.py 2>&1 | filecheck %s --check-prefix BROKEN
// RUN: not snippets-opt %s --load-pass-plugin=%S/inputs/plugin_nothing.py 2>&1 | filecheck %s --check-prefix NOTHING
// RUN: not snippets-opt %s --load-dialect-plugin=%S/inputs/plugin_taken.py 2>&1 | filecheck %s --check-prefix TAKEN
// RUN: snippets-opt --load-pass-plugin=%S/inputs/plugin_mine.py --list-passes | filecheck %s --check-prefix LIST

func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = snippets.abs %x : tensor<4xf32>
  %1 = mine.twice %0 : tensor<4xf32> -> tensor<4xf32>
  func.return %1 : tensor<4xf32>
}

// CHECK:      %0 = mine.twice %x : tensor<4xf32> -> tensor<4xf32>
// CHECK-NEXT: %1 = mine.twice %0 : tensor<4xf32> -> tensor<4xf32>

// WITHOUT:    plugins.mlir:13:8: error: unknown op 'mine.twice': no dialect 'mine'
// MISSING:    error: plugin '{{.*}}no_such_file.py' cannot be loaded: there is no such file
// MODULE:     error: plugin 'no_such_module' cannot be loaded: ModuleNotFoundError: No module named 'no_such_module'
// BROKEN:     error: plugin '{{.*}}plugin_broken.py' cannot be loaded: ModuleNotFoundError: No module named 'there_is_no_such_module'
// NOTHING:    error: plugin '{{.*}}plugin_nothing.py' has no pass
// TAKEN:      error: plugin '{{.*}}plugin_taken.py': there is already a dialect 'snippets'
// LIST:       mine-abs-to-twice  Replace `snippets.abs` by `mine.twice`.
