#!/usr/bin/env bash
# run.sh PREFIX SCRATCH [PYTEST ARGUMENTS]: builds the wheel with an installed library (PREFIX, which was built with
# -DTESSERA_PIC=ON), installs it into a virtual environment below SCRATCH, and runs the tests there. Exit code 77: it
# was skipped, for the reason that is printed. TESSERA_PYTHON_EXTRAS: further packages, for the tests of other
# libraries, which are skipped without them.
#     cmake --install build/test --prefix /tmp/t --component tessera_development
#     TESSERA_PYTHON_EXTRAS="jax triton tensor-layouts ipython distributed" python/tests/run.sh /tmp/t /tmp/t/python
set -euo pipefail
prefix=$1 scratch=$2
shift 2
here=$(cd "$(dirname "$0")/.." && pwd)
python=${PYTHON:-python3}
mkdir -p "$scratch"
scratch=$(cd "$scratch" && pwd)

skip() { echo "skipped: $1"; exit 77; }
"$python" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 9))' 2>/dev/null ||
  skip "$python has no venv, or is older than 3.9"
config=$(find "$prefix" -name tesseraConfig.cmake)
[ -n "$config" ] || { echo "there is no installed library below $prefix"; exit 1; }
[ -x "$scratch/venv/bin/python" ] || "$python" -m venv "$scratch/venv"
pip() { "$scratch/venv/bin/python" -m pip --disable-pip-version-check -q "$@"; }
pip install "scikit-build-core>=0.10" "nanobind>=2.2" numpy pytest >"$scratch/pip.log" 2>&1 ||
  { cat "$scratch/pip.log"; skip "PyPI cannot be reached"; }
for extra in ${TESSERA_PYTHON_EXTRAS:-}; do
  pip install "$extra" >"$scratch/pip.log" 2>&1 || echo "$extra: not installed: $(tail -n 1 "$scratch/pip.log")"
done

# From a copy, so that nothing is written into the source tree; objects are kept for the next run.
rm -rf "$scratch/python" "$scratch/wheel"
mkdir "$scratch/python"
cp -r "$here"/{CMakeLists.txt,pyproject.toml,README.md,src,tessera} "$scratch/python"
# In a checkout the library is part of the build (configured here; `pip install ./python` also compiles it); elsewhere it
# has to be named.
configure() {
  cmake -S "$1" -B "$2" -DCMAKE_BUILD_TYPE=Release "-DPython_EXECUTABLE=$scratch/venv/bin/python" >"$2.log" 2>&1
}
rm -rf "$scratch/checkout" "$scratch/alone"
configure "$here" "$scratch/checkout" || { cat "$scratch/checkout.log"; exit 1; }
! configure "$scratch/python" "$scratch/alone" || { echo "a build without the library was not refused"; exit 1; }
tr -s '\n ' ' ' <"$scratch/alone.log" | grep -q "not beside python/" || { cat "$scratch/alone.log"; exit 1; }
pip wheel --no-build-isolation --no-deps -w "$scratch/wheel" "$scratch/python" \
  --config-settings="cmake.define.tessera_DIR=$(dirname "$config")" --config-settings="build-dir=$scratch/objects" \
  --config-settings=cmake.build-type=Debug --config-settings="cmake.define.CMAKE_CXX_FLAGS_DEBUG=-O1"
pip install --force-reinstall --no-deps "$scratch"/wheel/*.whl
cd "$here/.."  # not a folder that has the sources of the package, which lack its extension
exec "$scratch/venv/bin/python" -m pytest -q -rs -p no:cacheprovider "$@" python/tests
