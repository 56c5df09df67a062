"""Reads and uses of HLO instructions against what XLA's CPU backend does (perturbation.py)."""

import os
import subprocess
import sys

import pytest
from conftest import needs

HERE = os.path.dirname(__file__)
# volume.h: a tenth, in a process of its own, because XLA's devices are fixed when jax starts, and XLA may abort.
EVERY = 1 if "TESSERA_THOROUGH" in os.environ and "TESSERA_TENTH" not in os.environ else 10

TEXT = """HloModule m

ENTRY main {
  x = f32[4,4]{1,0} parameter(0)
  y = f32[4,4]{1,0} parameter(1)
  t = f32[4,4]{1,0} transpose(x), dimensions={1,0}
  ROOT r = f32[4,4]{1,0} add(t, y)
}
"""


def test_what_changes_in_jaxs_dumps_is_read_and_used(capfd):
    needs("jax")
    folder = os.path.join(os.environ.get("TESSERA_CASES", ""), "hlo_real")
    if not os.path.isdir(folder):
        pytest.skip("TESSERA_CASES names no folder with hlo_real")
    command = [sys.executable, os.path.join(HERE, "perturbation.py"), folder, str(EVERY)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    with capfd.disabled():
        print("\n" + done.stdout)
    assert int(done.stdout.split()[1]) > 800 // EVERY


def test_an_instruction_that_reads_something_else_is_found():
    needs("jax")
    from perturbation import check

    assert not check({"m": TEXT}).wrong
    # A transposition that copies; an add that transposes; one that reads nothing; one that reads less.
    for name, old, new in [
        ("t", "(d1, d0)", "(d0, d1)"),
        ("r", "(d0, d1)", "(d1, d0)"),
        ("r", "d0 in [0, 3]", "d0 in [0, 2]"),
    ]:

        def reaches(module, k, name=name, old=old, new=new):
            class Wrong:
                def __init__(self, right):
                    self.reads, self.operand_number, self.output = right.reads, right.operand_number, right.output
                    head, arrow, tail = right.json.partition(" -> ")
                    wrong = tail.replace(old, new, 1)
                    self.json = head + arrow + wrong if module.instructions[k].name == name else right.json

            return [Wrong(r) for r in module.reaches(k)]

        found = check({"m": TEXT}, reaches=reaches).wrong
        assert found and all(f": {name} (" in w for w in found), (name, old, new, found)
