"""Threads, signals, memory and imports of the whole process."""

import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
import tessera as ts


def test_threads_get_the_answers_of_one_thread():
    def work(seed):
        tile = ts.layout("(64,64):(64,1)")
        shared = SHARED
        out = [shared(seed % 64, seed % 7), str(ts.prove("bijective", shared).verdict), hash(shared)]
        out.append(ts.find_swizzle(tile, ["ldmatrix.x4"], "fp16").layout.text)
        out.append(ts.composition(tile, ts.layout("%d:2" % (seed % 8 + 1))).text)
        try:
            ts.layout("(%d,4):(1,2,3)" % seed)
        except ts.Error as problem:
            out.append(str(problem))
        return out

    global SHARED
    SHARED = ts.layout("Sw<3,3,3> o (64,64):(64,1)")  # first asked by all threads at once
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(work, range(64)))
    assert together == [work(seed) for seed in range(64)]


def test_one_worksheet_in_many_threads_has_a_lock():
    sheet = ts.Worksheet()
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda k: sheet.run("X%d = %d; X%d + 1" % (k, k, k))[-1].number, range(64)))
    assert answers == [k + 1 for k in range(64)]


SPIN = """
.version 7.0
.target sm_70
.address_size 64
.visible .entry spin() {
  .reg .pred %p<2>; .reg .b32 %r<3>;
  mov.u32 %r1, 0;
again:
  add.u32 %r1, %r1, 1;
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra again;
  ret;
}
"""


def test_other_threads_run_during_a_call():
    """By count: this thread's loop advances while another thread is inside one call of the engine."""
    entered, left = threading.Event(), threading.Event()

    def call():
        entered.set()
        ts.kernel(SPIN, 1, 32, steps=1 << 25)
        left.set()

    worker = threading.Thread(target=call)
    worker.start()
    entered.wait()
    turns = 0
    while not left.is_set():
        turns += 1
        time.sleep(0)
    worker.join()
    assert turns > 100


HARD = "injective((65536,65536,65536,1024):(7919023757,136117223861,122446330495,194939225901))"


LONG = {
    "kernel": "ts.kernel(%r, 1, 1024, steps=1 << 40)" % SPIN,
    "prove": "ts.prove(%r, seconds=1e6)" % HARD,
    "check_many": "ts.check_many([ts.Item(%r, block=1024, steps=1 << 40)])" % SPIN.strip(),
}


@pytest.mark.parametrize("call", LONG.values(), ids=LONG)
def test_interrupt_ends_a_long_call(call):
    code = "import tessera as ts, sys; print('ready', flush=True); " + call
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "ready\n"
    time.sleep(0.5)
    child.send_signal(signal.SIGINT)
    _, errors = child.communicate(timeout=120)
    assert child.returncode != 0 and "KeyboardInterrupt" in errors


def resident():
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="needs /proc")
@pytest.mark.parametrize("name", ["points", "algebra", "errors", "tables", "verdicts"])
def test_memory_does_not_grow(name):
    """10^6 points; fewer of the slower calls. One leaked object per call would be at least 16 bytes."""
    layout = ts.layout("Sw<3,3,3> o (64,64):(64,1)")
    a, b = ts.layout("(6,2):(8,2)"), ts.layout("(4,3):(3,1)")

    def error():
        try:
            ts.layout("(8,4):(4,1,2)")
        except ts.Error:
            pass

    call, times = {
        "points": (lambda: layout(3, 5), 1_000_000),
        "algebra": (lambda: ts.composition(a, b).text, 20_000),
        "errors": (error, 10_000),
        "tables": (lambda: layout.table(), 3_000),
        "verdicts": (lambda: ts.prove("injective", a), 1_000),
    }[name]
    for _ in range(times // 4):
        call()
    before = resident()
    for _ in range(times):
        call()
    assert resident() - before < max(4 << 20, 8 * times)


def test_import_loads_no_other_library():
    code = (
        "import sys, tessera; L = tessera.layout('(4,8):(8,1)'); assert L(1, 2) == 10; L.text, hash(L), L == L\n"
        "heavy = {'numpy', 'jax', 'triton', 'torch', 'cutlass', 'IPython', 'html', 'doctest'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
