#!/usr/bin/env python3
"""bench.py: the package against tensor-layouts (PyPI), a stream of the same operations, in one run on one core.

Each operation runs in alternating rounds, ours and theirs; the median round counts. The stream is the sum over one of
each. `equal as functions` compares tables in theirs, which has no other way. No test asserts a time.

    pip install tensor-layouts numpy && python3 python/tests/bench.py [--json]
"""

import json
import os
import statistics
import subprocess
import sys
import time

BAR_RATIO, BAR_IMPORT_MS = 10, 100


def operations():
    import tensor_layouts as tl
    import tessera as ts

    def L(shape, stride):
        return ts.layout((shape, stride)), tl.Layout(shape, stride)

    big, their_big = L((64, 64), (64, 1))
    nested, their_nested = L(((2, 4), (4, 8)), ((1, 16), (2, 64)))
    a, their_a = L((8, 16), (16, 1))
    b, their_b = L((4, 2), (1, 4))
    sparse, their_sparse = L((4, 3), (3, 24))
    tiler, their_tiler = (ts.layout("4:1"), ts.layout("8:1")), (tl.Layout(4, 1), tl.Layout(8, 1))
    wide, their_wide = L((16, 32), (32, 1))
    other, their_other = L((64, (8, 8)), (64, (1, 8)))  # the same function, another text
    points = [(i % 64, i * 7 % 64) for i in range(64)]

    def their_table(layout):
        return [layout(i) for i in range(tl.size(layout))]

    return [
        ("64 points L(i, j)", lambda: [big(i, j) for i, j in points], lambda: [their_big(i, j) for i, j in points]),
        ("64 points L(i)", lambda: [nested(i) for i in range(64)], lambda: [their_nested(i) for i in range(64)]),
        ("make a layout", lambda: ts.make_layout((8, 16), (16, 1)), lambda: tl.Layout((8, 16), (16, 1))),
        ("composition", lambda: ts.composition(a, b), lambda: tl.compose(their_a, their_b)),
        ("complement", lambda: ts.complement(sparse, 96), lambda: tl.complement(their_sparse, 96)),
        ("coalesce", lambda: ts.coalesce(nested), lambda: tl.coalesce(their_nested)),
        ("logical_divide", lambda: ts.logical_divide(wide, tiler), lambda: tl.logical_divide(their_wide, their_tiler)),
        ("zipped_divide", lambda: ts.zipped_divide(wide, tiler), lambda: tl.zipped_divide(their_wide, their_tiler)),
        ("logical_product", lambda: ts.logical_product(b, a), lambda: tl.logical_product(their_b, their_a)),
        ("right_inverse", lambda: ts.right_inverse(a), lambda: tl.right_inverse(their_a)),
        ("table of 4096", lambda: big.table(flat=True), lambda: their_table(their_big)),
        ("equal as functions", lambda: big == other, lambda: their_table(their_big) == their_table(their_other)),
    ]


def seconds(call, target=0.02):
    call()
    count = 1
    while True:
        start = time.process_time()
        for _ in range(count):
            call()
        took = time.process_time() - start
        if took >= target:
            return took / count
        count = max(count + 1, int(count * 1.5 * target / max(took, 1e-6)))
        count = min(count, 1 << 20)


def import_ms():
    code = "import time; t = time.process_time(); import tessera; print((time.process_time() - t) * 1e3)"
    runs = [subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout for _ in range(7)]
    return statistics.median(map(float, runs))


def main():
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    rows = []
    for name, ours, theirs in operations():
        rounds = [(seconds(ours), seconds(theirs)) for _ in range(5)]
        rows.append((name, *(statistics.median(side) * 1e6 for side in zip(*rounds))))
    ours, theirs = sum(r[1] for r in rows), sum(r[2] for r in rows)
    algebra = [r for r in rows if r[0] not in ("table of 4096", "equal as functions")]
    small = sum(r[2] for r in algebra) / sum(r[1] for r in algebra)
    imported = import_ms()
    if "--json" in sys.argv:
        print(json.dumps({"rows": rows, "stream": theirs / ours, "without tables": small, "import_ms": imported}))
    else:
        print("%-22s %12s %16s %8s" % ("operation", "tessera us", "tensor-layouts", "ratio"))
        for name, mine, other in rows:
            print("%-22s %12.2f %16.2f %8.1f" % (name, mine, other, other / mine))
        print("%-22s %12.2f %16.2f %8.1f   bar %d" % ("stream", ours, theirs, theirs / ours, BAR_RATIO))
        print("%-22s %38.1f   bar %d" % ("without tables", small, BAR_RATIO))
        print("%-22s %12.1f ms   bar %d ms" % ("import", imported, BAR_IMPORT_MS))
    return 0 if theirs / ours >= BAR_RATIO and small >= BAR_RATIO and imported < BAR_IMPORT_MS else 1


if __name__ == "__main__":
    sys.exit(main())
