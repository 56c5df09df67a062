"""tessera.layout, and the methods of Layout that are written in Python."""

from itertools import product as _product
from operator import index as _index

from . import _engine, _sources, _trace
from ._engine import Error, Layout


class Undecided(RuntimeError):
    """`==` of two layouts that the engine can neither prove equal nor different. The argument is the Verdict."""


def layout(source, shape=None, *, axes=None, elements=None, seconds=10.0, **names):
    """A layout, from a text or from an object of another library.

    source    a text in any notation; a Python function with a shape; (shape, stride); a layout of the CuTe DSL,
              pycute, tensor-layouts, Triton or Gluon; a jax array, shape or sharding; a numpy or torch array
    shape     for what has no shape of its own: functions, encodings of Triton, shardings
    axes      for functions that return several numbers: their names, ("row", "col")
    elements  for layouts of the CuTe DSL whose swizzle counts bytes: their type, "f16"
    names     layouts that the text uses

    >>> import tessera as ts
    >>> ts.layout("(4,8):(8,1)")(1, 2)
    10
    >>> ts.layout("composition(A, B)", A=ts.layout("(4,8):(8,1)"), B=ts.layout("8:4"))
    Layout('8:1')
    >>> ts.layout(lambda r, c: r * 8 + c, (4, 8)) == ts.layout("(4,8):(8,1)")
    True
    >>> ts.layout(lambda lane, r: (lane // 4, lane % 4 * 2 + r), (32, 2), axes=("row", "col"))(5, 1)
    (1, 3)
    >>> ts.layout(((4, 8), (8, 1)))
    Layout('(4,8):(8,1)')
    >>> ts.layout("(8,4):(4,1,2)")  # doctest: +IGNORE_EXCEPTION_DETAIL
    Traceback (most recent call last):
    tessera.Error: line 1, column 7: strides have 3 modes, shape (8,4) has 2
    """
    if isinstance(source, Layout):
        return source
    if isinstance(source, str):
        text = source
        if shape is not None:
            text = "%s over %s" % (text, _sources.shape_text(shape))
        return _engine.layout(text, names, seconds)
    if names:
        raise TypeError("names belong to a text")
    found = _sources.layout_of(source, shape, elements, seconds)
    if found is not None:
        return found
    if callable(source):
        return _function(source, shape, axes, seconds)
    raise TypeError(
        "tessera.layout() reads texts, functions, (shape, stride), and layouts of CuTe, Triton, jax, numpy and torch; "
        "not " + type(source).__module__ + "." + type(source).__qualname__
    )


def _function(function, shape, axes, seconds):
    if shape is None:
        raise TypeError("a function needs a shape: layout(lambda r, c: ..., (64, 64))")
    extents = [_index(e) for e in (shape if isinstance(shape, (tuple, list)) else (shape,))]
    if not extents or min(extents) < 1:
        raise ValueError("the extents of a shape are at least 1")
    try:
        text = _trace.traced(function, extents)
        if isinstance(text, list):
            return _several([_engine.layout(one, {}, seconds) for one in text], axes, seconds)
        return _engine.layout(text, {}, seconds)
    except _trace.NotTraceable as problem:
        reason = "it needs " + str(problem)
    except Error as problem:
        reason = problem.message
    return _tabulated(function, extents, reason, seconds)


def _several(components, axes, seconds):
    """The layouts of one domain, with one number each, as one layout with a number of each on its axes."""
    axes = ["x%d" % k for k in range(len(components))] if axes is None else list(axes)
    if len(axes) != len(components) or not all(isinstance(a, str) and a.isidentifier() for a in axes):
        raise ValueError("the function returns %d numbers; axes are %r" % (len(components), axes))
    values = []
    for component in components:
        inputs, _, rest = component.text.partition(" -> (offset: ")
        value, _, domain = rest.rpartition("), domain: ")
        values.append(value)
    text = ", ".join("%s: %s" % pair for pair in zip(axes, values))
    return _engine.layout("%s -> (%s), domain: %s" % (inputs, text, domain), {}, seconds)


