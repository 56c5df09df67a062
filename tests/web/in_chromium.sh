#!/usr/bin/env bash
# in_chromium.sh PAGE SCRIPT: a script of tests/gui drives the web page in Chromium, as it drives the program.
set -euo pipefail
command -v chromium >/dev/null || { echo "SKIPPED: Chromium is not installed (tools/packages browser)"; exit 77; }
[ -f "$1/tessera.wasm" ] || { echo "SKIPPED: the page is not built (./web build)"; exit 77; }
here=$(cd "$(dirname "$0")" && pwd)
TESSERA_PAGE=$1 exec "$here/../gui/$2" "$here/in_chromium.py"
