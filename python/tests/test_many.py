"""check_many and tune: the same results from any executor, in any order, after dead workers and interrupted runs."""

import concurrent.futures as futures
import itertools
import json
import multiprocessing
import os
import random
import signal
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import pytest
import tessera as ts
from conftest import needs
from tessera import _many, _suite

numpy = pytest.importorskip("numpy")

ROOT = Path(__file__).resolve().parents[2]
ASSETS = ROOT / "assets"
FORK = multiprocessing.get_context("fork")
PROGRAM = ASSETS / "graphene" / "warp_tile_moves.graphene"


def suite():
    """Of every kind, some of them wrong."""
    items = sorted((ASSETS / "gallery").glob("0[1-6]*.tess"))
    items += [
        ASSETS / "graphene" / (name + ".graphene") for name in ("ldmatrix_move", "predicated_copy", "vector_load")
    ]
    items += [
        str(ROOT / "tests" / "cases" / "hlo" / (name + ".hlo"))
        for name in ("gpu_gemm", "layernorm.after", "conv.after")
    ]
    kernels = ASSETS / "kernels"
    items += [
        ts.Item(kernels / "reduce.ptx", grid=2, block=256, entry="reduce_race"),
        ts.Item(kernels / "reduce.ptx", grid=2, block=256, entry="reduce_shuffle", name="good"),
        ts.Item(
            kernels / "copy.ptx",
            grid=(2, 2),
            block=(32, 32),
            entry="transpose_tile",
            args=["f32[64,64]", numpy.zeros((64, 64), "f4")],
        ),
        ("bijective", ts.layout("Sw<3,3,3> o (64,64):(64,1)")),
        ("equal", ts.layout("(4,8):(8,1)"), ts.layout("(4,8):(1,4)")),
        ts.Item("injective(S)", kind="claim", S=ts.layout("(4,8):(0,1)")),
        "A = (4,8):(8,1)\nprove injective(A)\nassert size(A) == 32",
        "HloModule m\nENTRY e {\n  x = f32[4,8]{1,0} parameter(0)\n"
        "  ROOT t = f32[4,8]{1,0} transpose(x), dimensions={1,0}\n}",
        ts.Item((ASSETS / "graphene" / "vector_load.graphene").read_text() + "// the text\n", kind="program"),
        "no layout (",
        str(ASSETS / "nothing.tess"),
        5,
        ts.Item("A = (4,8):(8,1)", nonsense=3),
        ts.Item("A = (4,8):(8,1)", kind="film"),
    ]
    return items


@pytest.fixture(scope="module")
def serial():
    return ts.check_many(suite())


class Shuffled(futures.Executor):
    """Completes what was submitted in a random order, in this thread, when somebody waits for it."""

    def __init__(self, seed):
        self.random, self.held, self.most = random.Random(seed), [], 0

    def submit(self, work, *arguments):
        future = futures.Future()
        self.held.append((future, work, arguments))
        self.most = max(self.most, len(self.held))
        return future

    def complete_one(self):
        future, work, arguments = self.held.pop(self.random.randrange(len(self.held)))
        if not future.set_running_or_notify_cancel():
            return
        try:
            future.set_result(work(*arguments))
        except Exception as error:
            future.set_exception(error)

    @staticmethod
    def installed(executor, monkeypatch):
        real = futures.wait

        def wait(pending, return_when):
            executor.complete_one()
            return real(pending, return_when=return_when)

        monkeypatch.setattr(_many._futures, "wait", wait)
        return executor


