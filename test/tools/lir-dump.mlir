// RUN: snippets-opt %s -p snippets-set-target,snippets-tokenize,convert-snippets-to-lir,lir-optimize-domain,lir-mark-loops,lir-fuse-loops --lir-dump="passes=lir-mark-loops,final dir=%t formats=all files=svg" -o %t.mlir
// RUN: filecheck %s --check-prefix=IN --input-file %t/subgraph_0/lir_04_lir-mark-loops_control_flow_in.svg
// RUN: filecheck %s --check-prefix=FINAL --input-file %t/subgraph_0/lir_06_final_data_flow_out.svg
// RUN: not snippets-opt %s -p cse --lir-dump="passes=lir-mark-loop" 2>&1 | filecheck %s --check-prefix=UNKNOWN
// RUN: not snippets-opt %s -p cse --lir-dump="dir=a" 2>&1 | filecheck %s --check-prefix=MISSING
// RUN: not snippets-opt %s -p cse --lir-dump="passes=all colour=red" 2>&1 | filecheck %s --check-prefix=KEY
// RUN: not snippets-opt %s -p cse --lir-dump="passes=all Passes=all" 2>&1 | filecheck %s --check-prefix=TWICE
// RUN: not snippets-opt %s -p cse --lir-dump="passes=all formats=data" 2>&1 | filecheck %s --check-prefix=FORMAT

// IN: <title>kernel @subgraph_0, stage linear
// FINAL: <title>kernel @subgraph_0, stage marked
// UNKNOWN: error: --lir-dump: pass 'lir-mark-loop' is not in the pipeline
// MISSING: error: --lir-dump: 'passes' is missing; expected 'passes=<all|final|pass,...> [dir=<folder>]
// KEY: error: --lir-dump: unexpected 'colour=red'; expected
// TWICE: error: --lir-dump: 'passes' is given twice; expected
// FORMAT: error: --lir-dump: formats: expected control_flow, data_flow or all, found 'data'
func.func @main(%x: tensor<8x40xf32>) -> tensor<8x40xf32> {
  %0 = snippets.exp %x : tensor<8x40xf32>
  func.return %0 : tensor<8x40xf32>
}
