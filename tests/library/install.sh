#!/usr/bin/env bash
# install.sh STEP SOURCE BUILD SCRATCH CMAKE CXX: the library as somebody else gets it.
#     install    into SCRATCH/prefix; nothing there names the source or the build folder
#     package    examples/ by find_package(tessera): built, run, and their output compared with examples.txt
#     pkgconfig  the same by pkg-config
set -euo pipefail
step=$1 source=$2 build=$3 scratch=$4 cmake=$5 cxx=$6
prefix=$scratch/prefix
version=$(sed -n 's/^project(tessera VERSION \([0-9.]*\).*/\1/p' "$source/CMakeLists.txt")
examples="prove_swizzle loop_conflicts paper_figure translate check_kernel"

# Their output in one text, against what it should be; times and counters are not in it.
run_all() {
  (cd "$1" && for e in $examples; do echo "== $e"; "./$e"; done) >"$scratch/output.txt"
  diff -u "$source/tests/library/examples.txt" "$scratch/output.txt"
  grep -q "<svg" "$1/swizzle.svg"
}

case $step in
  install)
    rm -rf "$scratch"
    mkdir -p "$scratch"
    "$cmake" --install "$build" --prefix "$prefix" --component tessera_development >"$scratch/log"
    ls "$prefix"/include/tessera/tessera.h "$prefix"/lib*/cmake/tessera/tesseraConfig.cmake >/dev/null
    ! grep -rIl -e "$source" -e "$build" "$prefix" || { echo "these name the source folder"; exit 1; }
    ;;
  package)
    "$cmake" -S "$source/examples" -B "$scratch/package" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_CXX_COMPILER="$cxx" >"$scratch/log"
    "$cmake" --build "$scratch/package" -j 2 >>"$scratch/log" || { cat "$scratch/log"; exit 1; }
    ! grep -rhE -- "-W(all|extra|error|shadow)|-std=(c|gnu)\+\+(20|2a)" "$scratch"/package/CMakeFiles/*/flags.make || exit 1
    run_all "$scratch/package"
    # Layouts alone link neither solver nor Cairo, and do not look for them.
    mkdir -p "$scratch/layout"
    printf '%s\n' 'cmake_minimum_required(VERSION 3.20)' 'project(alone LANGUAGES CXX)' "find_package(tessera $version REQUIRED COMPONENTS layout)" \
      'if(TARGET PkgConfig::Z3 OR NOT TARGET tessera::layout)' 'message(FATAL_ERROR "not layouts alone")' 'endif()' >"$scratch/layout/CMakeLists.txt"
    "$cmake" -S "$scratch/layout" -B "$scratch/layout/build" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_CXX_COMPILER="$cxx" >>"$scratch/log"
    ! ldd "$scratch/package/translate" | grep -E "libz3|libcairo" || exit 1
    ! nm -C "$scratch/package/translate" | grep -E "tessera::(hlo::read|graphene::readListing|codegen::)" || exit 1
    ! grep -E "tessera_(hlo|graphene|codegen)" "$scratch"/package/CMakeFiles/translate.dir/link.txt || exit 1
    ;;
  pkgconfig)
    command -v pkg-config >/dev/null || exit 77
    PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name tessera.pc)")
    export PKG_CONFIG_PATH
    [ "$(pkg-config --modversion tessera)" = "$version" ]
    mkdir -p "$scratch/pkgconfig"
    for e in $examples; do
      module=tessera
      [ "$e" != translate ] || module=tessera-layout
      # shellcheck disable=SC2046
      "$cxx" -std=c++17 -o "$scratch/pkgconfig/$e" "$source/examples/$e.cpp" $(pkg-config --cflags --libs $module)
    done
    run_all "$scratch/pkgconfig"
    ;;
esac