def test_the_results_are_those_of_single_calls(serial):
    by_name = {r.item: r for r in serial}
    assert [r.verdict for r in serial[-5:]] == ["error"] * 5 and not any(serial[-5:])
    assert [bool(r) for r in serial] == [r.holds for r in serial]
    for k, (item, result) in enumerate(zip(suite(), serial)):
        named = isinstance(item, Path) or (isinstance(item, str) and "\n" not in item and item.startswith("/"))
        assert result.item == (str(item) if named else getattr(item, "name", "") or result.item)
        assert named or isinstance(item, ts.Item) or result.item == "item %d" % (k + 1)
    text = (ASSETS / "kernels" / "reduce.ptx").read_text()
    race = ts.kernel(text, 2, 256, entry="reduce_race")
    found = by_name[str(ASSETS / "kernels" / "reduce.ptx")]
    assert found.verdict == race.verdict == "race" and len(found.findings) == len(race.findings)
    assert by_name["good"].holds and by_name["good"].verdict == "clean"
    program = ts.check_program((ASSETS / "graphene" / "ldmatrix_move.graphene").read_text())
    assert by_name[str(ASSETS / "graphene" / "ldmatrix_move.graphene")].summary == program.summary
    by_kind = {kind: [r.verdict for r in serial if r.kind == kind] for kind in ("claim", "hlo", "sheet")}
    assert by_kind["claim"] == ["proved", "refuted", "refuted"]
    assert by_kind["hlo"] == ["proved", "proved", "proved", "refuted"]  # the last one contradicts itself
    assert by_kind["sheet"][:6] == ["unknown"] * 6  # tasks that are not solved
    assert by_kind["sheet"][6] == "proved" and serial[3].summary.endswith("2 tasks not solved")
    assert "nonsense" in serial[-2].error and "film" in serial[-1].error and "No such file" in serial[-4].error
    assert all(" ms" not in str(r) for r in serial)  # nothing that a clock says


@pytest.mark.parametrize("seed", range(5))
def test_the_order_of_completion_does_not_matter(serial, seed, monkeypatch):
    executor = Shuffled.installed(Shuffled(seed), monkeypatch)
    told = []
    results = ts.check_many(suite(), executor, in_flight=7, progress=lambda *all: told.append(all))
    assert results == serial and executor.most == 7
    assert [done for done, _, _ in told] == list(range(1, len(serial) + 1))
    assert {total for _, total, _ in told} == {len(serial)}
    assert sorted(map(repr, (r for _, _, r in told))) == sorted(map(repr, serial))


def test_threads_and_processes_give_the_results_of_one_thread(serial):
    with ThreadPoolExecutor(4) as pool:
        assert ts.check_many(suite(), pool) == serial
    with ProcessPoolExecutor(2, FORK) as pool:
        assert ts.check_many(suite(), pool) == serial
    assert ts.check_many(iter(suite()), lambda: ProcessPoolExecutor(2, FORK)) == serial


def test_a_large_suite_is_not_taken_at_once(monkeypatch):
    executor = Shuffled.installed(Shuffled(1), monkeypatch)
    taken = itertools.count()
    ends = itertools.count()
    ahead = []

    def items():
        for k in range(2000):
            next(taken)
            yield "%d + 1" % k

    def progress(done, total, result):
        assert total is None
        ahead.append(taken.__reduce__()[1][0] - next(ends))

    results = ts.check_many(items(), executor, in_flight=16, progress=progress)
    assert len(results) == 2000 and max(ahead) <= 17


def kill_a_worker(pool):
    """Kills one process of the pool. False: the pool is broken already and its processes have ended."""
    for process in list(pool._processes or ()):
        try:
            os.kill(process, signal.SIGKILL)
            return True
        except ProcessLookupError:
            continue
    return False


def test_a_killed_process_loses_nothing(serial):
    """Kills a worker up to four times while others run; each time the pool breaks and is replaced."""
    pools, killed = [], []

    def make():
        pools.append(ProcessPoolExecutor(2, FORK))
        return pools[-1]

    def progress(done, total, result):
        if done in (1, 4, 9, 15):
            killed.append(kill_a_worker(pools[-1]))

    assert ts.check_many(suite(), make, progress=progress) == serial
    assert len(pools) > 1 and len(killed) == 4 and killed[0]
    with ProcessPoolExecutor(2, FORK) as given:  # an executor of the caller is replaced by one like it

        def kill(done, total, result):
            if done == 3:
                assert kill_a_worker(given)

        assert ts.check_many(suite(), given, progress=kill) == serial


def work_with_poison(arguments):
    task, attempt = arguments
    if task == "poison" or (task == "once" and attempt == 0):
        os.kill(os.getpid(), signal.SIGKILL)
    if task == "unpicklable":
        return lambda: 0
    if task == "raises":
        raise KeyError(task)
    return task, task * 2


