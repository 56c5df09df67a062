#!/bin/sh
# Writes the listings of this folder again: make.sh (needs nvcc 13.0, nvdisasm, tessera on PATH).
# Blanks in front of comments are reduced; nothing else is changed but the folder of the source.
set -e
cd "$(dirname "$0")"
folder=$(mktemp -d)
trim() { sed -e "s|File \"[^\"]*/|File \"|" -e 's|  *// *|// |;s|  */\* 0x|  /* 0x|' -e '/^ *\/\*[0-9a-f]*\*\//s|// .*||' \
  -e 's| *$||'; }
for name in dot spill; do
  for arch in sm_80 sm_90a; do
    nvcc -arch=$arch -lineinfo -cubin -o "$folder/k.cubin" $name.cu
    nvdisasm -c -hex -g "$folder/k.cubin" | trim >$name.$arch.sass
    [ $name.$arch != dot.sm_80 ] || cp "$folder/k.cubin" dot.sm_80.cubin
  done
done
for program in gemm_pipelined:sm_80 hopper/gemm_wgmma_pipelined:sm_90a; do
  arch=${program#*:}
  path=${program%:*}
  name=$(basename "$path")
  tessera codegen "../../../assets/graphene/$path.graphene" --arch $arch -o "$folder/k.cu"
  nvcc -std=c++17 -arch=$arch -cubin -o "$folder/k.cubin" "$folder/k.cu"
  nvdisasm -c -hex -plr -lrm narrow "$folder/k.cubin" | trim >"$name.$arch.sass"
done
rm -r "$folder"
