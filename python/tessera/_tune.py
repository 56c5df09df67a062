"""tune: the search of `tessera tune`, through any executor."""

import os as _os
from dataclasses import asdict as _asdict
from dataclasses import dataclass as _dataclass
from dataclasses import fields as _fields

from . import _engine
from ._many import Lost, key_of, stored_outcomes


@_dataclass(frozen=True)
class Tuned:
    """A candidate of a search. True if it is right, or not refuted and compiled where no device could run it.

    result   right (measured, and right), wrong, refuted (never run), failed, untimed (no device)
    median   of its time, with the quartiles, in microseconds; 0: not timed
    why      why it is not right, or what was not proved
    The compiler's figures are -1 if there is no compiler.
    """

    candidate: str = ""
    settings: tuple = ()
    result: str = "failed"
    median: float = 0.0
    lower: float = 0.0
    upper: float = 0.0
    device: str = ""
    why: str = ""
    registers: int = -1
    spilled_bytes: int = -1
    shared_bytes: int = -1
    resident_warps: int = -1
    most_warps: int = -1

    def __bool__(self):
        return self.result in ("right", "untimed")

    def __str__(self):
        if self.median > 0:
            what = "%.4g us (%.4g to %.4g)" % (self.median, self.lower, self.upper)
        elif self.registers >= 0:
            what = "%s: %d registers, %d bytes spilled, %d of %d warps" % (
                (self.result, self.registers, self.spilled_bytes, self.resident_warps, self.most_warps)
            )
        else:
            what = self.result
        return "%s  %s%s" % (self.candidate, what, "; " + self.why if self.why else "")


@_dataclass(frozen=True)
class Search:
    """The candidates of a program, evaluated.

    results  of all candidates, in their order: the last parameter varies fastest
    ranking  of the usable ones: the measured by time, then those without a device by the compiler's figures; candidates
             with equal figures stay in their order
    """

    results: tuple = ()
    ranking: tuple = ()

    @property
    def winner(self):
        """The first of the ranking, or None."""
        return self.ranking[0] if self.ranking else None

    def __bool__(self):
        return bool(self.ranking)

    def __str__(self):
        ranked = {r.candidate for r in self.ranking}
        rest = [r for r in self.results if r.candidate not in ranked]
        lines = ["%4d  %s" % (k, r) for k, r in enumerate(self.ranking, 1)] + ["   -  %s" % r for r in rest]
        return "\n".join(lines + ["%d candidates" % len(self.results)])


def tune(
    program,
    *,
    sizes=(),
    settings=(),
    architecture="",
    executor=None,
    store=None,
    tessera="",
    seconds=5.0,
    seed=1,
    runs=20,
    attempts=3,
    in_flight=None,
    progress=None,
):
    """Evaluates every combination of a Graphene program's parameters, as `tessera tune` does: proves, compiles, times.

    program   a path that ends with .graphene, or a text
    sizes     of its symbols: ["M=8"]; settings: ["BM=64,128"] tries only these values
    tessera   the program tessera, which measures on this worker's GPU: give each worker its own; "": no device is used,
              and candidates are ranked by the compiler's figures
    seconds   of counted work for the proof of a candidate

    executor, store, attempts, in_flight and progress are those of check_many. The winner does not depend on the order
    in which candidates end.

    >>> import tessera as ts
    >>> search = ts.tune("assets/graphene/warp_tile_moves.graphene")
    >>> [r.candidate for r in search.results], bool(search)
    (['by=ldmatrix', 'by=plain'], True)
    """
    text = _text(program)
    sizes, settings = _words(sizes), _words(settings)
    candidates = _engine.tune_candidates(text, sizes, settings, architecture)
    shared = {
        "version": _engine.__version__,
        "solver": _engine.have_solver(),
        "sizes": sizes,
        "architecture": architecture,
        "seconds": float(seconds),
        "worker": [_os.fspath(tessera), "measure-worker"] if tessera else [],
        "seed": seed,
        "runs": runs,
    }

    def tasks():
        for name, words in candidates:
            task = dict(shared, tune=name, settings=words, program=text)
            yield task, key_of(task)

    results = [None] * len(candidates)
    found = stored_outcomes(
        _work, tasks(), executor, store, valid=_valid, keep=_keep, attempts=attempts, in_flight=in_flight
    )
    for done, (index, outcome) in enumerate(found, 1):
        name, words = candidates[index]
        if isinstance(outcome, Exception):
            outcome = {"why": "%s: %s" % (type(outcome).__name__, outcome)}
        elif isinstance(outcome, Lost):
            outcome = {"why": outcome.reason}
        results[index] = Tuned(name, tuple(words), **outcome)
        if progress is not None:
            progress(done, len(candidates), results[index])
    ranks = _engine.tune_ranking([_internal(one) for one in results])
    return Search(tuple(results), tuple(results[at] for at in ranks))


_FIELDS = {f.name: type(f.default) for f in _fields(Tuned) if f.name not in ("candidate", "settings")}


def _text(program):
    named = isinstance(program, _os.PathLike) or ("\n" not in program and program.endswith(".graphene"))
    if not named:
        return program
    with open(program, encoding="utf-8") as file:
        return file.read()


def _words(words):
    return [words] if isinstance(words, str) else list(words)


def _work(arguments):
    """In the worker: the result as plain data."""
    task, _ = arguments
    if task["version"] != _engine.__version__:
        return {"why": "the worker has version %s of tessera" % _engine.__version__}
    try:
        one = _engine.tune_one(
            task["program"],
            (task["tune"], task["settings"]),
            task["sizes"],
            task["architecture"],
            task["seconds"],
            task["worker"],
            task["seed"],
            task["runs"],
        )
    except ValueError as error:  # an Error
        return {"why": str(error)}
    return {name: getattr(one, name) for name in _FIELDS}


def _internal(tuned):
    out = _engine._TuneResult()
    for name in _FIELDS:
        setattr(out, name, _asdict(tuned)[name])
    return out


def _valid(result):
    def fits(name):
        kind = (int, float) if _FIELDS[name] is float else _FIELDS[name]
        return isinstance(result[name], kind) and not isinstance(result[name], bool)

    return isinstance(result, dict) and set(result) == set(_FIELDS) and all(fits(name) for name in result)


def _keep(outcome):
    """A complete result; a worker that ended, or that has another version, is asked again."""
    return isinstance(outcome, dict) and "result" in outcome
