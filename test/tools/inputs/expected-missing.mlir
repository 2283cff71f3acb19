func.func @f() {
  // expected-error {{nothing}}
  func.return
}
