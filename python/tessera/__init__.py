"""Tensor layouts: read them in any notation, evaluate them, draw them, and prove claims about them.

>>> import tessera as ts
>>> L = ts.layout("Sw<3,3,3> o (64,64):(64,1)")
>>> L(1, 0)
72
>>> bool(ts.prove("bijective", L))
True
>>> tile = ts.layout("(64,64):(64,1)")
>>> ts.find_swizzle(tile, ["ldmatrix.x4"], "fp16").layout == L
True
>>> verdict = ts.prove("conflict_free", tile, "ldmatrix.x4", "fp16")
>>> verdict.verdict, verdict.method
('refuted', 'F2 rank')

Laws. `layout(L.text) == L`. `A == B` if and only if both are the same function. A Verdict is true only if its claim is
proved; a refuted one has a counterexample. `L.table()[c] == L(*c)`. Faulty texts raise `Error`, a ValueError whose
message shows the text with the faulty piece underlined.

Threads. Every function may be called from any thread; the interpreter's lock is released during calls of the engine,
except while one point is evaluated, which takes less time. A Worksheet has a lock of its own. Ctrl+C ends `kernel`,
`Worksheet.run`, `check_program` and `Module.waste`, and claims and searches with more than 10 `seconds`; other calls
end with that budget of counted work.

numpy, jax, triton, torch and the CuTe DSL are never imported, except by what needs them: `table` and `kernel` import
numpy, `tessera.jax.report` jax, `tessera.triton.report` triton.
"""

import importlib as _importlib

from . import _engine
from ._algebra import *  # noqa: F401,F403
from ._algebra import __all__ as _algebra_names
from ._checks import assert_bijective, assert_conflict_free, assert_equal, assert_proved, assert_race_free
from ._engine import (
    Access,
    Answer,
    BankReport,
    Buffer,
    Counterexample,
    Error,
    Finding,
    Instruction,
    KernelRun,
    Layout,
    Module,
    ModuleCheck,
    Pasted,
    ProgramReport,
    Question,
    Reach,
    SectorReport,
    SwizzleChoice,
    SwizzleSearch,
    ThreadPoint,
    Verdict,
    Waste,
    Witness,
    Worksheet,
)
from ._kernel import check_program, kernel
from ._layout import Undecided, evaluate, layout, paste
from ._module import hlo
from ._proof import Page, banks, draw, find_swizzle, have_solver, page, prove, run, sectors
from ._suite import Checked, Item, check_many
from ._trace import maximum, minimum, where
from ._tune import Search, Tuned, tune

__version__ = _engine.__version__

__all__ = sorted(
    [
        "Access",
        "Answer",
        "BankReport",
        "Buffer",
        "Checked",
        "Counterexample",
        "Error",
        "Finding",
        "Instruction",
        "Item",
        "KernelRun",
        "Layout",
        "Module",
        "ModuleCheck",
        "Page",
        "Pasted",
        "ProgramReport",
        "Question",
        "Reach",
        "Search",
        "SectorReport",
        "SwizzleChoice",
        "SwizzleSearch",
        "ThreadPoint",
        "Tuned",
        "Undecided",
        "Verdict",
        "Waste",
        "Witness",
        "Worksheet",
        "assert_bijective",
        "assert_conflict_free",
        "assert_equal",
        "assert_proved",
        "assert_race_free",
        "banks",
        "check_many",
        "check_program",
        "draw",
        "evaluate",
        "find_swizzle",
        "have_solver",
        "hlo",
        "kernel",
        "layout",
        "maximum",
        "minimum",
        "page",
        "paste",
        "prove",
        "run",
        "sectors",
        "tune",
        "where",
        *_algebra_names,
    ]
)


def __getattr__(name):
    # tessera.jax and tessera.triton are modules that are imported when they are used.
    if name in ("jax", "triton"):
        return _importlib.import_module("." + name, __name__)
    raise AttributeError("module 'tessera' has no attribute " + repr(name))


def load_ipython_extension(ipython):
    """`%load_ext tessera`: adds the cell magic %%tessera."""
    from ._magic import load

    load(ipython)