def test_a_poison_item_fails_alone():
    tasks = ["a", "poison", "b", "once", "raises", "c", "poison", "unpicklable", *("d%d" % k for k in range(20))]
    for attempts in (1, 2, 3):
        found = dict(_many.outcomes(work_with_poison, tasks, lambda: ProcessPoolExecutor(3, FORK), attempts=attempts))
        assert sorted(found) == list(range(len(tasks)))
        for index, task in enumerate(tasks):
            result = found[index]
            if task == "poison":
                assert isinstance(result, _many.Lost)
                assert result.reason.endswith(" on this item") and result.reason.startswith("the worker ended ")
            elif task == "raises":
                assert isinstance(result, KeyError)
            elif task == "unpicklable":
                assert isinstance(result, Exception)
            else:
                assert result == (task, task * 2), (attempts, task)
    alone = dict(_many.outcomes(work_with_poison, ["poison"], lambda: ProcessPoolExecutor(1, FORK), in_flight=1))
    assert alone[0].reason == "the worker ended 3 times on this item"


def test_a_poison_item_is_a_failed_result(monkeypatch, tmp_path):
    real = _suite._CHECKS["claim"]

    def claim(source, options, task):
        if source == ("poison",):
            os.kill(os.getpid(), signal.SIGKILL)
        return real(source, options, task)

    monkeypatch.setitem(_suite._CHECKS, "claim", claim)  # processes that are forked from now on have it
    items = [("bijective", ts.layout("%d:1" % k)) for k in range(1, 9)]
    items.insert(3, ("poison",))
    results = ts.check_many(items, lambda: ProcessPoolExecutor(2, FORK), store=tmp_path / "store")
    assert [r.verdict for r in results] == ["proved"] * 3 + ["failed"] + ["proved"] * 5
    assert results[3].error == "the worker ended 3 times on this item" and results[3].item == "item 4"
    monkeypatch.undo()
    again = ts.check_many(items, store=tmp_path / "store")  # a dead worker is not kept as a result
    assert again[3].verdict == "error" and again[:3] + again[4:] == results[:3] + results[4:]


def fail():
    raise RuntimeError("no licence")


def test_an_executor_that_cannot_work():
    results = ts.check_many(["1 + 1"], lambda: ProcessPoolExecutor(1, FORK, fail))
    assert results[0].verdict == "failed"
    with (
        ThreadPoolExecutor(1, initializer=fail) as pool,
        pytest.raises(RuntimeError, match="give a function that makes one"),
    ):
        ts.check_many(["1 + 1"] * 3, pool)
    for wrong in (5, "processes"):
        with pytest.raises(TypeError, match="method submit"):
            ts.check_many(["1 + 1"], wrong)
    with pytest.raises(ValueError):
        ts.check_many(["1 + 1"], ThreadPoolExecutor(1), in_flight=0)
    with ProcessPoolExecutor(1, FORK) as pool:  # what cannot be sent is the result of that item
        results = ts.check_many([ts.Item("1 + 1", seconds=lambda: 3), "assert 1 + 1 == 2"], pool)
    assert [r.verdict for r in results] == ["failed", "proved"] and "pickle" in results[0].error.lower()


def counted(monkeypatch, module=_suite):
    computed = []
    real = module._work
    monkeypatch.setattr(module, "_work", lambda arguments: computed.append(arguments[0]) or real(arguments))
    return computed


STOPPED = """
import os, signal, sys
sys.path.insert(0, {tests!r})
import test_many as t
def progress(done, total, result):
    if done == 12:
        os.kill(os.getpid(), signal.SIGKILL)
t.ts.check_many(t.suite(), {executor}, store={store!r}, progress=progress)
"""


