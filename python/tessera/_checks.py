"""Assertions for tests. A failure shows the verdict: the counterexample, or why the claim is unknown."""

from . import _engine
from ._engine import KernelRun
from ._proof import prove


def assert_proved(claim, *arguments, seconds=10.0, **names):
    """Fails unless the claim is proved: unknown is a failure, too.

    >>> import tessera as ts
    >>> ts.assert_proved("vectorizes", ts.layout("(64,64):(64,1)"), 16, "fp16")
    """
    __tracebackhide__ = True
    verdict = prove(claim, *arguments, seconds=seconds, **names)
    if not verdict:
        raise AssertionError(verdict.text)


def assert_equal(a, b, *, seconds=10.0):
    """Fails unless both layouts are the same function.

    >>> import tessera as ts
    >>> ts.assert_equal(ts.layout("(4,8):(8,1)"), ts.layout("(4,8):(1,4)"))
    Traceback (most recent call last):
    AssertionError: refuted  equal((4,8):(8,1), (4,8):(1,4))   [strided]
    at (1,0) the first gives 8 and the second 1
    """
    __tracebackhide__ = True
    verdict = _engine.equal(a, b, seconds)
    if not verdict:
        raise AssertionError(_with(verdict, "equal(%s, %s)" % (a.text, b.text)))


def assert_bijective(layout, *, seconds=10.0):
    """Fails unless every place is used exactly once.

    >>> import tessera as ts
    >>> ts.assert_bijective(ts.layout("Sw<3,3,3> o (64,64):(64,1)"))
    """
    __tracebackhide__ = True
    verdict = prove("bijective", layout, seconds=seconds)
    if not verdict:
        raise AssertionError(_with(verdict, "bijective(%s)" % layout.text))


def assert_conflict_free(layout, access, type, *, seconds=10.0):
    """Fails unless no access of the tile has a bank conflict.

    >>> import tessera as ts
    >>> ts.assert_conflict_free(ts.layout("Sw<3,3,3> o (64,64):(64,1)"), "ldmatrix.x4", "fp16")
    """
    __tracebackhide__ = True
    verdict = prove("conflict_free", layout, access, type, seconds=seconds)
    if not verdict:
        raise AssertionError(_with(verdict, "conflict_free(%s, %s, %s)" % (layout.text, access, type)))


def assert_race_free(what, load=None, *, seconds=10.0):
    """Fails unless a kernel's run has no race, or a store and a load of the same phase do not conflict.

    what  the KernelRun of tessera.kernel(); or the layout of a store, with that of a load

    >>> import tessera as ts
    >>> store = ts.layout("python { tid * 2 } over (tid = 64)")
    >>> ts.assert_race_free(store, store)
    """
    __tracebackhide__ = True
    if isinstance(what, KernelRun):
        races = [f for f in what.findings if f.kind == "race"]
        if races:
            raise AssertionError("\n".join([f.message for f in races] + ["", what.text]))
        if not what.passed:
            raise AssertionError("the run shows no race, but it did not pass:\n" + what.text)
        return
    verdict = prove("race_free", what, load, seconds=seconds)
    if not verdict:
        raise AssertionError(_with(verdict, "race_free(%s, %s)" % (what.text, load.text)))


def _with(verdict, claim):
    """The verdict's text with the layouts instead of their names, and without the time, which differs in each run."""
    lines = ["%-8s %s   [%s]" % (verdict.verdict, claim, verdict.method)]
    why = verdict.counterexample.text if verdict.counterexample else verdict.reason
    return "\n".join(lines + [why])
