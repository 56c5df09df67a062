"""check_many: checks of many sheets, programs, modules, kernels and claims, through any executor."""

import json as _json
import os as _os
import re as _re
from dataclasses import dataclass as _dataclass
from dataclasses import replace as _replace

from . import _engine
from ._kernel import check_program, kernel
from ._many import Lost, NoKey, key_of, stored_outcomes
from ._module import hlo
from ._proof import prove, run

_KINDS = ("sheet", "program", "hlo", "kernel", "claim")
_ENDINGS = {  # "": by its beginning, as a text
    ".tess": "sheet",
    ".graphene": "program",
    ".hlo": "hlo",
    ".txt": "",
    ".ptx": "kernel",
    ".cubin": "kernel",
}
_NUMBER_OF_FINDINGS = 100


class Item:
    """Something to check, with the options of the function that checks it.

    source   a path, or a text; for a claim its text, or a tuple: ("equal", A, B)
    kind     sheet (run), program (check_program), hlo (hlo), kernel (kernel) or claim (prove); found by the ending of a
             path, and for a text or a .txt file by its beginning: HloModule, .version; other texts are sheets
    name     of the result; default: the path, or "item 3"

    >>> import tessera as ts
    >>> ts.Item("reduce.ptx", grid=2, block=256, entry="reduce_race")
    Item('reduce.ptx', grid=2, block=256, entry='reduce_race')
    """

    __slots__ = ("source", "kind", "name", "options")

    def __init__(self, source, kind="", name="", **options):
        self.source = _os.fspath(source) if isinstance(source, _os.PathLike) else source
        if isinstance(source, _os.PathLike) and not kind:
            kind = _ENDINGS.get(_os.path.splitext(self.source)[1], "")
        self.kind, self.name, self.options = kind, name, options

    def __repr__(self):
        words = [repr(self.source)] + ["%s=%r" % (n, getattr(self, n)) for n in ("kind", "name") if getattr(self, n)]
        return "Item(%s)" % ", ".join(words + ["%s=%r" % one for one in self.options.items()])

    def __eq__(self, other):
        return isinstance(other, Item) and all(getattr(self, n) == getattr(other, n) for n in self.__slots__)

    __hash__ = None


@_dataclass(frozen=True)
class Checked:
    """The result of one item: plain data, without times, the same on every machine. True if it holds.

    verdict   proved, refuted or unknown; for kernels what KernelRun.verdict has; error: it could not be read;
              failed: it has no result, because of the machine and not of the item
    """

    item: str = ""
    kind: str = ""
    verdict: str = "error"
    holds: bool = False
    summary: str = ""
    findings: tuple = ()
    error: str = ""

    def __bool__(self):
        return self.holds

    def __str__(self):
        lines = ["%-8s %s: %s" % (self.verdict, self.item, self.summary or self.error.split("\n")[0])]
        return "\n    ".join(lines + [line for finding in self.findings for line in finding.split("\n")])


def check_many(items, executor=None, *, store=None, seconds=10.0, attempts=3, in_flight=None, progress=None):
    """Checks many items. The results are in the order of the items, and do not depend on the executor.

    items      paths, texts, tuples ("bijective", layout), and Items, which also have options; any iterable
    executor   of concurrent.futures (threads, processes), of another engine with its interface
               (client.get_executor() of Dask), or a function that makes one; None: this process
    store      a file of results: what it has for the same content, options and version is not computed again
    seconds    of counted work for each statement, obligation or claim
    attempts   how often an item is given to a worker that ends
    in_flight  how many items are given to the executor at once; default: twice the workers of a pool, else 256
    progress   is called with (number done, number of items or None, result)

    An item that cannot be read is a result with the verdict `error`, never an exception.

    >>> import tessera as ts
    >>> from concurrent.futures import ThreadPoolExecutor
    >>> suite = ["A = (4,8):(8,1); prove injective(A)", ("equal", ts.layout("4:1"), ts.layout("4:2")), "no layout ("]
    >>> with ThreadPoolExecutor(2) as pool:
    ...     for result in ts.check_many(suite, pool): print(result.item, result.verdict, result.holds)
    item 1 proved True
    item 2 refuted False
    item 3 error False
    """
    total = len(items) if hasattr(items, "__len__") else None
    results = []  # of items, in order; None: not yet
    names = {}  # of those in flight

    def tasks():
        for index, one in enumerate(items):
            results.append(None)
            name, task = _task(index, one, seconds)
            names[index] = name
            yield task, _key(task)

    found = stored_outcomes(
        _work, tasks(), executor, store, valid=_valid, keep=_keep, attempts=attempts, in_flight=in_flight
    )
    for done, (index, outcome) in enumerate(found, 1):
        results[index] = _checked(names.pop(index), outcome)
        if progress is not None:
            progress(done, total, results[index])
    return results