@pytest.mark.parametrize("executor", ["None", "t.ThreadPoolExecutor(2)"])
def test_a_killed_run_is_continued(serial, executor, tmp_path, monkeypatch):
    store = tmp_path / "store.jsonl"
    code = STOPPED.format(tests=str(Path(__file__).parent), executor=executor, store=str(store))
    child = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert child.returncode == -signal.SIGKILL, child.stderr
    lines = store.read_text().split("\n")
    kept = len(lines) - 2  # the head, and the end
    assert 8 <= kept <= 12
    computed = counted(monkeypatch)
    assert ts.check_many(suite(), store=store) == serial
    assert len(computed) == len(serial) - kept
    del computed[:]
    assert ts.check_many(suite(), store=store) == serial
    assert len(computed) == 3  # what could not be read has no key: it may be there the next time
    del computed[:]
    turned = ts.check_many(suite()[::-1], store=store)[::-1]  # another order
    assert [(r.verdict, r.summary, r.findings) for r in turned] == [(r.verdict, r.summary, r.findings) for r in serial]
    assert len(computed) == 3


def test_an_interrupted_run_keeps_its_results(serial, tmp_path, monkeypatch):
    def interrupt(done, total, result):
        if done == 5:
            raise KeyboardInterrupt

    store = tmp_path / "store"
    with pytest.raises(KeyboardInterrupt):
        ts.check_many(suite(), lambda: ProcessPoolExecutor(2, FORK), store=store, progress=interrupt)
    kept = len(store.read_text().splitlines()) - 1
    assert kept == 5
    computed = counted(monkeypatch)
    assert ts.check_many(suite(), store=store) == serial and len(computed) == len(serial) - 5


def test_a_damaged_store_costs_only_its_damaged_lines(tmp_path, monkeypatch):
    items = ["%d + %d" % (k, k) for k in range(6)]
    store = tmp_path / "store"
    whole = ts.check_many(items, store=store)
    text = store.read_bytes()
    computed = counted(monkeypatch)
    for cut in [*range(len(_many.Store.HEAD) + 3), *range(len(text) - 200, len(text) + 1)]:
        del computed[:]
        store.write_bytes(text[:cut])
        assert ts.check_many(items, store=store) == whole
        whole_lines = sum(line in text.split(b"\n")[1:-1] for line in text[:cut].split(b"\n"))
        assert len(computed) == 6 - whole_lines, cut
        del computed[:]
        assert ts.check_many(items, store=store) == whole and not computed, cut
    lines = text.split(b"\n")
    entry = json.loads(lines[2])
    for damage in (
        b"",
        b"{",
        b"[]",
        b"7",
        b"\xff\xfe\0",
        b'{"key":5,"result":{}}',
        b'{"key":"%s"}' % entry["key"].encode(),
    ):
        store.write_bytes(b"\n".join([*lines[:2], damage, *lines[3:]]))
        del computed[:]
        assert ts.check_many(items, store=store) == whole and len(computed) == 1, damage
    for wrong in ({"verdict": 3}, {"verdict": "proved", "findings": [1]}, {"verdict": "proved", "more": 1}, {}, []):
        store.write_bytes(b"\n".join([*lines[:2], json.dumps(dict(entry, result=wrong)).encode(), *lines[3:]]))
        del computed[:]
        assert ts.check_many(items, store=store) == whole and len(computed) == 1, wrong
    for other in (b"name,value\n1,2\n", b"x", b"{}\n", b"\n"):
        store.write_bytes(other)
        with pytest.raises(ValueError, match="no store of results"):
            ts.check_many(items, store=store)
        assert store.read_bytes() == other


def test_several_programs_may_share_a_store(tmp_path):
    store = str(tmp_path / "store")
    code = "import sys, tessera as ts; ts.check_many(['%%d + %s' %% k for k in range(200)], store=%r)"
    children = [subprocess.Popen([sys.executable, "-c", code % (mine, store)]) for mine in (1, 1, 2, 3)]
    assert [child.wait() for child in children] == [0] * 4
    lines = Path(store).read_text().splitlines()
    assert lines[0] == _many.Store.HEAD and lines.count(lines[0]) == 1
    assert len({json.loads(line)["key"] for line in lines[1:]}) == 600


