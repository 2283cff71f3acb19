"""Loops for tests: one and two dims, a reduction, and numbers that are easily lost."""

from __future__ import annotations

from math import inf as INF
from math import nan

SPECIAL = [-0.0, 0.0, nan, INF, -INF, 1.0, -1.0, 1e-45, 3.4e38, -0.0, -0.0, 2.5]

SAXPY = """func.func @saxpy(%n: index, %a: T, %x: memref<?xT>, %y: memref<?xT>) {
  affine.for %i = 0 to %n {
    %0 = affine.load %x[%i] : memref<?xT>
    %1 = affine.load %y[%i + 1] : memref<?xT>
    %2 = arith.MUL %a, %0 : T
    %3 = arith.ADD %2, %1 : T
    affine.store %3, %y[%i + 1] : memref<?xT>
  }
  func.return
}"""

TRANSPOSED = """func.func @f(%m: index, %n: index, %A: memref<?x?xi32>, %B: memref<?x?xi32>) {
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      %0 = affine.load %A[%j, %i] : memref<?x?xi32>
      affine.store %0, %B[%j + 1, %i] : memref<?x?xi32>
    }
  }
  func.return
}"""

REDUCTION = """func.func @reduce(%n: index, %init: f32, %A: memref<?xf32>) -> f32 {
  %s = affine.for %i = 0 to %n iter_args(%acc = %init) -> (f32) {
    %0 = affine.load %A[%i] : memref<?xf32>
    %1 = arith.KIND %acc, %0 : f32
    affine.yield %1 : f32
  }
  func.return %s : f32
}"""
