#!/usr/bin/env bash
# keys_end_to_end.sh TESSERA: the real window under Xvfb. Its scale changes many times, and it is never blank. With each
# dialog open, every key reaches only that dialog. After a monkey with a fixed seed it still shows its sheet.
set -euo pipefail
tessera=$(realpath "$1")
. "$(dirname "$0")/xvfb.sh"
# Deep enough that a dialog confirmed by chance cannot leave it.
mkdir -p "$work/1/2/3/4/5/6/7/8/9/10/11/12" && cd "$work/1/2/3/4/5/6/7/8/9/10/11/12"
printf 'P = bf16[6,20]{1,0:T(8,128)(2,1)}\nshow P as tensor\nshow (4,8):(8,1) as grid\n' >sheet.tess
open_app "$tessera" sheet.tess
says 'any(o.get("figure") for o in s["outcomes"])'

not_blank() {
  sleep 0.4
  local n; n=$(colours) || return 0
  [ "$n" -gt 300 ] || { echo "FAILED: the window is blank after $1 ($n colours)"; exit 1; }
}
not_blank 'opening'
for k in $(seq 12); do xdotool key ctrl+equal; [ $((k % 4)) = 0 ] && not_blank "$k times larger"; done
for k in $(seq 14); do xdotool key ctrl+minus; [ $((k % 7)) = 0 ] && not_blank "$k times smaller"; done
for k in $(seq 3); do xdotool key ctrl+equal; done
not_blank 'larger again'
echo "ok: never blank at 26 scales"

says '"editor" in p'
click $(place editor 0.6 0.8)
xdotool key ctrl+End
text=$(python3 -c "import json; print(repr(json.load(open('$work/dump.json'))['session']['text']))")
# overlay NAME KEY: while it is open nothing is typed into the worksheet; after Esc everything is.
overlay() {
  xdotool key $2; sleep 0.5
  xdotool type --delay 15 'ab1('
  xdotool key BackSpace Delete Left Right Up Down Tab ctrl+v ctrl+z ctrl+y
  sleep 0.3
  says "s['text'] == $text"
  xdotool key Escape; sleep 0.3
  xdotool key ctrl+End; xdotool type z; sleep 0.3
  says "s['text'] == $text + 'z'"
  xdotool key BackSpace
  says "s['text'] == $text"
  echo "ok: $1 alone had the keyboard"
}
overlay palette ctrl+k
overlay open ctrl+o
overlay 'save as' ctrl+shift+s
overlay export ctrl+e
overlay manual F1
overlay find ctrl+f
xdotool type y
overlay_text=$text; text="$text + 'y'"
overlay discard ctrl+n
text=$overlay_text

# A failed export does not block the keyboard.
xdotool key ctrl+e; sleep 0.4; xdotool type --delay 15 'picture.xyz'; xdotool key Return; sleep 0.4
says "s['text'] == $text + 'y'"
xdotool key Escape; sleep 0.3; xdotool key ctrl+End BackSpace
says "s['text'] == $text"

# An idle window draws nothing: in 25 s the caret blinks for 10 s, two frames a second. A full redraw every half second
# would be 50 frames.
frames() { python3 -c "import json; print(json.load(open('$dump'))['frames'])"; }
xdotool key ctrl+End; xdotool type w; says "s['text'] == $text + 'w'"; sleep 0.5
before=$(frames)
sleep 25
xdotool key BackSpace; says "s['text'] == $text"
drawn=$(($(frames) - before))
[ "$drawn" -lt 45 ] || { echo "FAILED: $drawn frames while nothing happened"; exit 1; }
echo "ok: $drawn frames in 25 s without input"

python3 - >"$work/monkey.txt" <<'PY'
import random
random.seed(20261122)
keys = "Escape Return Tab BackSpace Delete Left Right Up Down Home End Prior Next F1 F3 ctrl+k ctrl+o ctrl+s ctrl+e ctrl+f ctrl+g ctrl+n ctrl+z ctrl+y ctrl+a ctrl+c ctrl+v ctrl+x ctrl+t ctrl+0 ctrl+1 ctrl+2 ctrl+3 ctrl+equal ctrl+minus ctrl+Return shift+Left shift+Down".split()
for _ in range(1000):
    kind = random.random()
    if kind < 0.3: print("mousemove", random.randrange(1400), random.randrange(900))
    elif kind < 0.5: print("click", random.choice([1, 1, 1, 3, 4, 5]))
    elif kind < 0.55:
        print("mousedown 1"); print("mousemove", random.randrange(1400), random.randrange(900)); print("mouseup 1")
    elif kind < 0.8: print("key", random.choice(keys))
    else: print("type --delay 2", random.choice(["A", "show", "(4,8):(8,1)", "1", "prove", "x", "as"]))
PY
xdotool - <"$work/monkey.txt" || true
kill -0 $app || { echo "FAILED: the monkey (seed 20261122) ended the app"; cat "$work/app.log"; exit 1; }
settled
xdotool mouseup 1; for _ in $(seq 8); do xdotool key Escape; done
xdotool key ctrl+1; settled
click $(place editor 0.6 0.5)
xdotool key ctrl+a; xdotool type --delay 15 'show (2,4):(4,1) as grid'
says 's["text"] == "show (2,4):(4,1) as grid" and any(o.get("figure") for o in s["outcomes"])'
not_blank 'the monkey'
echo "ok: after the monkey it still shows its sheet"
