"""Kernels on the CPU, and what Triton compiles."""

from pathlib import Path

import pytest
import tessera as ts
from conftest import needs

numpy = pytest.importorskip("numpy")

KERNELS = Path(__file__).resolve().parents[2] / "assets" / "kernels"

SCALE = """
.version 7.0
.target sm_70
.address_size 64
.visible .entry scale(.param .u64 a, .param .u64 b, .param .f32 factor, .param .u32 n) {
  .reg .b64 %rd<8>; .reg .b32 %r<8>; .reg .f32 %f<5>; .reg .pred %p<2>;
  ld.param.u64 %rd1, [a];
  ld.param.u64 %rd2, [b];
  ld.param.f32 %f1, [factor];
  ld.param.u32 %r5, [n];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.s32 %r4, %r1, %r2, %r3;
  setp.ge.s32 %p1, %r4, %r5;
  @%p1 bra done;
  mul.wide.s32 %rd3, %r4, 4;
  add.s64 %rd4, %rd1, %rd3;
  add.s64 %rd5, %rd2, %rd3;
  ld.global.f32 %f2, [%rd4];
  mul.f32 %f3, %f2, %f1;
  st.global.f32 [%rd5], %f3;
done:
  ret;
}
"""


def test_a_kernel_computes_what_numpy_computes(rng):
    for n in (1, 31, 64, 100):
        a = numpy.array([rng.randint(-50, 50) / 4 for _ in range(n)], dtype=numpy.float32)
        kept = a.copy()
        run = ts.kernel(SCALE, 2, 64, [a, numpy.zeros(n, numpy.float32), numpy.float32(2.5), n])
        assert run and run.verdict == "clean" and run.passed and run.entry == "scale" and not run.findings
        assert (run.buffers[1] == a * numpy.float32(2.5)).all() and run.buffers[2] is None
        assert (a == kept).all()  # arguments are not written to
        assert not run.buffers[0].flags.writeable and run._buffers[1].array.dtype == numpy.float32
    assert [access.op for access in run.accesses] == ["ld.global.f32", "st.global.f32"]
    load = run.accesses[0]
    assert (load.store, load.space, load.argument, load.width) == (False, "global", 0, 4)
    assert load.sectors == load.ideal_sectors and load.line == load.ptx_line > 0


def test_a_buffer_outlives_its_run():
    kept = ts.kernel(SCALE, 1, 32, ["f32[32]=3", "f32[32]=0", 2.0, 32]).buffers[1]
    for _ in range(20):
        ts.kernel(SCALE, 1, 32, ["f32[32]=5", "f32[32]=0", 2.0, 32])
    assert kept.tolist() == [6.0] * 32


def test_references_are_compared_and_proved():
    how = dict(grid=1, block=32, args={"A": "f32[32]", "B": "f32[32]=0", "s": 2.0, "n": 32})
    assert ts.kernel(SCALE, reference="B = A * s", prove=True, **how).passed
    wrong = ts.kernel(SCALE, reference="B = A + s", **how)
    assert not wrong and wrong.verdict == "wrong" and wrong.findings[0].kind == "wrong"
    with pytest.raises(ts.Error, match="prove needs a reference"):
        ts.kernel(SCALE, prove=True, **how)
    with pytest.raises(ts.Error):
        ts.kernel(SCALE, reference="C = ", **how)


def test_errors_of_memory_are_findings():
    run = ts.kernel(SCALE, 1, 64, [numpy.zeros(40, "f4"), numpy.zeros(40, "f4"), 1.0, 64])
    assert not run and run.verdict == "bounds"
    finding = run.findings[0]
    assert finding.kind == "bounds" and finding.at.thread[0] >= 40 and finding.times >= 1
    assert finding.message in run.text


