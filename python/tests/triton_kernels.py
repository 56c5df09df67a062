"""Triton reads the source of its kernels, so they are in a file of their own."""

import triton
import triton.language as tl
from triton.experimental import gluon
from triton.experimental.gluon import language as gl


@triton.jit
def add(a, b, c, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    tl.store(c + at, tl.load(a + at, mask=mask) + tl.load(b + at, mask=mask), mask=mask)


@gluon.jit
def rows(a, b, SIZE: gl.constexpr, layout: gl.constexpr):
    r = gl.arange(0, SIZE, layout=gl.SliceLayout(1, layout))
    c = gl.arange(0, SIZE, layout=gl.SliceLayout(0, layout))
    at = r[:, None] * SIZE + c[None, :]
    gl.store(b + at, gl.load(a + at) * 2)
