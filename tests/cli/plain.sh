#!/usr/bin/env bash
# plain.sh TESSERA ROOT FULL: the command line without ImGui, GLFW, Cairo and Z3 needs none of them, answers, proves what
# needs no Z3, says what it lacks, writes the questions that the full program asks Z3, and configures on its own.
set -euo pipefail
tessera=$1 root=$2 full=$3
fail() { echo "plain: $*" >&2; exit 1; }

if ldd "$tessera" | grep -E 'libz3|libcairo|libglfw|libimgui'; then fail "it is linked to a library that it must not need"; fi
out=$("$tessera" eval 'composition((6,2):(8,2), (4,3):(3,1))')
[ "$out" = '((2,2),3):((24,2),8)' ] || fail "eval printed $out"
"$tessera" eval 'prove injective((4,8):(8,1))' | grep -q '^proved' || fail "a strided layout is not proved"
if out=$("$tessera" eval 'prove injective((4,8):(8,1)) by z3'); then fail "Z3 answered where there is none: $out"; fi
grep -q 'this build has no Z3' <<<"$out" || fail "it does not say that it was built without Z3: $out"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# Each question of the full program, byte for byte except for the answer.
cat >"$scratch/claims" <<'END'
injective((3,5):(5,1))
injective((4,8):(1,2))
injective(Sw<3,3,3> o 0 o (64,64):(64,1))
injective((d0, d1)[s0] -> (offset: d0 * s0 + d1), domain: d0 in [0, 63], d1 in [0, 15], s0 in [16, 4096])
injective((d0) -> (offset: (d0 * 7) mod 24), domain: d0 in [0, 30])
surjective((4,4):(1,2))
surjective((4,8):(9,1))
surjective((10,10):(3,5))
bijective((8,8):(8,1))
equal((4,8):(8,1), (4,8):(1,4))
equal((64,64):(64,1), Sw<3,3,3> o 0 o (64,64):(64,1))
in_bounds((10,10):(3,5), 72)
END
asked=0
while read -r claim; do
  rm -rf "$scratch/full" "$scratch/plain"
  "$full" eval --smt2 "$scratch/full" "prove $claim by z3" >/dev/null || [ $? = 1 ] || fail "the full program fails on $claim"
  out=$("$tessera" eval --smt2 "$scratch/plain" "prove $claim by z3") && fail "Z3 answered where there is none: $out"
  files=$(ls "$scratch/plain" | wc -l)
  [ "$files" -ge 1 ] || fail "no question is written for $claim: $out"
  [ "$(ls "$scratch/plain" | grep -c '^surjective_place')" -le 16 ] || fail "more than 16 places are written for $claim"
  grep -q 'for another solver as SMT-LIB text' <<<"$out" || fail "it does not say that there are questions: $out"
  for file in "$scratch/full"/*.smt2; do
    # The full program's last places are those that no point reaches.
    [ -f "$scratch/plain/${file##*/}" ] || { grep -q 'surjective_place' <<<"$file" && continue; fail "only Z3 is asked ${file##*/} of $claim"; }
    diff <(sed 's/^(set-info :status .*/status/' "$file") <(sed 's/^(set-info :status unknown)$/status/' "$scratch/plain/${file##*/}") ||
      fail "${file##*/} of $claim depends on Z3"
    asked=$((asked + 1))
  done
done <"$scratch/claims"
[ $asked -ge 15 ] || fail "only $asked questions were compared"
# A question that is too long is not written, and both the reason and its file say so.
awk 'BEGIN { for (k = 0; k < 100; ++k) { digits = digits (k ? ", " : "") "d" k; domain = domain (k ? ", " : "") "d" k " in [0, 1]" }
  for (a = 0; a < 400; ++a) { axes = axes (a ? ", " : "") "r" a ": "
    for (k = 0; k < 100; ++k) axes = axes (k ? " + " : "") "d" k " * " (a * 7919 + k * 104729) % 9973 + 2 }
  print "prove injective((" digits ") -> (" axes "), domain: " domain ") by z3" }' >"$scratch/wide.tess"
rm -rf "$scratch/plain"
out=$("$tessera" check --smt2 "$scratch/plain" "$scratch/wide.tess") && fail "the wide claim is decided"
grep -q '1 question for another solver as SMT-LIB text; 1 question longer than 1048576 bytes' <<<"$out" ||
  fail "it does not say that a question is too long: $(tail -c 300 <<<"$out")"
[ "$(cat "$scratch/plain"/*.smt2 | wc -c)" -lt 1048576 ] || fail "the questions are too long"
grep -q 'is not written, because its text exceeds' "$scratch/plain"/injective_2.smt2 || fail "the file does not say so"
"$tessera" eval 'prove injective((4,8):(8,1)) by z3' | grep -q 'SMT-LIB' && fail "it promises text that nobody wanted"

cmake -S "$root" -B "$scratch" -DTESSERA_GUI=OFF -DTESSERA_Z3=OFF -DTESSERA_CAIRO=OFF -DTESSERA_TESTS=OFF -DTESSERA_BENCH=OFF \
  >"$scratch/log" 2>&1 || { cat "$scratch/log"; fail "it does not configure"; }
