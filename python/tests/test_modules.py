"""HLO modules, and what jax compiles."""

import pytest
import tessera as ts
from conftest import needs

TEXT = """HloModule m

ENTRY main {
  x = f32[64,64]{1,0} parameter(0)
  t = f32[64,64]{1,0} transpose(x), dimensions={1,0}
  ROOT r = f32[64,64]{1,0} add(x, t)
}
"""


def test_instructions_reads_and_waste():
    module = ts.hlo(TEXT)
    assert module.name == "m" and not module.problems
    assert [(i.name, i.opcode, i.line) for i in module.instructions] == [
        ("x", "parameter", 4),
        ("t", "transpose", 5),
        ("r", "add", 6),
    ]
    (read,) = module.reads("t")
    assert read.operand == "x" and read.sound == "exact"
    read_map = ts.layout(read.maps[0])
    assert all(read_map(i, j) == (j, i) for i in range(64) for j in range(64))
    assert any(not r.reads for r in module.reaches(1)) and module.reads("%t")[0].maps == read.maps
    worst = module.waste()
    assert [w.wasted for w in worst] == sorted((w.wasted for w in worst), reverse=True)
    assert {w.instruction for w in worst} == {"t", "r"}
    assert all(w.asked >= w.needed > 0 and w.instruction in w.text for w in worst)
    with pytest.raises(KeyError):
        module.reads("no_such")
    with pytest.raises(ts.Error):
        module.reads(77)


def test_faulty_lines_are_problems_and_faulty_texts_errors():
    module = ts.hlo(TEXT.replace("transpose(x)", "transpose(y)"))
    assert module.problems and len(module.instructions) == 3
    for bad in ["", "HloModule", "{}", "\0"]:
        with pytest.raises(ts.Error):
            ts.hlo(bad)
    with pytest.raises(TypeError):
        ts.hlo(5)
    assert ts.hlo(TEXT.encode()).name == "m"


def test_jax_reports_which_kernel_wastes_most():
    jax = needs("jax")
    import jax.numpy as jnp

    x = jnp.ones((256, 256), jnp.float32)
    lowered = jax.jit(lambda x: x + x.T).lower(x)
    assert {i.opcode for i in ts.hlo(lowered).instructions} >= {"parameter", "transpose", "add"}
    assert ts.hlo(lowered.compile()).instructions
    every_eighth = lambda x: x[:, ::8] * 2  # noqa: E731: 4 bytes of each sector
    report = ts.jax.report(every_eighth, x)
    assert report.worst is report.kernels[0] and report.worst.wasted == max(k.wasted for k in report.kernels)
    assert report.wasted == sum(k.wasted for k in report.kernels) > 0
    assert report.worst.instruction in str(report) and "<pre>" in report._repr_html_()
    again = ts.jax.report(jax.jit(every_eighth), x)
    assert [k.wasted for k in again.kernels] == [k.wasted for k in report.kernels]
    assert ts.jax.report(lowered).kernels
