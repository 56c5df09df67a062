"""Reports about what jax compiles. Only `report` imports jax."""

from ._module import hlo


class Report:
    """The kernels of a compiled function by wasted memory traffic, most first."""

    def __init__(self, module, kernels):
        self.module = module
        self.kernels = kernels

    @property
    def worst(self):
        """The kernel that wastes most, or None."""
        return self.kernels[0] if self.kernels else None

    @property
    def wasted(self):
        """Bytes that are requested beyond those that are needed."""
        return sum(k.wasted for k in self.kernels)

    def __str__(self):
        return "\n".join(k.text for k in self.kernels) or "no instruction of the module reads memory"

    __repr__ = __str__

    def _repr_html_(self):
        import html

        return "<pre>%s</pre>" % html.escape(str(self))


def report(f, *args, seconds=10.0, **kwargs):
    """Which kernel of jax.jit(f)(*args) wastes most memory traffic.

    f is a function, a jitted function, or what lower() or compile() returned. The module is the one that XLA compiled
    for this machine's backend; the traffic is that of a GPU's warps.
    """
    if hasattr(f, "as_text") and not args:
        lowered = f
    else:
        import jax

        lowered = (f if hasattr(f, "lower") else jax.jit(f)).lower(*args, **kwargs)
    compiled = lowered.compile() if hasattr(lowered, "compile") else lowered
    module = hlo(compiled, seconds=seconds)
    return Report(module, module.waste(seconds=seconds))
