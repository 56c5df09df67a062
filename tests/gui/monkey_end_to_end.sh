#!/usr/bin/env bash
# monkey_end_to_end.sh TESSERA [EVENTS] [SEED]: a monkey in the real window under Xvfb: 10,000 keys, clicks, drags,
# wheel turns and window sizes from a printed seed. The window survives, no sanitizer complains, the window is not
# blank, and it still shows its sheet and the sheet's pictures. TESSERA should be a build with sanitizers (as in ./test
# full).
set -euo pipefail
tessera=$1 events=${2:-10000} seed=${3:-20261122}
. "$(dirname "$0")/xvfb.sh"
# The tests without a display look for leaks: the OpenGL driver has its own, in modules that are unloaded at the end.
export ASAN_OPTIONS=detect_leaks=0:exitcode=99 UBSAN_OPTIONS=print_stacktrace=1
echo "seed $seed, $events events"
# Deep enough that a dialog confirmed by chance cannot leave it.
mkdir -p "$work/1/2/3/4/5/6/7/8/9/10/11/12" && cd "$work/1/2/3/4/5/6/7/8/9/10/11/12"
cat >first.tess <<'SHEET'
// # A sheet with every kind of picture
A = (4,8):(8,1)
S = Sw<2,3,3> o (16,32):(32,1)
show A as grid
show S as memory
show S as banks fp16 ldmatrix.x4
show S as flow
prove injective(A)
prove injective((4,8):(4,1))
SHEET
cat >second.tess <<'SHEET'
P = bf16[2,3,6,20]{3,2,1,0:T(8,128)(2,1)}
show P as tensor
show P as tiles
show P as address
show atlas(mma.m16n8k16.f16) as instruction
SHEET
cat >third.tess <<'SHEET'
show Sw<3,3,3> as f2
show ((4,8),(2,2)):((32,1),(16,8)) as threads
find swizzle for (16,32):(32,1) where conflict_free(ldmatrix.x4, fp16)
1 + oops(
SHEET
open_app "$tessera" first.tess
says 'any(o.get("figure") for o in s["outcomes"])'

failed() {
  echo "FAILED: $1 (seed $seed, $events events)"
  cp "$work/app.log" "${TMPDIR:-/tmp}/monkey-app.log" 2>/dev/null || true
  head -c 12000 "$work/app.log"
  exit 1
}
# Messages of a sanitizer or an assertion on the app's standard error. Those of the display and the driver do not
# matter.
complaints() { grep -E 'Sanitizer|runtime error|terminate called|[Aa]ssert' "$work/app.log" || true; }

# turn K N: N events, the K-th hundred.
turn() {
  python3 - "$seed" "$1" "$2" "$window" "$dump" <<'PY'
import json, random, sys
seed, turn, events, window, dump = int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4], sys.argv[5]
r = random.Random(seed * 100003 + turn)
keys = ("Escape Return Tab BackSpace Delete Left Right Up Down Home End Prior Next F1 F3 shift+F3 ctrl+k ctrl+o ctrl+s "
        "ctrl+shift+s ctrl+e ctrl+f ctrl+g ctrl+n ctrl+z ctrl+y ctrl+a ctrl+c ctrl+v ctrl+x ctrl+t ctrl+0 ctrl+1 ctrl+2 "
        "ctrl+3 ctrl+equal ctrl+minus ctrl+Return ctrl+space ctrl+period shift+Left shift+Down shift+End n p space").split()
texts = ["A", "show", "(4,8):(8,1)", "1", "prove", "x", "as", "[", "\"", "0x", "compare"]
size = [1400, 900]
try: places = [p for p in json.load(open(dump))["places"].values() if p[2] > 0 and p[3] > 0]
except Exception: places = []
def anywhere():
    if places and r.random() < 0.5:
        x, y, w, h = r.choice(places)
        return f"{max(0, int(x + w * r.random()))} {max(0, int(y + h * r.random()))}"
    return f"{r.randrange(size[0])} {r.randrange(size[1])}"
for _ in range(events):
    kind = r.random()
    if kind < 0.22: print("mousemove", anywhere())
    elif kind < 0.42: print("mousemove", anywhere(), "click", r.choice([1, 1, 1, 1, 3]))
    elif kind < 0.50: print("click --repeat", r.randrange(1, 4), "--delay 1", r.choice([4, 5, 6, 7]))
    elif kind < 0.54: print("keydown ctrl click --repeat 3 --delay 1", r.choice([4, 5]), "keyup ctrl")
    elif kind < 0.60: print("mousemove", anywhere(), "mousedown 1 mousemove", anywhere(), "mousemove", anywhere(), "mouseup 1")
    elif kind < 0.61: print("windowsize", window, r.randrange(60, 1400), r.randrange(40, 900))
    elif kind < 0.62: print("key Escape Escape ctrl+k\ntype --delay 1 'compare with'\nkey Return Return")
    elif kind < 0.82: print("key --delay 1", r.choice(keys))
    else: print("type --delay 1", r.choice(texts))
PY
}

