#!/usr/bin/env bash
# present_end_to_end.sh TESSERA: the real window under Xvfb. A click makes a refuted claim true; its counterexample plays
# its two paths (button, keys, slider); the presentation leads a path through linked pictures and writes frames.
set -euo pipefail
tessera=$(realpath "$1")
. "$(dirname "$0")/xvfb.sh"
mkdir -p "$work/sheet" && cd "$work/sheet"
printf '// # A tile\n// Two lanes meet in a bank.\nS = (64,64):(64,1)\nshow S as grid\nshow S as memory\n' >sheet.tess
printf 'show S as banks fp16 ldmatrix.x4\nprove conflict_free(S, ldmatrix.x4, fp16)\n' >>sheet.tess
open_app "$tessera" sheet.tess
parts() { python3 -c "import json; print(json.load(open('$dump'))['parts']['presentation'])"; }
shot() { if [ -n "${TESSERA_SHOT:-}" ]; then sleep 0.3; import -window root "$TESSERA_SHOT-$1.png"; fi; }
# presents EXPRESSION: over t, the time, and the words of the part: open, slide, time, playing, frames written, claim.
presents() {
  for _ in $(seq 200); do
    python3 - "$(parts)" "$1" <<'PY' && { echo "ok: $1"; return 0; }
import sys
w = sys.argv[1].split(" ", 5)
o, slide, t, playing, written = w[0] == "true", int(w[1]), int(w[2]), w[3] == "true", int(w[4])
sys.exit(0 if eval(sys.argv[2]) else 1)
PY
    sleep 0.1
  done
  echo "FAILED: $1, but $(parts)"; exit 1
}
says 'any(o.get("verdict") for o in s["outcomes"])'

# The counterexample plays by itself, to its end.
says '"claim.4.play" in p'
click $(place claim.4.play 0.5 0.5)
presents 'o and playing'
shot playing
presents 'o and not playing and t == 9'
says 'all(f"present.picture.{k}" in p for k in range(3))'
shot played
xdotool key Left; presents 't == 8'
xdotool key Home; presents 't == 0'
xdotool key Right; presents 't == 1'
xdotool key Down; presents 't == 9'
xdotool key Up; presents 't == 4'
xdotool key comma; presents 't == 3'
click $(place present.time 0.5 0.5)
presents '3 < t < 7'
xdotool key space; presents 'playing'
xdotool key space; presents 'not playing'
xdotool key Escape; presents 'not o'

# One click makes it true, one undo takes it back.
click $(place claim.4.true.0 0.5 0.5)
says '"S = Sw<3,3,3> o 0 o (64,64):(64,1)\n" in s["text"]'
says '"claim.4.play" not in p'
xdotool key ctrl+z
says '"S = (64,64):(64,1)\n" in s["text"]'
says '"claim.4.play" in p'

# F11: the three pictures of S on one slide; F6 plays the claim at the caret only.
xdotool key F11; presents 'o and slide == 0'
says 'all(f"figure.{k}.picture" in p for k in (1, 2, 3))'
xdotool key Down; presents 't == 9'
shot slide
xdotool key period; presents 't == 10'
xdotool key Return; presents 'playing'
xdotool key Return; presents 'not playing'
click $(place present.frames 0.5 0.5)
presents 'written >= 20'
click $(place present.frames 0.5 0.5)
sleep 0.5
count=$(parts | cut -d' ' -f5)
[ "$count" -lt 320 ] || { echo "FAILED: $count frames"; exit 1; }
sleep 0.5
presents "written == $count"
# A page gives them as an archive, when all of them are drawn.
for _ in $(seq 600); do [ "$(ls frames-1 2>/dev/null | wc -l)" = "$count" ] && break; sleep 0.2; done
python3 - "$count" <<'PY'
import pathlib, struct, sys, zlib
frames = sorted(pathlib.Path("frames-1").iterdir())
names = [f"frame-{k + 1:04}.png" for k in range(int(sys.argv[1]))]
assert [f.name for f in frames] == names, frames
def pixels(data):  # width, height and rows of a PNG
    assert data[:8] == b"\x89PNG\r\n\x1a\n", data[:80]
    at, rows = 8, b""
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        rows += data[at + 8:at + 8 + size] if kind == b"IDAT" else b""
        at += 12 + size
    return data[16:24], zlib.decompress(rows)
seen = [pixels(f.read_bytes()) for f in frames]
assert len({size for size, _ in seen}) == 1, "the frames of a film have one size"
assert all(a != b for a, b in zip(seen, seen[1:])), "each frame shows another moment"
PY
echo "ok: $count frames are written until stopped, each another"
if [ -n "${TESSERA_SHOT:-}" ]; then cp frames-1/frame-0010.png "$TESSERA_SHOT-frame.png"; fi
xdotool key Escape; presents 'not o'
click $(place editor 0.6 0.9)
xdotool key ctrl+Home; xdotool key F6; sleep 0.4
presents 'not o'
xdotool key ctrl+End Up; xdotool key F6
presents 'o'
xdotool key Escape; presents 'not o'
xdotool key ctrl+q
