#!/usr/bin/env bash
# kernel_page_end_to_end.sh TESSERA [SHOTS]: opens a module in the real window under Xvfb, at two sizes: reads the table
# beside the data flow, selects rows by mouse and keys, opens a kernel's page, moves the tile's slider, keeps it as a
# line, and compares every number with the command line. SHOTS gets screenshots.
set -euo pipefail
tessera=$(realpath "$1")
shots=${2:+$(realpath "$2")}
here=$(realpath "$(dirname "$0")")
module=${TESSERA_MODULE:-$here/../cases/hlo/mlp.after.hlo}
. "$here/xvfb.sh"
cd "$work"
{ echo 'hlo m {'; cat "$module"; echo '}'; echo 'show m as dataflow'; } >sheet.tess
for size in 1400x900 900x600; do
  rm -rf "$TESSERA_STATE" "$work"/state.*
  open_app "$tessera" "$work/sheet.tess"
  xdotool windowmove "$window" 0 0 windowsize "$window" "${size%x*}" "${size#*x}"
  sleep 0.5
  python3 "$here/kernel_page.py" "$tessera" "$module" "$dump" "$size" "$shots" || { cat "$work/app.log"; exit 1; }
  xdotool key ctrl+q
  sleep 0.3
  kill $app 2>/dev/null || true
  wait $app 2>/dev/null || true
done
