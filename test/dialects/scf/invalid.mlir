// RUN: snippets-opt %s --split-input-file --verify-diagnostics

func.func @f(%a: index) {
  // expected-error @+1 {{Expected region!}}
  %s = scf.parallel (%k) = (%a) to (%a) step (%a) -> f32 {
  }
  func.return
}

// -----

func.func @f(%a: index) {
  // expected-error @+1 {{Expected the same number of lower bounds, upper bounds, and steps}}
  scf.parallel (%k) = (%a) to (%a, %a) step (%a) {
  }
  func.return
}
