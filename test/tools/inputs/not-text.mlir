func.func @f() {
ÿþ}