def _tabulated(function, extents, reason, seconds):
    count = 1
    for extent in extents:
        count *= extent
    if count > 1 << 20:
        raise ValueError("the function cannot be traced (%s), and has more than 2^20 values to tabulate" % reason)
    # The first coordinate varies fastest, as in a CuTe layout.
    points = [c[::-1] for c in _product(*[range(e) for e in reversed(extents)])]
    values = [_index(function(*c)) for c in points]
    table = "[%s]" % ",".join(map(str, values))
    sheet = _engine.Worksheet()
    answer = sheet.run("X = find layout where equal(%s)" % table, seconds)[0]
    found = answer.layout
    if found is None:
        found = _stepped(values, extents, reason, seconds)
    elif len(extents) > 1:  # a shape alone would be a tiler
        compact = _engine.call("make_layout", tuple(extents), seconds=seconds)
        found = _engine.call("composition", found, compact, seconds=seconds)
    if [found(*c) for c in points] != values:
        raise AssertionError("the layout that was found is not the function; please report it")
    return found


_MOST_STEPS = 4096


def _stepped(values, extents, reason, seconds):
    """Any table as a formula: the first value, and each difference from one value to the next."""
    terms = ["%d" % values[0]]
    for k in range(1, len(values)):
        if values[k] != values[k - 1]:
            terms.append("(i >= %d) * (%d)" % (k, values[k] - values[k - 1]))
    if len(terms) > _MOST_STEPS:
        why = "its table is no CuTe layout, and changes more than %d times" % (_MOST_STEPS - 1)
        raise ValueError("the function cannot be traced (%s), and %s" % (reason, why))
    while len(terms) > 60:  # a sum of sums: expressions nest at most 200 levels deep
        terms = ["(%s)" % " + ".join(terms[k : k + 60]) for k in range(0, len(terms), 60)]
    names, index, step = ["d%d" % k for k in range(len(extents))], [], 1
    for name, extent in zip(names, extents):
        index.append("%s * %d" % (name, step))
        step *= extent
    lines = "def f(%s):\n    i = %s\n    return %s" % (", ".join(names), " + ".join(index), " + ".join(terms))
    over = ", ".join("%d" % extent for extent in extents)
    try:
        return _engine.layout("python {\n%s\n} over (%s)" % (lines, over), {}, seconds)
    except Error as problem:
        raise ValueError("the function cannot be traced (%s), nor its table: %s" % (reason, problem.message)) from None


def paste(text, *, let=None, over=None, dialect="", seconds=10.0):
    """Reads a text of another tool: source of CuTe, printed layouts, dumps of Triton and XLA, index code ...

    >>> import tessera as ts
    >>> ts.paste("using A = Layout<Shape<_8, Int<kN>>>;", let={"kN": 64}).layout
    Layout('(_8,_64):(_1,_8)')
    """
    lets = [(name, str(value)) for name, value in (let or {}).items()]
    return _engine.paste(text, lets, list((over or {}).items()), dialect, seconds)


def evaluate(text, *, seconds=10.0, **names):
    """The value of an expression of the worksheet language: a Layout, an int, a bool, or another value as text.

    >>> import tessera as ts
    >>> ts.evaluate("cosize(A) + 1", A=ts.layout("(4,8):(8,1)"))
    33
    """
    return _engine.evaluate(text, names, seconds)


def _equal(self, other):
    if not isinstance(other, Layout):
        return NotImplemented
    if self._identical(other):
        return True
    known = self.axes and other.axes  # else its text lacks something that the function needs
    if known and (self.size != other.size or len(self.axes) != len(other.axes)):
        return False
    try:
        verdict = _engine.equal(self, other, 10.0)
    except Error:  # no common reading: their coordinates do not correspond
        return False
    if verdict.proved or verdict.refuted:
        return verdict.proved
    raise Undecided(verdict)