def test_a_result_is_kept_for_its_content_and_options(tmp_path, monkeypatch):
    store, sheet = tmp_path / "store", tmp_path / "a.tess"
    sheet.write_text("prove injective((4,8):(8,1))")
    ptx = str(ASSETS / "kernels" / "reduce.ptx")
    array = numpy.arange(512, dtype="i4")

    def computes(*items, **how):
        del computed[:]
        ts.check_many(items, store=store, **how)
        return len(computed)

    computed = counted(monkeypatch)
    assert computes(sheet) == 1 and computes(sheet) == 0 and computes(str(sheet)) == 0
    assert computes(sheet.read_text()) == 0  # the same text
    assert computes(sheet, seconds=3.0) == 1 and computes(ts.Item(sheet, seconds=4.0)) == 1
    sheet.write_text("prove injective((4,8):(0,1))")
    assert computes(sheet) == 1 and ts.check_many([sheet], store=store)[0].verdict == "refuted"
    how = dict(grid=2, block=256, entry="reduce_shuffle")
    assert (
        computes(ts.Item(ptx, args=[array, "s32[2]"], **how)) == 1
        and computes(ts.Item(ptx, args=[array, "s32[2]"], **how)) == 0
    )
    assert computes(ts.Item(ptx, args=[array + 1, "s32[2]"], **how)) == 1
    assert computes(ts.Item(ptx, args={"x": array, "y": "s32[2]"}, **how)) == 1
    # Files that a sheet or an argument names are not known: nothing is kept.
    numpy.save(tmp_path / "x.npy", array)
    for item in (
        ts.Item(ptx, args=["@%s" % (tmp_path / "x.npy"), "s32[2]"], **how),
        'K = kernel "kernels/reduce.ptx" entry reduce_race',
    ):
        assert computes(item) == 1 and computes(item) == 1
    assert computes(("bijective", ts.layout("8:1"))) == 1 and computes(("bijective", ts.layout("8:1"))) == 0
    monkeypatch.setattr(ts._engine, "__version__", "9.9.9")
    assert computes(sheet) == 1


def test_the_kind_of_a_file_is_that_of_its_ending_or_of_its_text(tmp_path):
    texts = {"a.txt": "// from XLA\nHloModule m\nENTRY e {\n  ROOT x = f32[4]{0} parameter(0)\n}\n", "b.txt": "1 + 1",
             "c.txt": "// nvcc\n.version 7.0\n", "d.tess": "1 + 1", "e": "1 + 1"}  # fmt: skip
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    kinds = [r.kind for r in ts.check_many([tmp_path / name for name in texts])]
    assert kinds == ["hlo", "sheet", "kernel", "sheet", "sheet"]
    assert [r.kind for r in ts.check_many([str(tmp_path / name) for name in texts][:4])] == kinds[:4]
    assert [r.kind for r in ts.check_many(list(texts.values()))] == kinds
    (tmp_path / "f.tess").write_bytes(b"\xff\xfe")
    assert [r.verdict for r in ts.check_many([tmp_path / "f.tess", tmp_path / "none.ptx", tmp_path])] == ["error"] * 3


def test_another_version_in_the_worker_is_told(monkeypatch):
    name, task = _suite._task(0, "1 + 1", 10.0)
    assert _suite._work((dict(task, version="0.0.1"), 0))["verdict"] == "failed"


def same(searches):
    first = next(searches)
    assert all(search == first for search in searches)
    return first


def test_tuning_gives_the_same_winner_everywhere(tmp_path, monkeypatch):
    shuffled = Shuffled.installed(Shuffled(2), monkeypatch)
    shuffled_search = ts.tune(PROGRAM, executor=shuffled)
    monkeypatch.undo()
    serial = ts.tune(str(PROGRAM), store=tmp_path / "store")
    with ThreadPoolExecutor(2) as threads:
        threaded = ts.tune(PROGRAM.read_text(), executor=threads)
    processes = ts.tune(PROGRAM, executor=lambda: ProcessPoolExecutor(2, FORK))
    assert shuffled_search == serial == threaded == processes
    assert [r.candidate for r in serial.results] == ["by=ldmatrix", "by=plain"]
    assert {r.result for r in serial.results} == {"untimed"} and serial.winner == serial.ranking[0] and bool(serial)
    assert "by=plain" in str(serial)
    computed = counted(monkeypatch, sys.modules["tessera._tune"])
    assert ts.tune(PROGRAM, store=tmp_path / "store") == serial and not computed
    one = ts.tune(PROGRAM, settings="by=plain", store=tmp_path / "store")
    assert [r.candidate for r in one.results] == ["by=plain"] and one.winner == serial.results[1]


