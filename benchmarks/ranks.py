"""Spearman's rank correlation."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import StatisticsError, correlation


def ranks(values: Sequence[float]) -> list[float]:
    """The rank of each value from 0 on; equal values have the mean of their ranks."""
    order = sorted(range(len(values)), key=lambda k: values[k])
    found = [0.0] * len(values)
    start = 0
    while start < len(order):
        end = start
        while end < len(order) and values[order[end]] == values[order[start]]:
            end += 1
        for k in order[start:end]:
            found[k] = (start + end - 1) / 2
        start = end
    return found


def rank_correlation(a: Sequence[float], b: Sequence[float]) -> float:
    """From -1 to 1; NaN for fewer than two values, or if all values of one side are equal."""
    try:
        return correlation(ranks(a), ranks(b))
    except StatisticsError:
        return float("nan")
