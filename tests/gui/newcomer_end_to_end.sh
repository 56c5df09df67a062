#!/usr/bin/env bash
# newcomer_end_to_end.sh TESSERA [WIDTHxHEIGHT [FOLDER]]: a newcomer in the real window under Xvfb, from the start page:
# refutes a claim about an own line of a kernel, has it corrected, exports the picture; then does lesson 1. Prints the
# steps (clicks, keys, typed characters) and the seconds that the machine needed, without a person's pace. FOLDER gets a
# screenshot of each moment.
set -euo pipefail
tessera=$(realpath "$1")
size=${2:-1280x800}
shots=${3:+$(realpath "$3")}
here=$(realpath "$(dirname "$0")")
export TESSERA_SCREEN=$size
. "$here/xvfb.sh"
cd "$work"
for part in swizzle lesson; do
  rm -rf "$TESSERA_STATE" "$work"/state.*
  open_app "$tessera" ""
  xdotool windowmove "$window" 0 0 windowsize "$window" "${size%x*}" "${size#*x}"
  sleep 0.5
  python3 "$here/newcomer.py" $part "$dump" "$work" "$size" "$shots" || { cat "$work/app.log"; exit 1; }
  xdotool key ctrl+q
  sleep 0.3
  kill $app 2>/dev/null || true
  wait $app 2>/dev/null || true
done
