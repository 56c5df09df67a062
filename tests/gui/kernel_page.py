#!/usr/bin/env python3
"""kernel_page.py TESSERA MODULE DUMP SIZE SHOTS: what kernel_page_end_to_end.sh does in the window, by xdotool. DUMP is
the state of the window (TESSERA_STATE_DUMP); SHOTS may be empty."""
import csv
import json
import pathlib
import subprocess
import sys
import tempfile
import time

from driven import LIMIT, state, xdotool

tessera, module, dump, size, shots = sys.argv[1:6]
wide, high = map(int, size.split("x"))


def until(what, condition):
    start = time.monotonic()
    while time.monotonic() - start < LIMIT:
        now = state(dump)
        if now.get("pictures") and condition(now["pictures"][0], now["places"]):
            print("ok:", what)
            return now
        time.sleep(0.02)
    now = state(dump)
    print(json.dumps(now.get("pictures"), indent=1)[:4000])
    print(" ".join(sorted(now["places"])))
    sys.exit("FAILED: " + what)


def shot(name):
    if shots:
        time.sleep(0.6)
        subprocess.run(["import", "-window", "root", "-crop", size + "+0+0", f"{shots}/{size}-{name}.png"], check=True)


def click(name, right=0.5, down=0.5, times=1):
    until(f"{name} is there", lambda f, p: name in p)
    place = None
    while place != (place := state(dump)["places"].get(name)):  # the row of buttons finds its width in the second frame
        time.sleep(0.2)
    x, y, w, h = place
    xdotool("mousemove", int(x + w * right), int(y + h * down))
    time.sleep(0.15)
    for _ in range(times):
        xdotool("mousedown", 1)
        time.sleep(0.05)
        xdotool("mouseup", 1)
        time.sleep(0.05)
    time.sleep(0.15)


def answers(*words):
    done = subprocess.run([tessera, *words], capture_output=True, text=True, timeout=100)
    return done.stdout


def bytes_text(n):
    """Like bytesText (core/hlo/cost/waste.h)."""
    units = ["B", "KB", "MB", "GB", "TB"]
    unit = 0
    while n >= 999.5 and unit + 1 < len(units):
        n /= 1000
        unit += 1
    return f"{n:.3g} {units[unit]}"


ranking = [json.loads(line) for line in answers("hlo", module, "--worst", "--json").splitlines()]
assert ranking, "the module has no kernels"

# The table: the ranking of the command line, row by row.
now = until("the table is there", lambda f, p: f.get("rows") and "figure.1.rows" in p)
picture = now["pictures"][0]
for row, line in zip(picture["rows"], ranking):
    assert row[0] == str(line["rank"]) and row[1] == "%" + line["instruction"], (row, line)
    assert row[2] == str(line["runs"]), (row, line)
    if line["needed"] > 0:
        assert row[3] == bytes_text(line["asked"]) and row[4] == bytes_text(line["needed"]), (row, line)
print(f"ok: {len(picture['rows'])} rows are those of hlo --worst")

# Everything is in the window, and the table does not cover the picture.
for name in ("figure.1.picture", "figure.1.rows", "figure.1.rows.0"):
    x, y, w, h = now["places"][name]
    assert x >= 0 and y >= 0 and x + w <= wide and y + h <= high, (name, now["places"][name])
a, b = now["places"]["figure.1.picture"], now["places"]["figure.1.rows"]
assert b[0] >= a[0] + a[2] or b[1] >= a[1] + a[3], (a, b)
shot("1-table")

# A row marks its box; the arrows move on.
click("figure.1.rows.0", 0.9)
until("row 0 is selected", lambda f, p: f.get("selected") == 0 and "figure.1.marked" in p)
if len(ranking) > 1:
    xdotool("key", "Down")
    until("the arrow selects row 1", lambda f, p: f.get("selected") == 1)
    xdotool("key", "Up")
    until("the arrow selects row 0", lambda f, p: f.get("selected") == 0)
click("figure.1.rows.times")
rows = until("sorted by times", lambda f, p: f["sorted"] == "times")["pictures"][0]["rows"]
times = [float(r[5]) for r in rows if r[5]]
assert times == sorted(times, reverse=True), times
click("figure.1.rows.rank")
until("sorted by rank", lambda f, p: f["sorted"] == "rank" and f["rows"] == picture["rows"])
shot("2-selected")

# The page of the first kernel, by the link in its row; back returns.
first = ranking[0]
title = f"%{first['instruction']} as kernel"
click("figure.1.rows.0", 0.9)
click("figure.1.rows.0.page")
until("the page is open", lambda f, p: f["title"] == title)
click("figure.1.back")
until("back is the data flow", lambda f, p: f["title"].endswith("as dataflow") and f.get("selected") == 0)
click("figure.1.rows.0.page")
page = until("the page is open again", lambda f, p: f["title"] == title)["pictures"][0]
for line, operand in zip(page["table"][1:], first["operands"]):
    assert line[1] == operand["of"], (line, operand)
    assert line[5] == str(operand.get("asked", "")) and line[6] == str(operand.get("needed", "")), (line, operand)
    assert line[9] == operand["warps"], (line, operand)
print("ok: the page has the numbers of hlo --worst")
why = [json.loads(line) for line in answers("why", module, first["instruction"], "--json").splitlines()]
for line, operand in zip(page["table"][1:], why):
    if "needed" in operand:
        assert line[5] == str(operand["asked"]) and line[6] == str(operand["needed"]), (line, operand)
print("ok: the page has the numbers of why")
shot("3-page")

# The slider chooses the tile; kept as a line, it draws the same as the command line.
dimension = next((k for k in range(9) if f"figure.1.d{k}.slider" in state(dump)["places"]), None)
if dimension is not None:
    before = page["modes"]
    extent = int(before[dimension])
    click(f"figure.1.d{dimension}.slider", 0.02)  # 1
    if extent == 1:
        click(f"figure.1.d{dimension}.slider", 0.98)
    page = until("the slider moved", lambda f, p: f["modes"] != before)["pictures"][0]
    tile = "x".join(page["modes"])
    assert all(line[10] == tile for line in page["table"][1:]), (page["table"], tile)
    shot("4-tile")
    with tempfile.NamedTemporaryFile(suffix=".csv") as csv_file:
        answers("draw", module, "--as", f"kernel {first['instruction']} tile {tile}", "-o", csv_file.name)
        drawn = list(csv.reader(open(csv_file.name)))
    assert drawn == page["table"], (drawn, page["table"])
    print("ok: the command line draws the same for this tile")
    click("figure.1.keep")
    line = f"as kernel tile {tile}"
    until("the line is kept", lambda f, p: line in state(dump)["session"]["text"])
    until("it draws the same", lambda f, p: sum(q["table"] == page["table"] for q in state(dump)["pictures"]) == 2)