def _task(index, one, seconds):
    """(name, task): all that the check needs, read here, because a worker may be on another machine."""
    name = "item %d" % (index + 1)
    task = {"version": _engine.__version__, "solver": _engine.have_solver(), "seconds": seconds}
    try:
        item = one if isinstance(one, Item) else Item(one)
        named = isinstance(one, _os.PathLike) or (
            isinstance(item.source, str) and "\n" not in item.source and _os.path.splitext(item.source)[1] in _ENDINGS
        )
        if item.kind and item.kind not in _KINDS:
            raise ValueError("%r is no kind of an item: %s" % (item.kind, ", ".join(_KINDS)))
        source, kind = item.source, item.kind
        if not isinstance(source, (str, bytes, tuple)):
            raise TypeError("an item is a path, a text, a tuple or an Item, not %s" % type(one).__name__)
        if named or (isinstance(source, str) and item.kind and item.kind != "claim" and _is_file(source)):
            name = source
            kind = kind or _ENDINGS.get(_os.path.splitext(source)[1], "")
            with open(source, "rb") as file:
                source = file.read()
            if kind != "kernel":
                source = source.decode()
        task["kind"] = kind or _kind_of(source)
        task["source"], task["options"] = source, sorted(item.options.items())
        name = item.name or name
    except (OSError, TypeError, ValueError) as error:
        task["error"] = "%s" % error
    return name, task


def _is_file(text):
    return len(text) < 4096 and "\n" not in text and "\0" not in text and _os.path.isfile(text)


def _kind_of(source):
    if isinstance(source, tuple):
        return "claim"
    if isinstance(source, bytes):
        return "kernel"
    lines = [line.strip() for line in source.split("\n")]
    first = next((line for line in lines if line and not line.startswith("//")), "")
    return "hlo" if first.startswith("HloModule") else "kernel" if first.startswith(".version") else "sheet"


def _key(task):
    """None: what decides the result is not known here, such as the files that a sheet or an argument names."""
    if "error" in task:
        return None
    if task["kind"] == "sheet" and _re.search(r'\bkernel\s*"', task["source"]):
        return None
    if task["kind"] == "kernel" and "@" in repr(dict(task["options"]).get("args", "")):
        return None
    try:
        return key_of(task)
    except (NoKey, ValueError):
        return None


def _work(arguments):
    """In the worker: the result as plain data."""
    task, _ = arguments
    if "error" in task:
        return {"verdict": "error", "error": task["error"]}
    if task["version"] != _engine.__version__:
        return {"verdict": "failed", "error": "the worker has version %s of tessera" % _engine.__version__}
    try:
        return dict({"kind": task["kind"]}, **_CHECKS[task["kind"]](task["source"], dict(task["options"]), task))
    except MemoryError:
        return {"kind": task["kind"], "verdict": "failed", "error": "there is not enough memory"}
    except Exception as error:  # of this item only
        text = str(error) if isinstance(error, ValueError) else "%s: %s" % (type(error).__name__, error)
        return {"kind": task["kind"], "verdict": "error", "error": text}


def _counts(**counts):
    return ", ".join("%d %s" % (n, word.replace("_", " ")) for word, n in counts.items() if n) or "nothing to check"


