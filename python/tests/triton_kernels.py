"""Triton reads the source of its kernels, so they are in a file of their own."""

import triton
import triton.language as tl


@triton.jit
def add(a, b, c, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    tl.store(c + at, tl.load(a + at, mask=mask) + tl.load(b + at, mask=mask), mask=mask)
