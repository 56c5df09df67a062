#!/usr/bin/env python3
"""newcomer.py PART DUMP FOLDER SIZE SHOTS: what newcomer_end_to_end.sh does in the window, by xdotool. PART is swizzle
or lesson; DUMP is the state of the window (TESSERA_STATE_DUMP); FOLDER is where the window runs; SHOTS may be empty."""
import json
import pathlib
import subprocess
import sys
import time

from driven import LIMIT, state, xdotool

part, dump, folder, size, shots = sys.argv[1:6]
steps = {"clicks": 0, "keys": 0, "characters": 0}
seconds = 0.0
rests = 0.0  # for screenshots
begun = time.monotonic()


def until(what, condition):
    """Waits for a condition over the session and the places; what the machine needs counts as its seconds."""
    global seconds
    start = time.monotonic()
    while time.monotonic() - start < LIMIT:
        now = state(dump)
        if condition(now["session"], now["places"]):
            seconds += time.monotonic() - start
            print("ok:", what)
            return now
        time.sleep(0.01)
    now = state(dump)
    print(json.dumps(now["session"], indent=1)[:4000])
    print(" ".join(sorted(now["places"])))
    sys.exit("FAILED: " + what)


def shot(name):
    global rests
    if not shots:
        return
    start = time.monotonic()
    time.sleep(0.6)  # the last animation ends
    subprocess.run(["import", "-window", "root", f"{shots}/{size}-{part}-{name}.png"], check=True)
    rests += time.monotonic() - start


def click(name, right=0.5, down=0.5):
    place = until(f"{name} is there", lambda s, p: name in p)["places"][name]
    click_at(place[0] + place[2] * right, place[1] + place[3] * down)


def click_at(x, y):
    steps["clicks"] += 1
    xdotool("mousemove", int(x), int(y))
    time.sleep(0.15)
    xdotool("mousedown", 1)
    time.sleep(0.1)
    xdotool("mouseup", 1)
    time.sleep(0.15)


def key(*names):
    for name in names:
        steps["keys"] += 1
        xdotool("key", name)
        time.sleep(0.05)


def write(text):
    steps["characters"] += len(text)
    xdotool("type", "--delay", 12, text)


def outcome(session, line):
    return next((o for o in session["outcomes"] if o["line"] == line), {})


def swizzle():
    shot("1-first")
    click("tab.gallery")
    until("the start page is open", lambda s, p: "start.paste" in p and "start.lesson" in p)
    shot("1-start")
    key("ctrl+n")
    until("the worksheet is empty", lambda s, p: s["text"] == "" and "editor" in p)
    click("editor", 0.6, 0.1)
    # The newcomer's own line of a kernel: thread t writes row t of 32 floats.
    write("S(t, i) = t * 32 + i over (32, 32)")
    key("Return")
    write("prove conflict_free(S, f32)")
    until("the claim is refuted", lambda s, p: outcome(s, 2).get("verdict") == "refuted")
    until("a correction is offered", lambda s, p: "claim.1.true.0" in p)
    shot("2-refuted")
    # "make it true": the first of the edits below the claim.
    click("claim.1.true.0")
    until("it is proved", lambda s, p: outcome(s, 2).get("verdict") == "proved")
    now = until("the own line is corrected", lambda s, p: "^" in s["text"].splitlines()[0])
    assert now["session"]["text"].splitlines()[0] == "S(t, i) = t * 32 + (i ^ t) over (32, 32)", now["session"]["text"]
    shot("3-proved")
    click("editor", 0.6, 0.5)
    key("ctrl+End", "Return")
    write("S")
    until("it is drawn", lambda s, p: outcome(s, 3).get("figure") and "figure.2.picture" in p)
    shot("4-drawn")
    key("ctrl+e")
    until("the dialog asks for a name", lambda s, p: "dialog.accept" in p)
    shot("5-export")
    key("Return")
    until("the dialog has closed", lambda s, p: "dialog.accept" not in p)
    shot("6-exported")
    saves = time.monotonic()
    while not (files := list(pathlib.Path(folder).glob("*.svg"))) and time.monotonic() - saves < LIMIT:
        time.sleep(0.05)  # a page saves by download
    assert len(files) == 1, files
    picture = files[0].read_text()
    # Row 1 begins with the offset 33, and the swizzle exchanges its first two elements.
    assert picture.startswith("<") and ">33<" in picture and ">992<" in picture, picture[:300]
    print(f"ok: {files[0].name} has the picture, {len(picture)} bytes")


def answer(line_of, old, new, title):
    """Clicks behind the `?` of a line above the task's card, and replaces it."""
    def task(s):  # {} while it is evaluated
        return next((o for o in s["outcomes"] if "solved" in o and title in o["text"]), {})

    card = f"card.{task(until('the task is there', lambda s, p: task(s))['session'])['line']}"
    for _ in range(60):  # scrolls until the task is in sight
        now = state(dump)
        bottom = now["places"]["editor"][1] + now["places"]["editor"][3]
        if card in now["places"] and now["places"][card][1] + now["places"][card][3] < bottom:
            break
        place = now["places"]["editor"]
        xdotool("mousemove", int(place[0] + place[2] / 2), int(place[1] + place[3] / 2), "click", 5)  # the wheel
        time.sleep(0.15)
    shot(f"{line_of}-asked")
    text = state(dump)["session"]["text"]
    blank = text.index(old)
    line_end = blank + len(old)
    before = dict(steps)
    global rests
    search = time.monotonic()
    x = now["places"]["editor"][0] + now["places"]["editor"][2] * 0.6
    for up in range(8, 240, 9):  # a person sees which line it is: only the last click counts
        steps.update(before)
        click_at(x, state(dump)["places"][card][1] - up)
        if state(dump)["session"]["caret"] == line_end:
            break
    else:
        sys.exit(f"FAILED: no click reaches '{old}'")
    rests += time.monotonic() - search - 0.4  # as if the first click were right
    key("BackSpace")
    write(new)
    until(f"solved: {title}", lambda s, p: task(s).get("solved"))
    shot(f"{line_of}-solved")


def lesson():
    click("tab.gallery")
    click("start.lesson")
    until("lesson 1 is open",
          lambda s, p: "editor" in p and s["text"].startswith("// # 1 ") and len(s["outcomes"]) > 10
          and not s["evaluating"])
    shot("1-opened")
    answer("2", "Pitch = ?", "(4,8):(10,1)", "rows that begin ten addresses apart")
    answer("3", "place = ?", "29", "the address of (3,5) by rows")
    now = until("all tasks are solved",
                lambda s, p: [o["solved"] for o in s["outcomes"] if "solved" in o] == [True, True])
    assert not any("error" in o for o in now["session"]["outcomes"])
    key("ctrl+g")
    until("the start page has the progress", lambda s, p: "start.lesson" in p)
    shot("4-progress")


{"swizzle": swizzle, "lesson": lesson}[part]()
wall = time.monotonic() - begun - rests
print(f"{part}, {size}: {steps['clicks']} clicks, {steps['keys']} keys, {steps['characters']} characters typed; "
      f"{wall:.1f} s with 12 ms a character and 0.4 s a click; the machine was waited for {seconds:.1f} s")
