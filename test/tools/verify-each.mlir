// RUN: not snippets-opt %s --load-pass-plugin=%S/inputs/plugin_failing.py -p break-dominance,cse 2>&1 | filecheck %s --check-prefix DOMINANCE
// RUN: not snippets-opt %s --load-pass-plugin=%S/inputs/plugin_failing.py -p break-op,cse --verify-each 2>&1 | filecheck %s --check-prefix OP
// RUN: snippets-opt %s --load-pass-plugin=%S/inputs/plugin_failing.py -p break-dominance --verify-each=false | filecheck %s --check-prefix OFF
// RUN: not snippets-opt %s --load-pass-plugin=%S/inputs/plugin_failing.py -p bug 2>&1 | filecheck %s --check-prefix BUG
// RUN: not snippets-opt %s --load-pass-plugin=%S/inputs/plugin_failing.py -p bug --debug 2>&1 | filecheck %s --check-prefix DEBUG
// RUN: not snippets-opt %S/inputs/not-valid.mlir 2>&1 | filecheck %s --check-prefix INPUT
// RUN: snippets-opt %S/inputs/not-valid.mlir --disable-verify | filecheck %s --check-prefix UNCHECKED

func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = snippets.exp %x : tensor<4xf32>
  %1 = snippets.abs %0 : tensor<4xf32>
  func.return %1 : tensor<4xf32>
}

// DOMINANCE:     verify-each.mlir:11:3: error: after pass 'break-dominance': operand #0 of 'snippets.abs', the result of 'snippets.exp', does not dominate this use
// OP:            verify-each.mlir:12:3: error: after pass 'break-op': 'func.return' op is malformed
// OFF:           snippets.abs
// OFF-NEXT:      snippets.exp
// BUG:           verify-each.mlir:{{.*}}: error: pass 'bug' failed at {{.*}}plugin_failing.py:58: KeyError: 'lost'
// BUG-NOT:       Traceback
// DEBUG:         Traceback
// INPUT:         not-valid.mlir:2:3: error: C4: snippets.add operands do not broadcast
// UNCHECKED:     snippets.add