COPY = """param by = 1 in 1, 2, 4
param wide = 1 in 1, 2
require by < 4
%x:[64:1].fp16.GL  %y:[64:1].fp16.GL
#b:[1:1].block  #t:[64/by:1].thread
%y <- Move<<<#b,#t>>>(%x) {
  @i = #t.indices()
  %x1 = %x.tile([by:1])[wide*@i]  %y1 = %y.tile([by:1])[wide*@i]
  %r:[by:1].fp16.RF
  %r <- Move(%x1)
  %y1 <- Move(%r)
}
"""


def test_tuning_survives_dead_workers_and_refuses_what_cannot_be_searched(tmp_path):
    serial = ts.tune(COPY)
    assert [r.result for r in serial.results] == ["untimed", "refuted", "untimed", "refuted"]
    assert serial.results[1].why and not serial.results[1] and len(serial.ranking) == 2
    pools = []

    def make():
        pools.append(ProcessPoolExecutor(1, FORK))
        return pools[-1]

    def kill(done, total, result):
        if done == 1:
            os.kill(next(iter(pools[-1]._processes)), signal.SIGKILL)

    assert ts.tune(COPY, executor=make, progress=kill) == serial and len(pools) == 2
    with pytest.raises(ts.Error, match="no parameter of this program has a list"):
        ts.tune("%x:[64:1].fp16.GL\n")
    with pytest.raises(ts.Error, match="by cannot be 3"):
        ts.tune(COPY, settings=["by=3"])
    with pytest.raises(FileNotFoundError):
        ts.tune("nothing.graphene")


def test_mutants_get_the_same_verdicts_from_processes():
    sys.path.insert(0, str(ROOT / "tools"))
    try:
        import mutation_score
    finally:
        sys.path.pop(0)
    text = (ASSETS / "graphene" / "transpose_swizzled.graphene").read_text()
    lines = text.split("\n")
    body = next(k for k, line in enumerate(lines) if line.lstrip().startswith("%") and "<<<" in line)
    chosen = random.Random(3).sample(list(mutation_score.changes(lines, body + 1)), 12)
    mutants = [ts.Item(mutation_score.mutated(text, change), kind="program", name=change[0]) for change in chosen]
    mutants.append(ts.Item(text, kind="program", name="original"))
    results = ts.check_many(mutants)
    assert results[-1].verdict == "proved" and any(r.verdict == "refuted" and r.findings for r in results)
    assert ts.check_many(mutants, lambda: ProcessPoolExecutor(2, FORK)) == results


def test_dask_runs_a_suite_and_replaces_a_killed_worker(serial, tmp_path, monkeypatch):
    needs("distributed")
    import dask
    from distributed import Client, LocalCluster

    monkeypatch.chdir(tmp_path)
    quiet = {"distributed.scheduler.allowed-failures": 0, "distributed.logging.distributed": "critical"}
    with (
        dask.config.set(quiet),
        LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
        ) as cluster,
        Client(cluster) as client,
    ):
        killed = []

        def progress(done, total, result):
            if done in (1, 10):
                worker = list(cluster.workers.values())[len(killed)]
                killed.append(worker.pid)
                os.kill(worker.pid, signal.SIGKILL)

        assert ts.check_many(suite(), client.get_executor(), in_flight=8, progress=progress, store="store") == serial
        assert len(set(killed)) == 2
        assert ts.check_many(suite(), client) == serial  # the workers that were started instead
        poisoned = dict(_many.outcomes(work_with_poison_of_dask, ["a", "poison", "b"], client, attempts=2))
        assert poisoned[0] == "a" and poisoned[2] == "b"
        assert poisoned[1].reason == "the worker ended 2 times on this item"


def work_with_poison_of_dask(arguments):
    task, attempt = arguments
    if task == "poison":
        os.kill(os.getpid(), signal.SIGKILL)
    return task
