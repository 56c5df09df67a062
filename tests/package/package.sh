#!/usr/bin/env bash
# package.sh KIND SOURCE BUILD SCRATCH CPACK: the package as a user gets it. Exit code 77: skipped, for the reason printed.
#     deb    made by cpack, unpacked; as root also installed into a root of its own and removed again by dpkg
#     tgz    made by cpack, unpacked into one folder and moved to another, both with blanks in their names
# Each then runs outside of the sources: eval, check, draw, a kernel of its own assets, every manual page, the completions
# in bash (zsh and fish read them if they are installed), the desktop entry and the types of files.
set -euo pipefail
kind=$1 source=$2 build=$3 scratch=$4 cpack=$5
version=$(sed -n 's/^project(tessera VERSION \([0-9.]*\).*/\1/p' "$source/CMakeLists.txt")
here=$(cd "$(dirname "$0")" && pwd)
fail() { echo "FAILED: $*"; exit 1; }
have() { command -v "$1" >/dev/null; }

rm -rf "$scratch"
mkdir -p "$scratch/made"
scratch=$(cd "$scratch" && pwd)

make_package() {
  (cd "$build" && "$cpack" -G "$1" -B "$scratch/made") >"$scratch/log" 2>&1 || { cat "$scratch/log"; fail "cpack -G $1"; }
}

# The files that any package has, below $1/usr or $1.
check_files() {
  local root=$1 page f
  [ -x "$root/bin/tessera" ] || fail "no program"
  for f in gallery/03_swizzle.tess graphene/ldmatrix_move.graphene kernels/reduce.ptx manual.md codegen/tessera_host.h; do
    [ -f "$root/share/tessera/$f" ] || fail "no $f"
  done
  [ ! -e "$root/share/tessera/desktop" ] || fail "the files of the desktop are there twice"
  [ -z "$(find "$root" -name '*.a' -o -name '*.h' -path '*include*')" ] || fail "the library is in the package"
  grep -q '^Copyright: ' "$root/share/doc/tessera/copyright" || fail "no copyright"
  zcat "$root/share/doc/tessera/changelog.gz" | grep -q "^## \[$version\]" || fail "the changelog lacks the version"
  zcat "$root/share/doc/tessera/changelog.Debian.gz" | grep -q "^tessera ($version-1) " || fail "the Debian changelog"
  [ "$(find "$root" -type d ! -perm 755 | wc -l)" = 0 ] || fail "a folder that not everybody can read"
  # Manual pages: one for the program and one for each sub-command of its help.
  for page in tessera $("$root/bin/tessera" --help | sed -n '/^Subcommands:/,$s/^  \([a-z]*\).*/tessera-\1/p'); do
    [ -f "$root/share/man/man1/$page.1.gz" ] || fail "no page $page"
    have man || continue
    MANWIDTH=80 man --warnings -E UTF-8 -l "$root/share/man/man1/$page.1.gz" >"$scratch/page" 2>"$scratch/warnings"
    [ ! -s "$scratch/warnings" ] || { cat "$scratch/warnings"; fail "the page $page has warnings"; }
    grep -q "^OPTIONS" "$scratch/page" && grep -q -- "--help" "$scratch/page" || fail "the page $page"
    ! have lexgrog || lexgrog "$root/share/man/man1/$page.1.gz" >/dev/null || fail "whatis cannot read the page $page"
  done
  if [ -f "$root/share/applications/tessera.desktop" ]; then
    ! have desktop-file-validate || desktop-file-validate "$root/share/applications/tessera.desktop" || fail "the desktop entry"
    grep -qx 'Exec=tessera %f' "$root/share/applications/tessera.desktop" || fail "the desktop entry does not run it"
    for f in 48x48 128x128 256x256; do
      [ -f "$root/share/icons/hicolor/$f/apps/tessera.png" ] || fail "no icon of $f"
    done
    mkdir -p "$scratch/mime/packages"
    cp "$root/share/mime/packages/tessera.xml" "$scratch/mime/packages"
    ! have xmllint || xmllint --noout "$scratch/mime/packages/tessera.xml" || fail "the types of files are no XML"
    if have update-mime-database; then
      XDG_DATA_DIRS=$scratch update-mime-database "$scratch/mime" >"$scratch/log" 2>&1 || { cat "$scratch/log"; fail "mime"; }
      for f in tessera graphene; do
        grep -q ":text/x-$f:" "$scratch/mime/globs2" || fail "no type text/x-$f"
        grep -q "^MimeType=.*text/x-$f;" "$root/share/applications/tessera.desktop" || fail "the entry lacks text/x-$f"
      done
    fi
  fi
}

