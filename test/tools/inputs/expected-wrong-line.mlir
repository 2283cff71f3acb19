func.func @f() {
  func.return
}

// -----

func.func @g() {
  // expected-error {{unknown op}}

  %0 = foo.bar
}
