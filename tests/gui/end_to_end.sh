#!/usr/bin/env bash
# end_to_end.sh TESSERA: the real window under Xvfb, driven with xdotool: type a layout, wait for its picture, hover, pin, undo,
# and compare what the session says (TESSERA_STATE_DUMP) and what the screenshot shows.
set -euo pipefail
tessera=$1
for tool in Xvfb xdotool; do
  command -v $tool >/dev/null || { echo "SKIPPED: $tool is not installed"; exit 77; }
done
work=$(mktemp -d)
display=
for n in $(seq 90 120); do
  if [ ! -e /tmp/.X11-unix/X$n ]; then display=:$n; break; fi
done
Xvfb "$display" -screen 0 1400x900x24 -nolisten tcp >"$work/xvfb.log" 2>&1 &
xvfb=$!
app=
trap 'kill $app $xvfb 2>/dev/null || true; rm -rf "$work"' EXIT
export DISPLAY=$display TESSERA_STATE=$work/state.json TESSERA_STATE_DUMP=$work/dump.json HOME=$work
for _ in $(seq 50); do xdotool getdisplaygeometry >/dev/null 2>&1 && break; sleep 0.1; done
printf '// typed by a test\n' >"$work/sheet.tess"
"$tessera" "$work/sheet.tess" >"$work/app.log" 2>&1 &
app=$!

# says EXPRESSION: a Python expression over s (the session) and p (the places), true within 20 s.
says() {
  for _ in $(seq 100); do
    if python3 - "$work/dump.json" "$1" <<'PY' 2>/dev/null
import json, sys
d = json.load(open(sys.argv[1]))
s, p = d["session"], d["places"]
sys.exit(0 if eval(sys.argv[2]) else 1)
PY
    then echo "ok: $1"; return 0; fi
    sleep 0.2
  done
  echo "FAILED: $1"; cat "$work/app.log"; cat "$work/dump.json" | head -c 3000; exit 1
}
place() { python3 -c "
import json; x, y, w, h = json.load(open('$work/dump.json'))['places']['$1']; print(int(x + w * $2), int(y + h * $3))"; }
click() { xdotool mousemove $1 $2; sleep 0.2; xdotool mousedown 1; sleep 0.15; xdotool mouseup 1; sleep 0.2; }

says '"editor" in p'
window=$(xdotool search --name Tessera | head -n 1)
xdotool windowfocus "$window" || true
click $(place editor 0.6 0.6)
xdotool key ctrl+End
xdotool type --delay 30 'A = (4,8):(8,1)'
xdotool key Return
xdotool type --delay 30 'show A as grid'
xdotool key Return
xdotool type --delay 30 'prove injective(A)'
says 'any(o.get("figure") for o in s["outcomes"])'
says 'any(o.get("verdict") == "proved" for o in s["outcomes"])'
xdotool mousemove $(place figure.1.picture 0.5 0.5)
says 's["hover"] is not None and s["hover"]["index"] >= 0'
click $(place figure.1.picture 0.5 0.5)
says 's["pinned"] is not None'
xdotool mousemove 5 880
says 's["hover"] is None and s["pinned"] is not None'
xdotool key Escape
says 's["pinned"] is None'
if command -v import >/dev/null; then
  import -window root "$work/shot.png" && test "$(stat -c %s "$work/shot.png")" -gt 20000 && echo "ok: the screenshot is not blank"
fi
xdotool key ctrl+s
says 's["modified"] is False'
grep -q 'show A as grid' "$work/sheet.tess" && echo "ok: saved"
click $(place editor 0.6 0.6)
xdotool key ctrl+z
says 's["modified"] is True'
xdotool key ctrl+y
says 's["modified"] is False'
click $(place editor 0.6 0.6)
xdotool key ctrl+q
# ended: waits for the app to end and leaves its exit code in $code.
ended() {
  for _ in $(seq 50); do
    kill -0 $app 2>/dev/null || { code=0; wait $app || code=$?; return 0; }
    sleep 0.2
  done
  echo "FAILED: the app did not end"; exit 1
}
ended
[ "$code" = 0 ] || { echo "FAILED: quitting is exit $code"; exit 1; }
echo "ok: quit"

# SIGTERM closes the window as quitting does: the session is stored. Only the code tells.
rm -rf "$TESSERA_STATE" "$work/state.sheets" "$work/dump.json"
"$tessera" "$work/sheet.tess" >>"$work/app.log" 2>&1 &
app=$!
says '"editor" in p'
kill -TERM $app
ended
[ "$code" = 143 ] || { echo "FAILED: SIGTERM is exit $code"; exit 1; }
grep -rq 'show A as grid' "$work/state.sheets" && echo "ok: ended by SIGTERM, session kept"
