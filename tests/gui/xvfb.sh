# xvfb.sh: starts the real window under Xvfb, for scripts that source it. It defines $work (a folder that is removed
# with the script), open_app BINARY FILE, says EXPRESSION, settled, place NAME X Y, click X Y, ended CODE, colours. The
# state of the app is read from $dump.
for tool in Xvfb xdotool python3; do
  command -v $tool >/dev/null || { echo "SKIPPED: $tool is not installed"; exit 77; }
done
work=$(mktemp -d)
dump=$work/dump.json
# Chooses a free display and reports it, so two scripts never use the same one.
Xvfb -displayfd 1 -screen 0 "${TESSERA_SCREEN:-1400x900}x24" -nolisten tcp >"$work/display" 2>"$work/xvfb.log" &
xvfb=$!
app=
trap 'kill $app 2>/dev/null && wait $app 2>/dev/null || true; kill $xvfb 2>/dev/null || true; rm -rf "$work"' EXIT
for _ in $(seq 600); do [ -s "$work/display" ] && break; kill -0 $xvfb 2>/dev/null || break; sleep 0.1; done
[ -s "$work/display" ] || { echo "FAILED: Xvfb says no display"; cat "$work/xvfb.log"; exit 1; }
display=:$(cat "$work/display")
export DISPLAY=$display TESSERA_STATE=$work/state.json TESSERA_STATE_DUMP=$dump HOME=$work
export TESSERA_SECONDS_TO_END=100
for _ in $(seq 600); do xdotool getdisplaygeometry >/dev/null 2>&1 && break; sleep 0.1; done

# says EXPRESSION: a Python expression over s (the session) and p (the places) is true within 40 s, a hundred times the
# usual time.
says() {
  for _ in $(seq 200); do
    if python3 - "$dump" "$1" <<'PY' 2>/dev/null
import json, sys
d = json.load(open(sys.argv[1]))
s, p = d["session"], d["places"]
sys.exit(0 if eval(sys.argv[2]) else 1)
PY
    then echo "ok: $1"; return 0; fi
    sleep 0.2
  done
  echo "FAILED: $1"; cat "$work/app.log"; head -c 3000 "$dump"; exit 1
}
# settled: everything that was sent to the app has arrived; its state is the same for 2 s (a slow machine: at most 200 s).
settled() {
  local last= now same=0
  for _ in $(seq 400); do
    now=$(cksum <"$dump"); [ "$now" = "$last" ] && same=$((same + 1)) || same=0
    [ $same -ge 4 ] && return 0
    last=$now; sleep 0.5
  done
  echo "FAILED: the app does not settle"; exit 1
}
# place NAME X Y: a point of the place, in parts of its width and height, as soon as the place is drawn.
place() {
  (says "'$1' in p") >"$work/place.log" || { cat "$work/place.log" >&2; return 1; }
  python3 -c "
import json; x, y, w, h = json.load(open('$dump'))['places']['$1']; print(int(x + w * $2), int(y + h * $3))"
}
click() { xdotool mousemove $1 $2; sleep 0.2; xdotool mousedown 1; sleep 0.15; xdotool mouseup 1; sleep 0.2; }

# open_app BINARY FILE [PLACE]: starts it in the current folder and gives it the keyboard, once the place (default: the
# editor) is there. FILE may be empty: the start page.
open_app() {
  rm -f "$dump"
  "$1" ${2:+"$2"} >>"$work/app.log" 2>&1 &
  app=$!
  says "'${3:-editor}' in p"
  window=$(xdotool search --name Tessera | head -n 1)
  xdotool windowfocus "$window" || true
}

# ended CODE: the app exits by itself within 20 s, with that code. It takes a fraction of a second; the rest is for a
# slow machine.
ended() {
  for _ in $(seq 100); do
    if ! kill -0 $app 2>/dev/null; then
      code=0; wait $app || code=$?
      [ "$code" = "$1" ] || { echo "FAILED: exit $code, expected $1"; exit 1; }
      echo "ok: ended with $1"; return 0
    fi
    sleep 0.2
  done
  echo "FAILED: the app did not end"; exit 1
}

# The number of colours in the window; empty if ImageMagick is not installed.
colours() {
  command -v import >/dev/null && import -window "$window" "$work/shot.png" && identify -format '%k' "$work/shot.png"
}
