"""Runs many independent tasks through an executor of concurrent.futures, and keeps their results in a file.

    for index, result in outcomes(work, tasks, executor):      in the order of completion; work(task) -> plain data

Laws. Every task ends exactly once: with what work returns, or with Lost. The result of a task does not depend on the
executor, on other tasks, or on the order of completion. Only as many tasks are taken from the iterator as are in
flight.

A worker that dies takes tasks with it, and many engines cannot tell which of them ended it. So a task that was in
flight then runs again alone, and is given up only after `attempts` such ends, the last of them while nothing else ran.
A harmless task is therefore never blamed for another one, unless its own worker is killed that often.
"""

import concurrent.futures as _futures
import hashlib as _hashlib
import json as _json
import os as _os
from collections import deque as _deque
from itertools import count as _count

try:
    import fcntl as _fcntl
except ImportError:  # not on Windows
    _fcntl = None

# The names of exceptions that say that a worker ended, by engine. None of the engines is imported.
_ENDED = {
    "BrokenExecutor",  # concurrent.futures, loky
    "KilledWorker",  # Dask
    "FutureCancelledError",
    "CommClosedError",
    "WorkerCrashedError",  # Ray
    "RayActorError",
    "NodeDiedError",
    "OutOfMemoryError",
}
_MOST_REPLACEMENTS = 100  # without a single result between them
_IN_FLIGHT = 256  # of an executor that does not tell its number of workers


class Lost:
    """A task that was given up because the worker ended each time. Its reason is a text."""

    def __init__(self, reason):
        self.reason = reason


class _Workers:
    """The executor, and its replacement after it broke."""

    def __init__(self, executor):
        self._make = None
        self._owned = False
        if hasattr(executor, "get_executor"):  # a Client of Dask
            executor = executor.get_executor()
        if not hasattr(executor, "submit"):
            if not callable(executor):
                raise TypeError(
                    "an executor has the method submit, as those of concurrent.futures; or is a function that makes one"
                )
            self._make, executor, self._owned = executor, executor(), True
        self._executor = executor

    @property
    def in_flight(self):
        workers = getattr(self._executor, "_max_workers", None)
        return 2 * workers if isinstance(workers, int) else _IN_FLIGHT

    def submit(self, work, task):
        return self._executor.submit(work, task)

    def replace(self, error):
        """A new executor instead of a broken one."""
        old = self._executor
        if self._make is not None:
            new = self._make()
        elif isinstance(old, _futures.ProcessPoolExecutor):
            new = _futures.ProcessPoolExecutor(old._max_workers, old._mp_context, old._initializer, old._initargs)
        else:
            raise RuntimeError(
                "the executor is broken; give a function that makes one: executor=lambda: ..."
            ) from error
        self.end(wait=False)
        self._executor, self._owned = new, True

    def end(self, wait):
        """Ends the executors made here. Their processes are killed: they are idle, or their results are not wanted.

        Why: a process that was killed before may have held the lock of a queue, on which the others wait for ever, and
        then shutdown() does, too.
        """
        if not self._owned:
            return
        processes = getattr(self._executor, "_processes", None) or {}
        for process in list(processes.values()):
            process.kill()
        self._executor.shutdown(wait=wait or bool(processes))


def _ended(error):
    return isinstance(error, _futures.CancelledError) or any(t.__name__ in _ENDED for t in type(error).__mro__)


def _breaks(error):
    return isinstance(error, _futures.BrokenExecutor)


class _Task:
    __slots__ = ("index", "task", "ends", "alone")

    def __init__(self, index, task):
        self.index, self.task, self.ends, self.alone = index, task, 0, False


def outcomes(work, tasks, executor=None, *, attempts=3, in_flight=None):
    """Yields (index, result) in the order of completion. `work` gets (task, number of the attempt)."""
    if attempts < 1 or (in_flight is not None and in_flight < 1):
        raise ValueError("attempts and in_flight are at least 1")
    if executor is None:
        for index, task in enumerate(tasks):
            yield index, work((task, 0))
        return
    workers = _Workers(executor)
    finished = False
    pending = {}
    try:
        yield from _distributed(work, enumerate(tasks), workers, pending, attempts, in_flight or workers.in_flight)
        finished = True
    finally:
        for future in pending:
            future.cancel()
        workers.end(wait=finished)


def _distributed(work, fresh, workers, pending, attempts, in_flight):
    suspects = _deque()  # run alone, one after the other
    waiting = _deque()  # taken from the iterator, not submitted: the executor was broken
    replaced = 0

    def submit(task):
        nonlocal replaced
        while True:
            try:
                pending[workers.submit(work, (task.task, task.ends))] = task
                return True
            except _futures.BrokenExecutor as error:
                if pending:  # their ends are told first
                    return False
                replaced += 1
                if replaced > _MOST_REPLACEMENTS:
                    raise
                workers.replace(error)

    while True:
        if suspects:
            if not pending and submit(suspects[0]):
                suspects.popleft().alone = True
        else:
            while len(pending) < in_flight:
                task = waiting.popleft() if waiting else next((_Task(*one) for one in fresh), None)
                if task is None:
                    break
                if not submit(task):
                    waiting.appendleft(task)
                    break
        if not pending:
            if suspects or waiting:
                continue
            return
        done, _ = _futures.wait(pending, return_when=_futures.FIRST_COMPLETED)
        for future in done:
            task = pending.pop(future)
            error = _futures.CancelledError() if future.cancelled() else future.exception()
            if error is None:
                replaced = 0
                yield task.index, future.result()
            elif _ended(error):
                task.ends += 1
                if task.ends >= attempts and task.alone:
                    times = "once" if task.ends == 1 else "%d times" % task.ends
                    yield task.index, Lost("the worker ended %s on this item" % times)
                else:
                    suspects.append(task)
            elif isinstance(error, Exception):
                yield task.index, error
            else:
                raise error  # KeyboardInterrupt, SystemExit


