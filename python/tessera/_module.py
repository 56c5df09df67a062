"""HLO modules."""

from . import _engine
from ._engine import Module


def hlo(source, *, seconds=10.0):
    """An HLO module, from its text or from what jax lowered or compiled.

    >>> import tessera as ts
    >>> module = ts.hlo('''HloModule m
    ... ENTRY main {
    ...   x = f32[64,64]{1,0} parameter(0)
    ...   t = f32[64,64]{1,0} transpose(x), dimensions={1,0}
    ...   ROOT r = f32[64,64]{1,0} add(x, t)
    ... }''')
    >>> [i.opcode for i in module.instructions]
    ['parameter', 'transpose', 'add']
    >>> module.reads("t")[0].maps
    ['(d0, d1) -> (d1, d0), domain: d0 in [0, 63], d1 in [0, 63]']
    """
    return _engine.read_module(_text(source), seconds)


def _text(source):
    if isinstance(source, (str, bytes)):
        return source if isinstance(source, str) else source.decode()
    as_text = getattr(source, "as_text", None)
    if as_text is None:
        raise TypeError("hlo() reads a text, or what jax.jit(f).lower(...) and its compile() return")
    try:
        return as_text(dialect="hlo")  # lowered
    except TypeError:
        return as_text()  # compiled


def _find(self, instruction):
    if isinstance(instruction, int):
        return instruction
    found = [k for k, i in enumerate(self.instructions) if i.name == instruction.lstrip("%")]
    if not found:
        raise KeyError(instruction)
    return found[-1]


def _reaches(self, instruction, *, seconds=10.0):
    """The maps of an instruction (its name or number), through fusions and calls, in both directions."""
    return self._reaches(_find(self, instruction), seconds)


def _reads(self, instruction, *, seconds=10.0):
    """The elements of each operand that one element of the result reads."""
    return [r for r in _reaches(self, instruction, seconds=seconds) if r.reads]


def _waste(self, *, seconds=10.0):
    """The kernels of the module by wasted memory traffic, most first."""
    return self._waste(seconds)


def _check(self, *, seconds=10.0):
    """How much of the module is known, as `tessera check` prints it: true if no read is out of bounds."""
    return self._check(seconds)


Module.check = _check
Module.reaches = _reaches
Module.reads = _reads
Module.waste = _waste
