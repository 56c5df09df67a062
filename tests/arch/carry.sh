#!/usr/bin/env bash
# carry.sh SOURCE CMAKE: a build with the headers that tools/carry has copied uses none of this machine's libraries.
set -euo pipefail
source=$1 cmake=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$source/tools/carry" "$work/carried"
"$cmake" -G "Unix Makefiles" -S "$source" -B "$work/build" -DTESSERA_CARRIED="$work/carried" -DTESSERA_TESTS=OFF -DTESSERA_BENCH=OFF -DTESSERA_GUI=OFF \
  -DTESSERA_Z3=OFF -DTESSERA_CAIRO=OFF -DCMAKE_BUILD_TYPE=Debug >"$work/log" || { cat "$work/log"; exit 1; }
grep -rq "isystem $work/carried/include" "$work/build/CMakeFiles/tessera_notation.dir/flags.make"
grep -q FMT_HEADER_ONLY "$work/build/CMakeFiles/tessera_cli.dir/flags.make"
! grep -q libfmt "$work/build/CMakeFiles/tessera.dir/link.txt"
! "$cmake" -S "$source" -B "$work/none" -DTESSERA_CARRIED="$work" >"$work/log" 2>&1
grep -q "is no folder of tools/carry" "$work/log"