def _hash(self):
    # Equal functions have equal hashes: the size, and the places of the first and the last element.
    if len(self.axes) != 1 or not self.size:
        return hash(("tessera.Layout", self.size, len(self.axes)))
    try:
        ends = [self(0), self(self.size - 1)]
    except Error:  # several places, or none
        ends = []
    return hash(("tessera.Layout", self.size, *ends))


def _backward(self, *place, seconds=10.0):
    """The coordinates at a place, sorted.

    >>> import tessera as ts
    >>> ts.layout("Sw<3,3,3> o (64,64):(64,1)").backward(221)
    [(3, 5)]
    """
    if len(place) == 1 and isinstance(place[0], (tuple, list)):
        place = place[0]
    return self._backward([_index(x) for x in place], seconds)


def _table(self, axis=0, *, flat=False, seconds=10.0):
    """All places as a NumPy array that owns the engine's buffer: `L.table()[c] == L(*c)`.

    axis  which component of a place; flat: in the order of the linear index, `L.table(flat=True)[i] == L(i)`

    >>> import tessera as ts
    >>> ts.layout("(2,3):(3,1)").table().tolist()
    [[0, 1, 2], [3, 4, 5]]
    """
    return self._table(axis, flat, seconds)


def _array(self, dtype=None, copy=None):
    table = self._table(0, False, 10.0)
    return table if dtype is None else table.astype(dtype)


def _to(self, notation, *, seconds=10.0):
    """The same function in another notation: "cute" "axe" "linear" "xla" "map" "indexing".

    >>> import tessera as ts
    >>> ts.layout("f32[2,3]{0,1}").to("cute")
    Layout('(2,3):(1,2)')
    """
    return self._to(notation, seconds)


def _inverse(self, *, seconds=10.0):
    """The inverse as a map: `L.inverse()(L(c)) == c` for an injective L.

    >>> import tessera as ts
    >>> L = ts.layout("(4,8):(8,1)")
    >>> L.inverse()(L(2, 5))
    (2, 5)
    """
    return self._inverse(seconds)


def _compose(self, inner, *, seconds=10.0):
    """`L @ M`: the layout c -> L(M(c)).

    >>> import tessera as ts
    >>> ts.layout("(6,2):(8,2)") @ ts.layout("(4,3):(3,1)")
    Layout('((2,2),3):((24,2),8)')
    """
    return _engine.call("composition", self, inner, seconds=seconds)


def _svg(self):
    return _engine.draw(self, "svg", "", "", False, False, True, 2.0, 10.0).decode()


def _html(self):
    """The picture for a notebook; without one, the text."""
    import html

    try:
        picture = _svg(self)
    except Error as problem:
        picture = "<pre>%s</pre>" % html.escape(problem.message)
    return "<div><code>%s</code><div>%s</div></div>" % (html.escape(self.text), picture)


def _safe_svg(self):
    try:
        return _svg(self)
    except Error:
        return None


def _iterate(self):
    raise TypeError("a Layout is not iterable; iterate over L.table(flat=True)")


def _views(self):
    return _engine.views_of(self)


Layout.__module__ = "tessera"
Layout.__eq__ = _equal
Layout.__hash__ = _hash
Layout.__repr__ = lambda self: "Layout(%r)" % self.text
Layout.__str__ = lambda self: self.text
Layout.__matmul__ = lambda self, inner: _compose(self, inner)
Layout.__iter__ = _iterate
Layout.__array__ = _array
Layout.__copy__ = lambda self: self
Layout.__deepcopy__ = lambda self, memo: self
Layout.__reduce__ = lambda self: (layout, (self.text,))
Layout.backward = _backward
Layout.table = _table
Layout.to = _to
Layout.inverse = _inverse
Layout.compose = _compose
Layout.views = property(_views, doc="The names of the views that can draw the layout, the default first.")
Layout._repr_svg_ = _safe_svg
Layout._repr_html_ = _html