# Runs it with nothing of this shell's environment, away from the sources.
run_all() {
  local root=$1 assets=$1/share/tessera out
  cd "$scratch"
  tessera() { env -i PATH=/usr/bin:/bin HOME="$scratch" "$root/bin/tessera" "$@"; }
  [ "$(tessera --version)" = "tessera $version" ] || fail "version"
  [ "$(tessera eval 'composition((6,2):(8,2), (4,3):(3,1))')" = "((2,2),3):((24,2),8)" ] || fail "eval"
  out=$(tessera check "$assets/graphene/ldmatrix_move.graphene") || fail "check of a program"
  grep -q "2 specifications: 9 proved" <<<"$out" || fail "check of a program: $out"
  out=$(tessera check "$assets/gallery/03_swizzle.tess") && fail "a lesson is solved as shipped"
  grep -q " proved.* 0 of [0-9]* tasks solved" <<<"$out" || fail "check of a lesson: $out"
  tessera draw "$assets/gallery/03_swizzle.tess" -o "$scratch/lesson.html" >/dev/null 2>&1 || true
  grep -q "</svg>" "$scratch/lesson.html" || fail "draw"
  # Its own assets, not those of the sources: only this folder has the kernel.
  cp "$assets/kernels/reduce.ptx" "$assets/kernels/only_here.ptx"
  tessera eval 'kernel "kernels/only_here.ptx" entry reduce_shuffle grid (2) block (256)' >"$scratch/kernel" 2>&1 ||
    { cat "$scratch/kernel"; fail "the assets beside the program are not found"; }
  rm "$assets/kernels/only_here.ptx"
  bash --norc --noprofile "$here/completions.bash" "$root/share/bash-completion/completions/tessera" "$root/bin/tessera" "$scratch"
  ! have zsh || zsh -n "$root/share/zsh/vendor-completions/_tessera" || fail "zsh"
  if have fish; then
    cp "$root/share/fish/vendor_completions.d/tessera.fish" "$scratch/completions.fish"
    offered() { HOME=$scratch fish --no-config -c "source completions.fish; complete -C 'tessera $1'" | cut -f 1 | tr '\n' ' '; }
    [ "$(offered 'dra')" = "draw " ] || fail "fish: $(offered 'dra')"
    [ "$(offered 'draw --th')" = "--theme " ] || fail "fish: $(offered 'draw --th')"
    [ "$(offered 'draw --theme ')" = "dark light " ] || fail "fish: $(offered 'draw --theme ')"
  fi
}

case $kind in
  deb)
    for tool in dpkg-deb dpkg-shlibdeps; do have $tool || { echo "skipped: no $tool"; exit 77; }; done
    make_package DEB
    package=$(echo "$scratch"/made/tessera_"$version"-1_*.deb)
    dpkg-deb -I "$package" >"$scratch/control"
    grep -q "^ Depends: .*libc6 (>= " "$scratch/control" || fail "no dependencies"
    grep -q "^ Recommends: fonts-inter, fonts-jetbrains-mono" "$scratch/control" || fail "no fonts"
    grep -q "^ Package: tessera$" "$scratch/control" || fail "the name"
    [ -z "$(dpkg-deb -c "$package" | awk '$2 != "root/root"')" ] || fail "files that are not root's"
    dpkg-deb -x "$package" "$scratch/unpacked"
    ! have readelf || ! readelf -S "$scratch/unpacked/usr/bin/tessera" | grep -q debug_info || fail "not stripped"
    check_files "$scratch/unpacked/usr"
    run_all "$scratch/unpacked/usr"
    if [ "$(id -u)" = 0 ]; then  # never the dpkg of this machine: another root, with another database
      root=$scratch/root
      mkdir -p "$root/var/lib/dpkg/info" "$root/var/lib/dpkg/updates"
      touch "$root/var/lib/dpkg/status" "$root/var/lib/dpkg/available"
      apart() { dpkg --root="$root" --log="$scratch/dpkg.log" --force-depends "$@" >"$scratch/log" 2>&1 || { cat "$scratch/log"; fail "dpkg $1"; }; }
      apart -i "$package"
      dpkg-query --admindir="$root/var/lib/dpkg" -W -f='${db:Status-Abbrev}${Version}' tessera | grep -q "^ii $version-1" || fail "not installed"
      run_all "$root/usr"
      apart -r tessera
      [ -z "$(find "$root/usr" -type f 2>/dev/null)" ] || fail "files are left after dpkg -r"
    else
      echo "not root: dpkg -i was not tried"
    fi
    ;;
  tgz)
    make_package TGZ
    mkdir -p "$scratch/first place" "$scratch/another place"
    tar -xzf "$scratch"/made/tessera-"$version"-*.tar.gz -C "$scratch/first place"
    [ "$(ls "$scratch/first place" | wc -l)" = 1 ] || fail "the archive has no folder of its own"
    "$scratch/first place"/tessera-*/bin/tessera --version >/dev/null
    mv "$scratch/first place"/tessera-* "$scratch/another place/tessera"
    ! grep -rIl -e "$build" -e "$scratch" "$scratch/another place" || fail "these name the folder of the build"
    check_files "$scratch/another place/tessera"
    run_all "$scratch/another place/tessera"
    ;;
esac
