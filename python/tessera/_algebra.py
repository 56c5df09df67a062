"""CuTe's layout algebra, by the names of the worksheet language.

>>> import tessera as ts
>>> ts.logical_divide(ts.layout("(4,8):(8,1)"), ("2:1", "4:1"))
Layout('((2,2),(4,2)):((8,16),(1,4))')
>>> ts.composition(ts.layout("(6,2):(8,2)"), ts.layout("(4,3):(3,1)"))
Layout('((2,2),3):((24,2),8)')
>>> ts.cosize(ts.layout("(4,8):(8,1)"))
32

An argument is a layout, an integer, a tuple of these (a shape, or a tiler if it has layouts), or a text of the
language. Every other function of the language is available as `call`:

>>> ts.call("max_common_vector", ts.layout("(4,8):(8,1)"), ts.layout("(4,8):(8,1)"))
32
"""

from . import _engine

_NAMES = """
append coalesce complement composition cosize depth domain_distribute downcast filter filter_zeros flat_divide
flat_product flatten blocked_product group left_inverse logical_divide logical_product make_identity_layout
make_layout make_layout_left make_layout_like make_layout_right make_ordered_layout max_alignment max_common_layout
max_common_vector nullspace prepend raked_product recast_layout right_inverse select size take tile_to_shape
tiled_divide tiled_product upcast zipped_divide zipped_product
""".split()

__all__ = ["call", *_NAMES]

_TILERS = frozenset(["composition", "logical_divide", "zipped_divide", "tiled_divide", "flat_divide"])


def call(function, *arguments, seconds=10.0):
    """The value of a function of the worksheet language: a Layout, an int, a bool, or another value as text."""
    if not function.isidentifier():
        raise ValueError("not the name of a function: " + repr(function))
    return _engine.call(function, *arguments, seconds=seconds)


def _tiler(value):
    """A tuple with texts of layouts in it is a tiler: <2:1,4:1>."""
    if isinstance(value, tuple) and any(isinstance(one, str) for one in value):
        return "<" + ",".join(one if isinstance(one, str) else str(one).replace(" ", "") for one in value) + ">"
    return value


def _define(name):
    def function(*arguments, seconds=10.0):
        if name in _TILERS:
            arguments = tuple(_tiler(one) for one in arguments)
        return _engine.call(name, *arguments, seconds=seconds)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = "`" + name + "` of the worksheet language; see the module's documentation for its arguments."
    return function


for _name in _NAMES:
    globals()[_name] = _define(_name)
del _name
