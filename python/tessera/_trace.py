"""Python functions as layouts: they are called once with symbols, which record the operations on them.

The record becomes a block of Python code of the worksheet language, about which the engine proves claims for all
coordinates. A function that asks for the value of a symbol (`if`, `min`, an index of a list) cannot be recorded:
`where`, `minimum` and `maximum` can.

>>> import tessera as ts
>>> ts.layout(lambda r, c: r * 64 + (c ^ ((r & 7) << 3)), (64, 64)) == ts.layout("Sw<3,3,3> o (64,64):(64,1)")
True
>>> ts.layout(lambda i: ts.where(i < 4, 2 * i, 2 * i - 7), 8).table().tolist()
[0, 2, 4, 6, 1, 3, 5, 7]
"""

from operator import index as _index

_MOST_STEPS = 20000


class NotTraceable(Exception):
    """The function asks for the value of a symbol."""


class _Trace:
    """The operations of one call, in order. A step is text over the names of earlier ones."""

    def __init__(self):
        self.steps = []

    def step(self, text, uses):
        if len(self.steps) >= _MOST_STEPS:
            raise NotTraceable("more than %d operations" % _MOST_STEPS)
        self.steps.append((text, uses))
        return Symbol(self, "t%d" % (len(self.steps) - 1), len(self.steps) - 1)

    def program(self, names, result):
        """`def f(...)` whose value is `result`, with the steps that it needs."""
        if not isinstance(result, Symbol):
            return "def f(%s):\n    return %d\n" % (", ".join(names), _index(result))
        needed, pending = set(), [result.number]
        while pending:
            number = pending.pop()
            if number is None or number in needed:
                continue
            needed.add(number)
            pending.extend(self.steps[number][1])
        lines = ["    t%d = %s" % (k, self.steps[k][0]) for k in sorted(needed)]
        return "def f(%s):\n%s\n    return %s\n" % (", ".join(names), "\n".join(lines) or "    pass", result.name)


def _operand(value):
    """(text, numbers of the steps that it uses), or None for what is no integer."""
    if isinstance(value, Symbol):
        return value.name, [value.number]
    try:
        number = _index(value)
    except TypeError:
        return None
    return ("(%d)" if number < 0 else "%d") % number, []


def _binary(operator):
    def forward(self, other):
        right = _operand(other)
        if right is None:
            return NotImplemented
        return self.trace.step("%s %s %s" % (self.name, operator, right[0]), [self.number, *right[1]])

    def reflected(self, other):
        left = _operand(other)
        if left is None:
            return NotImplemented
        return self.trace.step("%s %s %s" % (left[0], operator, self.name), [self.number, *left[1]])

    return forward, reflected


def _refusal(what):
    def refuse(self, *_):
        raise NotTraceable(what + " of a coordinate")

    return refuse


class Symbol:
    """An integer that depends on the coordinates."""

    __slots__ = ("trace", "name", "number")
    __array_ufunc__ = None  # NumPy's numbers leave the operation to the symbol
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, trace, name, number=None):
        self.trace, self.name, self.number = trace, name, number

    __add__, __radd__ = _binary("+")
    __sub__, __rsub__ = _binary("-")
    __mul__, __rmul__ = _binary("*")
    __floordiv__, __rfloordiv__ = _binary("//")
    __mod__, __rmod__ = _binary("%")
    __and__, __rand__ = _binary("&")
    __or__, __ror__ = _binary("|")
    __xor__, __rxor__ = _binary("^")
    __lshift__, __rlshift__ = _binary("<<")
    __rshift__, __rrshift__ = _binary(">>")
    __lt__, _ = _binary("<")
    __le__, _ = _binary("<=")
    __gt__, _ = _binary(">")
    __ge__, _ = _binary(">=")
    __eq__, _ = _binary("==")
    __ne__, _ = _binary("!=")
    del _

    def __divmod__(self, other):
        return self // other, self % other

    def __rdivmod__(self, other):
        return other // self, other % self

    def __pow__(self, exponent):
        if isinstance(exponent, Symbol) or _operand(exponent) is None or not 0 <= exponent <= 64:
            raise NotTraceable("a power")
        out = 1
        for _ in range(_index(exponent)):
            out = out * self
        return out

    def __pos__(self):
        return self

    def __neg__(self):
        return self.trace.step("-" + self.name, [self.number])

    def __invert__(self):
        return self.trace.step("-1 - " + self.name, [self.number])

    def __abs__(self):
        return maximum(self, -self)

    __bool__ = _refusal("the truth")
    __index__ = _refusal("the value")
    __int__ = _refusal("the value")
    __float__ = _refusal("the value")
    __truediv__ = _refusal("a quotient that is no integer (/; write //)")
    __rtruediv__ = _refusal("a quotient that is no integer (/; write //)")
    __getitem__ = _refusal("an item")
    __iter__ = _refusal("the items")


def _traced(text, values):
    trace = next(v.trace for v in values if isinstance(v, Symbol))
    operands = [_operand(v) for v in values]
    if any(one is None for one in operands):
        raise TypeError("integers are expected")
    return trace.step(text % tuple(one[0] for one in operands), [n for one in operands for n in one[1]])


def where(condition, then, otherwise):
    """`then` if the condition holds, else `otherwise`: for functions that become layouts, and for numbers."""
    if any(isinstance(v, Symbol) for v in (condition, then, otherwise)):
        if not isinstance(condition, Symbol):
            return then if condition else otherwise
        return _traced("%s if %s else %s", (then, condition, otherwise))
    return then if condition else otherwise


def minimum(a, b):
    """The smaller of two integers: for functions that become layouts, and for numbers."""
    return _traced("min(%s, %s)", (a, b)) if isinstance(a, Symbol) or isinstance(b, Symbol) else min(a, b)


def maximum(a, b):
    """The larger of two integers: for functions that become layouts, and for numbers."""
    return _traced("max(%s, %s)", (a, b)) if isinstance(a, Symbol) or isinstance(b, Symbol) else max(a, b)


def traced(function, shape):
    """The function as text of the worksheet language, or a list of texts, one per number that it returns.

    NotTraceable, or the function's own exception.
    """
    trace = _Trace()
    names = ["d%d" % k for k in range(len(shape))]
    over = ", ".join("%d" % extent for extent in shape)

    def text(result):
        if not isinstance(result, Symbol) and _operand(result) is None:
            raise TypeError("the function returns %s, not an integer" % type(result).__name__)
        return "python {\n%s} over (%s)" % (trace.program(names, result), over)

    result = function(*[Symbol(trace, name) for name in names])
    return [text(one) for one in result] if isinstance(result, (tuple, list)) and result else text(result)
