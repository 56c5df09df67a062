#!/bin/bash
# The first script of a session with a GPU: measures the products of the paper's evaluation and 8192^3, and cuBLASLt.
#
#     tests/bench/measure_gemms.sh build/release/tessera            runs, writes tests/bench/results/DEVICE_DATE.jsonl
#     tests/bench/measure_gemms.sh build/release/tessera --dry      prints the commands and stops
#
# If fmt, CLI11 and nlohmann-json are missing, tools/carry explains how to build it.
#
# A line of the results is the output of `tessera measure --json`: device, driver, date, sizes, medians and quartiles, how
# it was timed ("us": lateRuns should be 0, inputs cold), whether the result is right, registers, spills. A failed run is a line with the reason. Without a device nothing is
# written: every command is printed, and the first one runs at a small size, to check that it is at least right.
set -u
tessera=${1:?usage: measure_gemms.sh TESSERA [--dry]}
dry=${2:-}
cd "$(dirname "$0")/../.." || exit 2
case $tessera in /*) ;; *) tessera=$PWD/$tessera ;; esac
gemm=assets/graphene/gemm.graphene
partial=assets/graphene/gemm_partial.graphene
tma=assets/graphene/hopper/gemm_wgmma_tma.graphene # sm_90a only: elsewhere its line says so

# name | file | settings | sizes. Rows of tiles are BM*group*M, columns BN*N, k is BK*K.
rows=(
  "5120x5120x2048 128x128x32|$gemm|group=8|M=5 N=40 K=64"
  "5120x5120x2048 128x256x32|$gemm|group=8 BN=256|M=5 N=20 K=64"
  "5376x5376x2048 128x128x32|$gemm|group=6|M=7 N=42 K=64"
  "5376x5376x2048 128x256x32|$gemm|group=6 BN=256|M=7 N=21 K=64"
  "8192x8192x8192 128x128x32|$gemm|group=8|M=8 N=64 K=256"
  "8192x8192x8192 128x128x64|$gemm|group=8 BK=64|M=8 N=64 K=128"
  "8192x8192x8192 128x256x32|$gemm|group=8 BN=256|M=8 N=32 K=256"
  "8192x8192x8192 256x128x32|$gemm|group=4 BM=256|M=8 N=64 K=256"
  "8192x8192x8192 128x256x32 row row|$gemm|group=8 BN=256 right=row|M=8 N=32 K=256"
  "8192x8192x8192 128x256x32 column row|$gemm|group=8 BN=256 left=column right=row|M=8 N=32 K=256"
  "8192x8192x8192 128x256x32 column column|$gemm|group=8 BN=256 left=column|M=8 N=32 K=256"
  "8192x8192x8192 128x256x32 halves|$gemm|group=8 BN=256 epilogue=id|M=8 N=32 K=256"
  "5376x5376x2048 relu|$gemm|group=6 right=row epilogue=relu|M=7 N=42 K=64"
  "5376x5376x2048 bias|$gemm|group=6 right=row epilogue=bias|M=7 N=42 K=64"
  "5376x5376x2048 bias relu|$gemm|group=6 right=row epilogue=bias_relu|M=7 N=42 K=64"
  "1024x1024x1024 64x64x64|$gemm|group=4 BM=64 BN=64 WM=32 WN=32 BK=64|M=4 N=16 K=16"
  "8192x8192x8192 128x256x64 wgmma, TMA|$tma|rows=64 columns=32 depth=128 group=8|"
  "4096x4096x4096 128x256x64 wgmma, TMA|$tma|rows=32 columns=16 depth=64 group=8|"
  "5120x5120x2048 128x256x64 wgmma, TMA|$tma|rows=40 columns=20 depth=32 group=8|"
  "1024x1024x1024 64x64x64 two warps|$gemm|group=4 BM=64 BN=64 WM=32 WN=64 BK=64|M=4 N=16 K=16"
  "5000x5000x2000 partial|$partial||M=5000 N=625 K=250"
  "5000x5000x2000 partial, B row|$partial|right=row|M=5000 N=625 K=250"
)

words() { # "--set a=b --size c=d"
  local out="" word
  for word in $1; do out+=" --set $word"; done
  for word in $2; do out+=" --size $word"; done
  echo "$out"
}

# The same kernel and cuBLASLt: a sheet with the program and a run statement.
sheet() { # file settings sizes
  local with="" word
  for word in $2 $3; do with+="${with:+, }$word"; done
  printf 'graphene product {\n'
  cat "$1"
  printf '}\nrun product with %s compare cublas\n' "$with"
}

found=$("$tessera" measure $gemm $(words "group=1" "M=1 N=1 K=2") --runs 1 --json 2>/dev/null)
if [ "$dry" = --dry ] || ! grep -q '"device":{' <<<"$found"; then
  echo "would run, on a machine with a GPU (this one: ${dry:-no device was found}):"
  for row in "${rows[@]}"; do
    IFS='|' read -r name file settings sizes <<<"$row"
    echo "  # $name"
    echo "  tessera measure $file$(words "$settings" "$sizes") --runs 50 --json"
  done
  [ "$dry" = --dry ] || "$tessera" measure $gemm $(words "group=1" "M=1 N=1 K=2")
  exit 0
fi

device=$(sed -n 's/.*"device":{[^}]*"name":"\([^"]*\)".*/\1/p' <<<"$found" | tr -c 'A-Za-z0-9\n' _)
out=tests/bench/results/${device:-device}_$(date -u +%Y-%m-%dT%H%M%SZ).jsonl
mkdir -p tests/bench/results
temporary=$(mktemp -d) || exit 2
trap 'rm -rf "$temporary"' EXIT
failed=0
for row in "${rows[@]}"; do
  IFS='|' read -r name file settings sizes <<<"$row"
  echo "$name"
  printf '{"case":"%s"}\n' "$name" >>"$out"
  "$tessera" measure "$file" $(words "$settings" "$sizes") --runs 50 --json >>"$out" || failed=1
  sheet "$file" "$settings" "$sizes" >"$temporary/sheet.tess"
  "$tessera" check --json --budget 600 "$temporary/sheet.tess" >>"$out" || failed=1
done
echo "written: $out"
exit $failed
