#!/usr/bin/env bash
# crash.sh TESSERA: types into the real window under Xvfb and ends it by kill -9, SIGTERM, SIGHUP and Ctrl+Q while it
# proves hard claims. Each next start has the typed text, and two windows keep their texts apart.
set -euo pipefail
tessera=$1
. "$(dirname "$0")/xvfb.sh"
start() {
  rm -f "$dump"
  TESSERA_STATE_DUMP=$dump "$tessera" "$@" >>"$work/app.log" 2>&1 &
  app=$!
  says '"tab.worksheet" in p'
}
typed() {
  xdotool windowfocus "$(xdotool search --name Tessera | tail -n 1)" || true
  says '"editor" in p'
  xdotool mousemove $(place editor 0.6 0.8) click 1
  xdotool key ctrl+End
  xdotool type --delay 15 "$1"
  xdotool key Return
}

# kept TEXT: the journals have its keys, one record each. A killed process loses only keys that are not in them yet.
kept() {
  for _ in $(seq 400); do
    if cat "$work"/state.sheets/*.journal 2>/dev/null | python3 -c "
import re, sys
keys = re.findall(rb'r \d+ \d+ \d \d+ 1:(.) ', sys.stdin.buffer.read(), re.DOTALL)
sys.exit(sys.argv[1].encode() not in b''.join(keys))" "$1"
    then echo "ok: '$1' is kept"; return 0; fi
    sleep 0.1
  done
  echo "FAILED: '$1' is not kept"; exit 1
}

printf 'A = (4,8):(8,1)\n' >"$work/sheet.tess"
start "$work/sheet.tess"
typed '// first'
says '"// first" in s["text"]'
kept '// first'
kill -9 $app; wait $app 2>/dev/null || true
start "$work/sheet.tess"
says '"// first" in s["text"] and s["modified"]'
says '"restored 1 unsaved line of sheet.tess" in s["message"]'
says 's["can_undo"]'
xdotool windowfocus "$(xdotool search --name Tessera | tail -n 1)" || true
xdotool type z  # a restored caret is no selection
says '"z" in s["text"] and "// first" in s["text"]'

# Hard claims do not prevent quitting, and every regular exit keeps the last key.
typed 'prove in_bounds((1024,1024,1024):(1,1024,1048576)) by exhaustive'
typed 'prove injective((64,63,65,61):(1,64,4032,262080)) by z3'
typed 'prove injective((61,63,65,67):(61,1,4032,262081)) by z3'
typed 'find swizzle for (256,256):(256,1) where conflict_free(ldmatrix.x4, fp16) and conflict_free(st.shared.v4, fp16) and conflict_free(ld.shared, f32)'
for signal in TERM HUP; do
  typed "// by SIG$signal"
  says "'// by SIG$signal' in s['text']"
  kill -$signal $app
  if [ $signal = TERM ]; then ended 143; else ended 129; fi
  start
  says "s['text'].endswith('// by SIG$signal\\n')"
done
xdotool windowfocus "$(xdotool search --name Tessera | tail -n 1)" || true
xdotool mousemove $(place editor 0.6 0.8) click 1
xdotool key ctrl+q
ended 0
start
says 's["text"].endswith("// by SIGHUP\n")'
first=$app

# A second window beside it has its own sheet.
dump=$work/other.json
start
says '"by SIGHUP" not in s["text"]'
kill -9 $app $first; wait $app $first 2>/dev/null || true
start
says '"by SIGHUP" in s["text"]'
kill -9 $app; wait $app 2>/dev/null || true

# Saving detects that another program has changed the file.
start "$work/sheet.tess"
printf 'B = 2:1\n' >"$work/sheet.tess"
xdotool windowfocus "$(xdotool search --name Tessera | tail -n 1)" || true
xdotool mousemove $(place editor 0.6 0.8) click 1
xdotool key ctrl+s
says '"disk.compare" in p'
xdotool key Escape
says '"disk.compare" not in p'
grep -q 'B = 2:1' "$work/sheet.tess" && echo "ok: nothing was written"
kill -TERM $app
ended 143
