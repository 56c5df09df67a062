#!/usr/bin/env python3
"""Reading HLO text against jaxlib's parser, in one process on one core (docs/benchmarks.md).

    reading_against_jaxlib.py FILE.hlo ...      needs the packages tessera (pip install ./python) and jaxlib

Rounds alternate; the median of each counts. Both get the same text and make a module; theirs is freed between rounds,
as ours is. Processor time, so other programs matter little. Prints a line per file.
"""

import os
import statistics
import sys
import time

import tessera as ts
from jaxlib import _hlo

ROUNDS = 9


def seconds(read, text):
    start = time.process_time()
    module = read(text)
    took = time.process_time() - start
    del module
    return took


def main():
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8") as file:
            text = file.read()
        ours, theirs = [], []
        for _ in range(ROUNDS):
            ours.append(seconds(lambda t: ts.hlo(t, seconds=60), text))
            theirs.append(seconds(_hlo.hlo_module_from_text, text))
        module = ts.hlo(text, seconds=60)
        assert not module.problems, module.problems[:3]
        one, other = statistics.median(ours), statistics.median(theirs)
        print(
            f"{os.path.basename(path)}: {len(text) / 1e6:.2f} MB, {len(module.instructions)} instructions: "
            f"{one * 1e3:.1f} ms, jaxlib {other * 1e3:.1f} ms, {other / one:.1f}x"
        )


if __name__ == "__main__":
    main()