done_=0
while [ "$done_" -lt "$events" ]; do
  n=$((events - done_)); [ "$n" -gt 100 ] && n=100
  turn $((done_ / 100)) "$n" >"$work/monkey.txt"
  # One process for all of them: a line that xdotool rejects (the window is gone) ends this turn.
  xdotool - <"$work/monkey.txt" >/dev/null 2>"$work/xdotool.log" || true
  done_=$((done_ + n))
  if ! kill -0 $app 2>/dev/null; then
    code=0; wait $app || code=$?
    # Ctrl+Q is not among the keys. A click on Quit exits with 0, as it should.
    [ "$code" = 0 ] || failed "the app ended with $code after $done_ events"
    [ -z "$(complaints)" ] || failed "the app complained within $done_ events"
    cd "$work/1/2/3/4/5/6/7/8/9/10/11/12"
    open_app "$tessera" first.tess >/dev/null
  fi
  if [ $((done_ % 500)) = 0 ]; then
    # From time to time the sheet is restored, so that there is something to play with, and the window must respond.
    xdotool windowsize "$window" 1400 900 mouseup 1 mouseup 3; for _ in $(seq 10); do xdotool key --delay 1 Escape; done
    xdotool key ctrl+1 ctrl+a
    case $((done_ / 500 % 3)) in 0) file=first.tess ;; 1) file=second.tess ;; *) file=third.tess ;; esac
    xdotool type --delay 1 "$(grep -v '^//' $file | head -n 3)"
    [ -z "$(complaints)" ] || failed "the app complained within $done_ events"
    [ $((done_ % 2500)) = 0 ] && echo "ok: $done_ events"
  fi
done

kill -0 $app || failed "the app is gone"
xdotool windowsize "$window" 1400 900 mouseup 1 mouseup 3; sleep 0.5
for _ in $(seq 12); do xdotool key Escape; done
xdotool key ctrl+1; sleep 0.5
says '"editor" in p' >/dev/null
click $(place editor 0.6 0.5)
xdotool key ctrl+a; xdotool type --delay 15 'show (2,4):(4,1) as grid'
says 's["text"] == "show (2,4):(4,1) as grid" and any(o.get("figure") for o in s["outcomes"])'
says 'any(k.endswith(".picture") and v[2] > 100 and v[3] > 50 for k, v in p.items())'
n=$(colours) && { [ "$n" -gt 300 ] || failed "the window is blank ($n colours)"; }
[ -z "$(complaints)" ] || failed "the app complained"
xdotool key ctrl+q
for _ in $(seq 100); do kill -0 $app 2>/dev/null || break; sleep 0.2; done
kill -0 $app 2>/dev/null && failed "the app does not end"
code=0; wait $app || code=$?
[ "$code" = 0 ] || failed "the app ended with $code"
[ -z "$(complaints)" ] || failed "the app complained at its end"
echo "ok: after $events events it still shows its sheet"
