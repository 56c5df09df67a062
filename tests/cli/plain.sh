#!/usr/bin/env bash
# plain.sh TESSERA ROOT: the command line without ImGui, GLFW, Cairo and Z3 needs none of them, answers, proves what needs no
# Z3, says what it lacks, and configures on its own.
set -euo pipefail
tessera=$1 root=$2
fail() { echo "plain: $*" >&2; exit 1; }

if ldd "$tessera" | grep -E 'libz3|libcairo|libglfw|libimgui'; then fail "it is linked to a library that it must not need"; fi
out=$("$tessera" eval 'composition((6,2):(8,2), (4,3):(3,1))')
[ "$out" = '((2,2),3):((24,2),8)' ] || fail "eval printed $out"
"$tessera" eval 'prove injective((4,8):(8,1))' | grep -q '^proved' || fail "a strided layout is not proved"
if out=$("$tessera" eval 'prove injective((4,8):(8,1)) by z3'); then fail "Z3 answered where there is none: $out"; fi
grep -q 'this build has no Z3' <<<"$out" || fail "it does not say that it was built without Z3: $out"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cmake -S "$root" -B "$scratch" -DTESSERA_GUI=OFF -DTESSERA_Z3=OFF -DTESSERA_CAIRO=OFF -DTESSERA_TESTS=OFF -DTESSERA_BENCH=OFF \
  >"$scratch/log" 2>&1 || { cat "$scratch/log"; fail "it does not configure"; }
