#!/usr/bin/env bash
# paste_end_to_end.sh TESSERA: pastes text of other tools into the real window under Xvfb. Exit code 77: no xclip.
set -euo pipefail
command -v xclip >/dev/null || { echo "xclip is not installed"; exit 77; }
tessera=$1
. "$(dirname "$0")/xvfb.sh"
paste_text() { # at the end of the sheet, on a line of its own
  printf '%s' "$1" | xclip -selection clipboard -loops 0
  click $(place editor 0.6 0.6)
  xdotool key ctrl+End
  xdotool key Return
  xdotool key ctrl+v
}
printf '// pasted by a test\n' >"$work/sheet.tess"
open_app "$tessera" "$work/sheet.tess"

# CuTe C++ with a constant that the text does not define: it gets a default, and the layout a picture.
paste_text 'using Tile = decltype(composition(Swizzle<3, 3, 3>{}, Layout<Shape<Int<kRows>, _64>, Stride<_64, _1>>{}));'
says '"kRows = " in s["text"]'
says 'any(o.get("figure") for o in s["outcomes"])'
says 'not any(o.get("error") for o in s["outcomes"])'

# Index code with its own extents.
paste_text '__shared__ float tile[32][33];'
says 's["text"].count("show") >= 2'
says 'not any(o.get("error") for o in s["outcomes"])'

# Text of the worksheet stays as it is; undo gives back what was copied.
paste_text 'A = (4,8):(8,1)'
says '"A = (4,8):(8,1)" in s["text"]'
paste_text 'cute.make_layout((4, 8), stride=(8, 1))'
says '"cute.make_layout" not in s["text"].split("A = ")[1]'
xdotool key ctrl+z
says '"cute.make_layout((4, 8), stride=(8, 1))" in s["text"]'
[ -z "${TESSERA_SHOT:-}" ] || import -window root "$TESSERA_SHOT"
click $(place editor 0.6 0.6)
xdotool key ctrl+q
ended 0