def test_a_race_is_found_and_shown():
    text = (KERNELS / "reduce.ptx").read_text()
    run = ts.kernel(text, 2, 256, entry="reduce_race")
    assert run.verdict == "race" and run.findings[0].other is not None
    with pytest.raises(AssertionError) as failure:
        ts.assert_race_free(run)
    assert run.findings[0].message in str(failure.value)
    ts.assert_race_free(ts.kernel(SCALE, 1, 32, ["f32[32]", "f32[32]", 1.0, 32]))
    with pytest.raises(AssertionError, match="did not pass"):
        ts.assert_race_free(ts.kernel(SCALE, 1, 64, ["f32[40]", "f32[40]", 1.0, 64]))


def test_arguments_are_checked():
    for bad in [["int8:1"], ["f32[8]", "nonsense[", 1.0, 8], ["f32[8]", "f32[8]", "f32[8]", 8], ["f32[8]"] * 5]:
        with pytest.raises(ts.Error):
            ts.kernel(SCALE, 1, 32, bad)
    with pytest.raises(ts.Error):
        ts.kernel(SCALE, 1, 32, ["f32[8]\0", "f32[8]", 1.0, 8])
    with pytest.raises(TypeError):
        ts.kernel(SCALE, 1, 32, [numpy.array([object()]), "f32[8]", 1.0, 8])
    with pytest.raises(TypeError):
        ts.kernel(SCALE, "1", 32, [])
    for shape in [dict(grid=0, block=32), dict(grid=1, block=5000), dict(grid=(1, 2, 3, 4), block=32)]:
        with pytest.raises(ts.Error):
            ts.kernel(SCALE, args=["f32[8]", "f32[8]", 1.0, 8], **shape)
    with pytest.raises(ts.Error, match="cannot be negative"):
        ts.kernel(SCALE, 1, 32, shared=-1)
    with pytest.raises(ts.Error):
        ts.kernel("not PTX", 1)


def test_arrays_of_any_order_and_endianness():
    a = numpy.arange(64, dtype=numpy.float32).reshape(8, 8)
    for array in (a, a.T, a[::-1], a.astype(">f4"), a[:, ::-1]):
        run = ts.kernel(SCALE, 1, 64, [array, numpy.zeros(64, "f4"), 2.0, 64])
        assert (run.buffers[1] == 2 * array.astype("f4").ravel()).all()


def test_triton_kernels_are_compiled_and_every_access_is_reported():
    triton = needs("triton")
    pytest.importorskip("triton.compiler")
    import triton_kernels

    x = numpy.arange(1000, dtype=numpy.float32)
    try:
        run = ts.triton.report(triton_kernels.add, x, 2 * x, numpy.zeros_like(x), 1000, grid=4, BLOCK=256, num_warps=2)
    except RuntimeError as problem:
        pytest.skip("Triton %s cannot compile here: %s" % (triton.__version__, problem))
    assert run.passed, run.text
    assert (run.buffers[2] == 3 * x).all()
    assert {a.argument for a in run.accesses} == {0, 1, 2} and [a.store for a in run.accesses].count(True) >= 1
    assert all(a.sectors >= a.ideal_sectors for a in run.accesses)
    from triton.experimental.gluon import language as gl

    tile = numpy.arange(1024, dtype=numpy.float32).reshape(32, 32)
    across = gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0])
    down = gl.BlockedLayout([1, 1], [32, 1], [1, 4], [0, 1])
    sectors = []
    for layout in (across, down):
        run = ts.triton.report(triton_kernels.rows, tile, numpy.zeros_like(tile), SIZE=32, layout=layout)
        assert run.passed and (run.buffers[1] == 2 * tile).all()
        sectors.append(sum(a.sectors for a in run.accesses))
        assert sum(a.ideal_sectors for a in run.accesses) == 256  # 2 * 4096 bytes
    assert sectors[0] == 256 < sectors[1]
    with pytest.raises(TypeError, match="triton.jit"):
        ts.triton.report(5)
    with pytest.raises(TypeError, match="the kernel takes"):
        ts.triton.report(triton_kernels.add, x, BLOCK=256)


def test_graphene_programs():
    folder = KERNELS.parent / "graphene"
    report = ts.check_program((folder / "ldmatrix_move.graphene").read_text())
    assert report and report.holds and "proved" in report.summary and not report.findings
    with pytest.raises(ts.Error):
        ts.check_program("graphene {")