def _result(verdict, summary, findings, holds=None):
    holds = verdict == "proved" if holds is None else holds
    more = ["%d more" % (len(findings) - _NUMBER_OF_FINDINGS)] if len(findings) > _NUMBER_OF_FINDINGS else []
    return {"verdict": verdict, "holds": holds, "summary": summary, "findings": findings[:_NUMBER_OF_FINDINGS] + more}


def _why(verdict):
    return verdict.counterexample.text if verdict.counterexample else verdict.reason


def _sheet(text, options, task):
    proved = held = refuted = unknown = failed = unsolved = 0
    findings = []
    for answer in run(text, **dict({"seconds": task["seconds"]}, **options)):
        verdict = answer.verdict
        what = "line %d: " % answer.line
        if answer.error:
            failed += 1
            findings.append(what + answer.text)
        elif _json.loads(answer.json).get("kind") == "task":
            unsolved += 0 if answer.holds else 1
        elif answer.holds:
            proved += 1 if verdict is not None and verdict.proved else 0
            held += 1 if verdict is None and answer.statement.lstrip().startswith("assert") else 0
        else:
            refuted += 1 if verdict is not None and verdict.refuted else 0
            unknown += 0 if verdict is not None and verdict.refuted else 1
            findings.append(
                what + ("%s %s: %s" % (verdict.verdict, verdict.claim, _why(verdict)) if verdict else answer.text)
            )
    said = "error" if failed else "refuted" if refuted else "unknown" if unknown or unsolved else "proved"
    summary = _counts(
        proved=proved, assertions_held=held, refuted=refuted, unknown=unknown, failed=failed, tasks_not_solved=unsolved
    )
    return _result(said, summary, findings)


def _program(text, options, task):
    report = check_program(text, **dict({"seconds": task["seconds"]}, **options))
    return _result(report.verdict, report.summary, list(report.findings), report.holds)


def _module(text, options, task):
    module = hlo(text, **dict({"seconds": task["seconds"]}, **options))
    check = module.check(**dict({"seconds": task["seconds"]}, **options))
    wrong = check.outside or check.wrong
    said = "error" if module.problems else "refuted" if wrong else "unknown" if check.open else "proved"
    return _result(said, check.summary, list(module.problems) + list(check.outside) + list(check.gaps))


def _kernel(text, options, task):
    run_ = kernel(text, **dict({"grid": 1}, **options))
    findings = ["%s: %s" % (f.kind, f.message) for f in run_.findings]
    summary = "%s: %s" % (run_.entry, run_.reason if run_.verdict == "unknown" else run_.covers)
    return _result(run_.verdict, summary, findings, run_.passed)


def _claim(claim, options, task):
    words = claim if isinstance(claim, tuple) else (claim,)
    verdict = prove(*words, **dict({"seconds": task["seconds"]}, **options))
    return _result(verdict.verdict, verdict.claim, [] if verdict.proved else [_why(verdict)])


_CHECKS = {"sheet": _sheet, "program": _program, "hlo": _module, "kernel": _kernel, "claim": _claim}


def _valid(result):
    return (
        isinstance(result, dict)
        and set(result) <= {"kind", "verdict", "holds", "summary", "findings", "error"}
        and isinstance(result.get("verdict"), str)
        and isinstance(result.get("holds", False), bool)
        and isinstance(result.get("findings", []), list)
        and all(isinstance(result.get(name, ""), str) for name in ("kind", "summary", "error"))
        and all(isinstance(finding, str) for finding in result.get("findings", []))
    )


def _keep(outcome):
    """A failure of the machine is not kept: the next run tries again."""
    return isinstance(outcome, dict) and outcome["verdict"] != "failed"


def _checked(name, outcome):
    if isinstance(outcome, Lost):
        return Checked(name, verdict="failed", error=outcome.reason)
    if isinstance(outcome, Exception):  # not of the check: the item could not be sent, the worker lacks tessera
        return Checked(name, verdict="failed", error="%s: %s" % (type(outcome).__name__, outcome))
    fields = dict(outcome, findings=tuple(outcome.get("findings", ())))
    return _replace(Checked(name), **fields)