class NoKey(Exception):
    """A task whose result cannot be kept, because something that decides it is not known here."""


def key_of(task):
    """A hash of plain data, layouts and arrays. Raises NoKey for anything else."""
    return _hashlib.sha256(_json.dumps(_plain(task), separators=(",", ":")).encode()).hexdigest()


def _digest(data):
    return _hashlib.sha256(data).hexdigest()


def _plain(value):
    from ._engine import Layout

    if value is None or isinstance(value, (bool, int, float)):
        return value
    if isinstance(value, str):
        return value if len(value) < 100 else ["text", _digest(value.encode("utf-8", "surrogatepass"))]
    if isinstance(value, bytes):
        return ["bytes", _digest(value)]
    if isinstance(value, (list, tuple)):
        return ["list", *map(_plain, value)]
    if isinstance(value, dict):
        return ["dict", *([_plain(k), _plain(v)] for k, v in value.items())]
    if isinstance(value, Layout):
        return ["layout", value.kind, value.text]
    if hasattr(value, "__array__") and not getattr(getattr(value, "dtype", None), "hasobject", True):
        import numpy

        array = numpy.ascontiguousarray(value)
        return ["array", array.dtype.str, list(array.shape), _digest(array.tobytes())]
    raise NoKey(type(value).__name__)


def _lock(file):
    if _fcntl is not None:
        _fcntl.flock(file, _fcntl.LOCK_EX)


def _unlock(file):
    if _fcntl is not None:
        _fcntl.flock(file, _fcntl.LOCK_UN)


class Store:
    """Results by key, in a file of JSON lines. Each is appended by one write, so several programs may share a file.

    A line that is damaged, such as the last one of a program that was killed, is ignored, and its result is computed
    again. A file that is no store is refused.
    """

    HEAD = '{"tessera":"store","format":1}'

    def __init__(self, path, valid):
        self._path = _os.fspath(path)
        self._known = {}
        self._file = _os.open(self._path, _os.O_RDWR | _os.O_CREAT | _os.O_APPEND | getattr(_os, "O_CLOEXEC", 0), 0o666)
        try:
            _lock(self._file)  # another program may begin the same file now
            with open(self._path, "rb") as file:
                text = file.read()
            head = self.HEAD.encode()
            if text and not text.startswith(head + b"\n") and not head.startswith(text):
                raise ValueError("%r is no store of results; name another file" % self._path)
            if not text.startswith(head + b"\n"):  # new, or cut off in its first line
                _os.ftruncate(self._file, 0)
                self._write(self.HEAD)
            elif not text.endswith(b"\n"):
                self._write("")
            _unlock(self._file)
            for line in text.split(b"\n")[1:]:
                self._read(line, valid)
        except BaseException:
            self.close()
            raise

    def _read(self, line, valid):
        try:
            entry = _json.loads(line)
            key, result = entry["key"], entry["result"]
        except (ValueError, KeyError, TypeError):
            return
        if isinstance(key, str) and valid(result):
            self._known[key] = result

    def _write(self, line):
        data = (line + "\n").encode()
        if _os.write(self._file, data) != len(data):
            raise OSError("cannot write %r: the disk is full" % self._path)

    def get(self, key):
        return self._known.get(key)

    def add(self, key, result):
        self._known[key] = result
        self._write(_json.dumps({"key": key, "result": result}, separators=(",", ":")))

    def close(self):
        if self._file >= 0:
            _os.close(self._file)
        self._file = -1


def stored_outcomes(work, tasks, executor, store, *, valid, keep, attempts, in_flight):
    """outcomes() of (task, key) pairs; what the store has is not computed again. key None: not stored.

    store  a path, or None
    valid  whether a stored result has the form of one
    keep   whether a new result may be stored
    """
    if store is None:
        yield from outcomes(work, (task for task, _ in tasks), executor, attempts=attempts, in_flight=in_flight)
        return
    kept = Store(store, valid)
    known = _deque()  # (index, result) that was found while tasks were taken
    numbers = _count()
    places = {}  # index among the tasks to do -> (index, key)

    def missing():
        for index, (task, key) in enumerate(tasks):
            result = kept.get(key) if key is not None else None
            if result is not None:
                known.append((index, result))
                continue
            places[next(numbers)] = (index, key)
            yield task

    try:
        for at, result in outcomes(work, missing(), executor, attempts=attempts, in_flight=in_flight):
            while known:
                yield known.popleft()
            index, key = places.pop(at)
            if key is not None and keep(result):
                kept.add(key, result)
            yield index, result
        while known:
            yield known.popleft()
    finally:
        kept.close()
