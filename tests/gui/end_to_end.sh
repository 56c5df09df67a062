#!/usr/bin/env bash
# end_to_end.sh TESSERA: drives the real window under Xvfb with xdotool. It types a layout, waits for its picture,
# hovers, pins and undoes, and compares the session (TESSERA_STATE_DUMP) with the screenshot.
set -euo pipefail
tessera=$1
. "$(dirname "$0")/xvfb.sh"
printf '// typed by a test\n' >"$work/sheet.tess"
open_app "$tessera" "$work/sheet.tess"
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
for _ in $(seq 100); do grep -q 'show A as grid' "$work/sheet.tess" && break; sleep 0.1; done  # a page saves by download
grep -q 'show A as grid' "$work/sheet.tess" && echo "ok: saved"
click $(place editor 0.6 0.6)
xdotool key ctrl+z
says 's["modified"] is True'
xdotool key ctrl+y
says 's["modified"] is False'
click $(place editor 0.6 0.6)
xdotool key ctrl+q
ended 0

# The rest is for processes: tests/web has the page's own storage.
[ -z "${TESSERA_PAGE:-}" ] || { echo "skipped: SIGTERM, which a page does not get"; exit 0; }

# SIGTERM closes the window like quitting does: the session is stored. Only the exit code differs.
rm -rf "$TESSERA_STATE" "$work/state.sheets"
open_app "$tessera" "$work/sheet.tess"
kill -TERM $app
ended 143
grep -rq 'show A as grid' "$work/state.sheets" && echo "ok: ended by SIGTERM, session kept"
