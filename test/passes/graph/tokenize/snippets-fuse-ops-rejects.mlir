// RUN: snippets-opt %s --allow-unregistered-dialect --split-input-file --verify-diagnostics -p snippets-fuse-ops
// RUN: not snippets-opt --allow-unregistered-dialect --split-input-file %s -p 'snippets-fuse-ops{flavor=relai}' 2>&1 | filecheck %s --check-prefix=FLAVOR
// RUN: not snippets-opt --allow-unregistered-dialect --split-input-file %s -p 'snippets-fuse-ops{max-fuse-depth=0}' 2>&1 | filecheck %s --check-prefix=DEPTH
// RUN: not snippets-opt --allow-unregistered-dialect --split-input-file %s -p 'snippets-fuse-ops{max-function-args=-1}' 2>&1 | filecheck %s --check-prefix=DEPTH
// RUN: not snippets-opt --allow-unregistered-dialect --split-input-file %s -p 'snippets-fuse-ops{fuse-opt-level=-1}' 2>&1 | filecheck %s --check-prefix=DEPTH
// RUN: not snippets-opt --allow-unregistered-dialect --split-input-file %s -p 'snippets-print-fusion-graph{format=dott}' 2>&1 | filecheck %s --check-prefix=FORMAT

// FLAVOR: error: pass 'snippets-fuse-ops': flavor: expected relay or relax, found 'relai'; did you mean 'relay'?
// DEPTH: error: pass 'snippets-fuse-ops': expected a fuse-opt-level of 0 or more, a max-fuse-depth of 1 or more and max-function-args of 0 (unlimited) or more
// FORMAT: error: pass 'snippets-print-fusion-graph': format: expected text, dot or svg, found 'dott'; did you mean 'dot'?

func.func @unknown_kind(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{fuse.pattern: expected one of elemwise, broadcast, injective, comm_reduce, out_elemwise_fusable, tuple, opaque, found 'elemwize'; did you mean 'elemwise'?}}
  %0 = "t.op"(%x) {fuse.pattern = "elemwize"} : (tensor<4xf32>) -> tensor<4xf32>
  func.return %0 : tensor<4xf32>
}

// -----

func.func @no_text(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{fuse.pattern: expected one of}}
  %0 = snippets.relu %x {fuse.pattern = 0 : i64} : tensor<4xf32>
  func.return %0 : tensor<4xf32>
}
