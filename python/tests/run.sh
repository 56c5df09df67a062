#!/usr/bin/env bash
# run.sh BUILD SCRATCH CMAKE [PYTEST ARGUMENTS]: builds the wheel with the library of a finished build (made with
# -DTESSERA_PIC=ON), installs it into a virtual environment, and runs the tests there. Exit code 77: no PyPI or no venv,
# with the reason.
#     TESSERA_PYTHON_EXTRAS="jax triton ..."   further packages for the tests of other libraries, which are skipped without
set -euo pipefail
build=$1 scratch=$2 cmake=$3
shift 3
here=$(cd "$(dirname "$0")/.." && pwd)
python=${PYTHON:-python3}
mkdir -p "$scratch"
scratch=$(cd "$scratch" && pwd)

skip() { echo "skipped: $1"; exit 77; }
"$python" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 9))' 2>/dev/null || skip "$python has no venv, or is older than 3.9"
[ -x "$scratch/venv/bin/python" ] || "$python" -m venv "$scratch/venv"
pip() { "$scratch/venv/bin/python" -m pip --disable-pip-version-check -q "$@"; }
# shellcheck disable=SC2086
pip install "scikit-build-core>=0.10" "nanobind>=2.2" numpy pytest ${TESSERA_PYTHON_EXTRAS:-} >"$scratch/pip.log" 2>&1 ||
  { cat "$scratch/pip.log"; skip "PyPI cannot be reached"; }

rm -rf "$scratch/prefix" "$scratch/wheel"
"$cmake" --install "$build" --prefix "$scratch/prefix" --component tessera_development >"$scratch/install.log"
config=$(dirname "$(find "$scratch/prefix" -name tesseraConfig.cmake)")
# From a copy, so that nothing is written into the source tree; the build folder keeps its objects between runs.
rm -rf "$scratch/python"
cp -r "$here" "$scratch/python"
rm -rf "$scratch/python/build"
pip wheel --no-build-isolation --no-deps -w "$scratch/wheel" "$scratch/python" -C "cmake.define.tessera_DIR=$config" \
  -C "build-dir=$scratch/objects" -C cmake.build-type=RelWithDebInfo -C "cmake.define.CMAKE_CXX_FLAGS_RELWITHDEBINFO=-O1"
pip install --force-reinstall --no-deps "$scratch"/wheel/*.whl
cd "$here"  # the tests; the package is the installed one
exec "$scratch/venv/bin/python" -P -m pytest -q -rs -p no:cacheprovider "$@" tests
