func.func @f() {
  func.return
}

// -----

func.func @g() {
  %0 = foo.bar
}
