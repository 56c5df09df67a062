#!/usr/bin/env bash
# every_key_end_to_end.sh TESSERA: the real window under Xvfb. In every part of the window, every key: either the part
# that has the keyboard acts, or nothing changes. tests/gui/every_key_test.cpp is the same without a display.
set -euo pipefail
tessera=$(realpath "$1")
. "$(dirname "$0")/xvfb.sh"
mkdir -p "$work/1/2/3/4/5/6/7/8/9/10/11/12" && cd "$work/1/2/3/4/5/6/7/8/9/10/11/12"
printf 'P = bf16[6,20]{1,0:T(8,128)(2,1)}\nshow P as tensor\nshow (8,4):(4,1) as grid\n' >sheet.tess
printf 'size((4,8))\n' >other.tess
open_app "$tessera" sheet.tess
says 'len([o for o in s["outcomes"] if o.get("figure")]) == 2'
python3 - "$dump" <<'PY'
import json, os, subprocess, sys, time

IN_PAGE = "TESSERA_PAGE" in os.environ
SETTLE = 0.12 if IN_PAGE else 0.03  # seconds for two more frames: a key may change the owner in the next one

def state():
    return json.load(open(sys.argv[1]))

def wait(what, holds):
    for _ in range(2000):
        if holds(state()): return
        time.sleep(0.02)
    sys.exit(f"FAILED: {what}\n{json.dumps(state()['parts'], indent=1)}")

def xdo(*words): subprocess.run(["xdotool", *words], check=True)

# Presses a key and waits until a frame has received it: its own key and those of its modifiers.
def press(key):
    n = state()["keys"] + len(key.split("+"))
    xdo("key", "--clearmodifiers", key)
    wait(f"{key} did not arrive", lambda s: s["keys"] >= n)
    time.sleep(SETTLE)

def click(name):
    x, y, w, h = state()["places"][name]
    xdo("mousemove", str(x + w // 2), str(y + h // 2))
    time.sleep(0.1)
    xdo("mousedown", "1"); time.sleep(0.1); xdo("mouseup", "1"); time.sleep(0.15)

def compare():
    x, y, w, h = state()["places"]["figure.2.picture"]
    xdo("mousemove", str(x + w // 2), "300")
    for _ in range(8): xdo("click", "4")  # the wheel, to the first picture
    wait("the first picture is in sight", lambda s: s["places"]["figure.1.compare"][1] > 40)
    click("figure.1.compare")
    time.sleep(0.3)  # its button is wider now
    click("figure.2.compare")

panes = {  # name: (owner, how to give it the keys)
    "worksheet": ("worksheet", lambda: None),
    "a picture": ("pictures", lambda: click("figure.2.picture")),
    "compared pictures": ("pictures", compare),
    "find": ("find", lambda: press("ctrl+f")),
    "menu": ("menu", lambda: click("menu.Edit")),
    "manual": ("manual", lambda: press("F1")),
    "palette": ("palette", lambda: press("ctrl+k")),
    "path": ("path", lambda: press("ctrl+o")),
    "presentation": ("presentation", lambda: press("F11")),
}
# Shortcuts of commands that work in every pane, as listed in app/gui/commands.cpp, are left out; Enter takes a choice.
window = "ctrl+n ctrl+o ctrl+g ctrl+s ctrl+e ctrl+q ctrl+f F3 shift+F3 ctrl+k ctrl+t ctrl+0 ctrl+equal ctrl+minus " \
         "ctrl+1 ctrl+2 ctrl+3 Escape ctrl+Return F5 shift+F5 F6 F1 ctrl+h F2 F11 F12 Return KP_Enter".split()
plain = [*"abcdefghijklmnopqrstuvwxyz0123456789", "space", "comma", "period", "slash", "semicolon", "equal", "minus",
         "bracketleft", "bracketright", "backslash", "apostrophe", "grave", "Tab", "BackSpace", "Delete", "Insert", "Left",
         "Right", "Up", "Down", "Home", "End", "Prior", "Next", *(f"F{k}" for k in range(1, 13))]
keys = plain + ["ctrl+" + k for k in plain] + ["alt+Up", "alt+Down", "shift+a", "shift+Left", "shift+Down"]
keys = [k for k in keys if k not in window]
step = 1
if IN_PAGE:
    kept = ["ctrl+l", "ctrl+r"]  # the address bar, reloading: app/web/page/keys.js
    keys = [k for k in keys if k not in kept]
    step = int(os.environ.get("TESSERA_STEP", 24))
    print(f"skipped: {', '.join(kept)}, which a page leaves to the browser")
    print(f"in each part every {step}th key (TESSERA_STEP), each time others: a page takes longer")
text = state()["session"]["text"]
subprocess.run(["xdotool", "mousemove", "700", "20"])

def start(pane):
    for _ in range(3): press("Escape")
    if state()["owner"] != "worksheet": press("ctrl+1")
    wait("the worksheet has the keys", lambda s: s["owner"] == "worksheet")
    for _ in range(60):
        if state()["session"]["text"] == text: break
        press("ctrl+z")
    wait("both pictures are back", lambda s: s["session"]["text"] == text and "figure.2.picture" in s["places"])
    subprocess.run(["xdotool", "mousemove", "700", "20"]); time.sleep(0.2)
    panes[pane][1]()
    wait(f"{pane} has the keys", lambda s: s["owner"] == panes[pane][0])
    time.sleep(0.1)

count = 0
for which, (pane, (owner, _)) in enumerate(panes.items()):
    start(pane)
    pressed = keys[which % step::step]
    for key in pressed:
        before = state()["parts"]
        press(key)
        after = state()
        count += 1
        for part in before:
            # The pictures of another text, or of another slide.
            if owner in ("worksheet", "presentation") and part == "pictures": continue
            if part != owner and before[part] != after["parts"][part]:
                sys.exit(f"FAILED: {key} in {pane} changed {part}: {before[part]} -> {after['parts'][part]}")
        if owner != "worksheet" and after["session"]["text"] != text:
            sys.exit(f"FAILED: {key} in {pane} changed the text")
        if after["owner"] != owner or (owner == "worksheet" and len(after["session"]["text"]) != len(text)): start(pane)
    print(f"ok: {len(pressed)} keys in {pane}", flush=True)
print(f"ok: {count} keys, each with one owner")
PY
