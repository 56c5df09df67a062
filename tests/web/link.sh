#!/usr/bin/env bash
# link.sh: link_test.js under node.
command -v node >/dev/null || { echo "SKIPPED: node is not installed (tools/packages web)"; exit 77; }
exec node "$(dirname "$0")/link_test.js"
