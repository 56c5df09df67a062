# completions.bash SCRIPT PROGRAM SCRATCH: the completions in a real bash, against the program's own help.
source "$1"
program=$2
cd "$3" || exit 1
rm -rf typed
mkdir -p "typed/a folder" && cd typed || exit 1
touch one.tess 'two words.tess' three.graphene four.hlo five.ptx six.svg
failed=0

complete -p tessera | grep -q -- '-F _tessera tessera' || { echo "FAILED: nothing completes tessera"; exit 1; }

# expect WORDS... -- OFFERED...: with the last of WORDS half typed, exactly these are offered.
expect() {
  COMP_WORDS=(tessera)
  while [ "$1" != -- ]; do COMP_WORDS+=("$1"); shift; done
  shift
  COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
  COMPREPLY=()
  _tessera
  local got wanted
  got=$(printf '%s\n' "${COMPREPLY[@]}" | LC_ALL=C sort)
  wanted=$(printf '%s\n' "$@" | LC_ALL=C sort)
  if [ "$got" != "$wanted" ]; then
    printf 'FAILED: %s\n offered:\n%s\n instead of:\n%s\n' "${COMP_WORDS[*]}" "$got" "$wanted"
    failed=1
  fi
}
options_of() { "$program" "$@" --help | sed -n '/^Options:/,/^$/s/^  \(-[^ ]*\).*/\1/p' | tr , '\n'; }

mapfile -t commands < <("$program" --help | sed -n '/^Subcommands:/,$s/^  \([a-z]*\(, [a-z]*\)*\)  .*/\1/p' | tr -s ', ' '\n')
[ ${#commands[@]} -ge 13 ] || { echo "FAILED: the help has ${#commands[@]} commands"; exit 1; }
expect '' -- "${commands[@]}" one.tess 'two words.tess' three.graphene 'a folder'
expect dr -- draw
expect t -- ttgir tune three.graphene 'two words.tess'
mapfile -t names < <(options_of)
expect - -- "${names[@]}"
for command in "${commands[@]}"; do
  mapfile -t names < <(options_of "$command")
  expect "$command" - -- "${names[@]}"
done
expect draw --th -- --theme
expect draw --theme '' -- light dark
expect draw --theme d -- dark
expect draw --theme = d -- dark
expect draw --theme = -- light dark
expect --theme l -- light
expect draw --as '' --
expect draw -o s -- six.svg
expect draw --transparent '' -- one.tess 'two words.tess' three.graphene four.hlo 'a folder'
expect check t -- three.graphene 'two words.tess'
expect kernel '' -- five.ptx 'a folder'
expect kernel --entry '' --
expect eval --smt2 '' -- 'a folder'
expect atlas '' --
expect run '' -- three.graphene 'a folder'
exit $failed
