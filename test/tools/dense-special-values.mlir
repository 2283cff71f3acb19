// Infinities and NaNs keep their bits through printing and parsing, in every float type.
// RUN: %roundtrip
// RUN: %generic-roundtrip

func.func @f() {
  %0 = arith.constant dense<[0x7F800000, 0xFF800000, 0x7FC00000, -0.0]> : tensor<4xf32>
  %1 = arith.constant dense<[0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000001]> : tensor<3xf64>
  %2 = arith.constant dense<[0x7C00, 0xFC00, 0x7E00]> : tensor<3xf16>
  %3 = arith.constant dense<[0x7F80, 0xFF80, 0x7FC0]> : tensor<3xbf16>
  %4 = arith.constant dense<[0x10, -5]> : tensor<2xi32>
  func.return
}

// CHECK:      dense<[0x7f800000, 0xff800000, 0x7fc00000, -0.000000e+00]> : tensor<4xf32>
// CHECK-NEXT: dense<[0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000001]> : tensor<3xf64>
// CHECK-NEXT: dense<[0x7c00, 0xfc00, 0x7e00]> : tensor<3xf16>
// CHECK-NEXT: dense<[0x7f80, 0xff80, 0x7fc0]> : tensor<3xbf16>
// CHECK-NEXT: dense<[16, -5]> : tensor<2xi32>
