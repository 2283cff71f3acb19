// RUN: not snippets-opt %s -p 'lir-optimize-domain{min-kernel-work=-1}' 2>&1 | filecheck %s --check-prefix=WORK
// RUN: not snippets-opt %s -p 'lir-optimize-domain{rule=ours}' 2>&1 | filecheck %s --check-prefix=RULE

// WORK: error: pass 'lir-optimize-domain': expected min-kernel-work of 0 or more, found -1
// RULE: error: pass 'lir-optimize-domain': expected rule=flat or rule=guide, found "ours"
func.func @f() {
  func.return
}
