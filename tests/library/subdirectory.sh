#!/usr/bin/env bash
# subdirectory.sh STEP SOURCE SCRATCH CMAKE CXX: Tessera inside another project.
#     flags   the parent's variables are as before (parent/CMakeLists.txt), and its files are compiled as without Tessera
#     build   a program of the parent is linked and runs; by hand, for it compiles the archives once more
set -euo pipefail
step=$1 source=$2 scratch=$3 cmake=$4 cxx=$5
build=$scratch/build_$step
mkdir -p "$scratch"
"$cmake" -G "Unix Makefiles" -S "$source/tests/library/parent" -B "$build" -DTESSERA_SOURCE="$source" -DCMAKE_CXX_COMPILER="$cxx" \
  -DTESSERA_BATCHES=ON -DCMAKE_EXPORT_COMPILE_COMMANDS=ON >"$scratch/log" 2>&1 || { cat "$scratch/log"; exit 1; }
grep -q "^CMAKE_BUILD_TYPE:STRING=$" "$build/CMakeCache.txt"
case $step in
  flags)
    # The same command for a file of the parent, with Tessera and without; and it compiles.
    command_of() { sed -n "s/.*\"command\": \"\(.*CMakeFiles\/$1\.dir.*\)\",*$/\1/p" "$build/compile_commands.json"; }
    [ -n "$(command_of user)" ]
    diff <(command_of user | sed 's/user\.dir/X.dir/g; s/-isystem/-I/') <(command_of alone | sed 's/alone\.dir/X.dir/g')
    (cd "$build" && eval "$(command_of user | sed 's/ -o [^ ]*/ -o user.o/')")
    ;;
  build)
    "$cmake" --build "$build" --target translate -j 2 >>"$scratch/log" 2>&1 || { cat "$scratch/log"; exit 1; }
    "$build/translate" "(4,8):(8,1)" | grep -q "(4,8):(8,1)" || exit 1
    ;;
esac
