"""The programs that certificate_checker.py reads, as polynomials. It shares no code with Tessera.

    for (k = 0; k < K; k += 2) { %o = %y.tile([4:1])[@b,@i]  %o <- Move(%x) }

        a site with the loop $loop0 < K/2, that writes %y at 4*$block0 + $thread0

The subset: kernels with tile, reshape, indexing, indices(), loops and conditions. Parameters, definitions and calls are
rejected. Law: an instance of a site exists if all its conditions hold.
"""
import math
import operator
import re

MOST_SIZE, MOST_TERMS, MOST_WAYS, MOST_STEPS = 1 << 20, 4096, 256, 4096
# Orders the threads of a warp, or other asynchronous instructions than cp.async. No obligation rests on it here.
ORDERING = r'(?:fence\.async|wgmma\.\w+(?:\s+\d+)?|syncwarp|mbarrier\.\w+[^\n}]*)(?=\s|\}|$)'
ARITHMETIC = {'+': operator.add, '-': operator.sub, '*': operator.mul, '/': operator.floordiv, '%': operator.mod}
OPPOSITE = {'<': '>=', '>=': '<', '<=': '>', '>': '<=', '==': '!=', '!=': '=='}
UNKNOWN = r'(?<!\w)_(?!\w)'
LONG_NAMES = {'UnaryPW': 'UnaryPointwise', 'BinaryPW': 'BinaryPointwise'}
INPUTS = {'Move': 1, 'Init': 0, 'MatMul': 2, 'UnaryPointwise': 1, 'BinaryPointwise': 2}


class Rejected(Exception):
    pass


class Record:
    """Named values. It equals only itself."""

    def __init__(self, **fields):
        self.__dict__.update(fields)


def require(condition, why):
    if not condition:
        raise Rejected(why)


# ---- Polynomials
FLOORS = {}  # name of an atom: (the polynomial that is divided, the divisor)


class Poly:
    """Coefficients of monomials: sorted tuples of atoms. An atom is a variable, or floor((polynomial)/number)."""

    def __init__(self, terms):
        """A sum of (monomial, coefficient) pairs."""
        self.terms = {}
        for m, c in terms:
            self.terms[m] = self.terms.get(m, 0) + c
        self.terms = {m: c for m, c in self.terms.items() if c}
        require(len(self.terms) <= MOST_TERMS and all(abs(c) < 1 << 256 for c in self.terms.values()),
                'an expression is too large')

    def number(self):
        """The value, None if it has variables."""
        return None if any(self.terms) else self.terms.get((), 0)

    def __eq__(self, other):
        return type(other) in (Poly, int) and self.terms == poly(other).terms

    def __add__(self, other):
        return Poly([*self.terms.items(), *poly(other).terms.items()])

    def __mul__(self, other):
        other = poly(other).terms.items()
        return Poly((tuple(sorted(m + n)), c * d) for m, c in self.terms.items() for n, d in other)

    def __sub__(self, other):
        return self + poly(other) * -1

    def __rsub__(self, other):
        return poly(other) + self * -1

    def __floordiv__(self, other):
        d = poly(other).number()
        require(d is not None and d > 0, 'a divisor that is no positive number')
        out, rest = [Poly((m, f(c, d)) for m, c in self.terms.items()) for f in (operator.floordiv, operator.mod)]
        if rest.number() is not None:
            return out
        atoms = [m for m in rest.terms if m]
        if len(atoms) == 1 and len(atoms[0]) == 1 and rest.terms[atoms[0]] == 1 and atoms[0][0] in FLOORS:
            inner, e = FLOORS[atoms[0][0]]  # floor((floor(a/e) + n)/d) = floor((a + e*n)/(d*e))
            return out + (inner + rest.terms.get((), 0) * e) // (d * e)
        name = 'floor((%s)/%d)' % (rest, d)
        FLOORS[name] = (rest, d)
        return out + var(name)

    def __mod__(self, other):
        return self - self // other * other

    def __str__(self):
        parts = sorted('%d*%s' % (c, '*'.join(m)) for m, c in self.terms.items() if m)
        if self.terms.get(()) or not parts:
            parts.append(str(self.terms.get((), 0)))
        return ' + '.join(parts)


def poly(value):
    return value if type(value) is Poly else Poly([((), value)])


def var(name):
    return Poly([((name,), 1)])


def product(factors):
    return math.prod(factors, start=poly(1))


def substitute(p, values):
    def valueOf(atom):
        if atom in FLOORS:
            return substitute(FLOORS[atom][0], values) // FLOORS[atom][1]
        return values.get(atom, var(atom))
    return sum((product(map(valueOf, m)) * c for m, c in p.terms.items()), poly(0))


def definitions(polynomials):
    """What may be used of the floors in the polynomials, each >= 0."""
    out, todo, known = [], list(polynomials), set()
    while todo:
        for atom in ({atom for m in todo.pop().terms for atom in m} & FLOORS.keys()) - known:
            known.add(atom)
            inner, d = FLOORS[atom]
            rest = inner - var(atom) * d
            out += [rest, d - 1 - rest]
            todo.append(inner)
    for one in known:  # floor(b/(m*k)) = floor((floor(a/m) + n)/k), if b = a + m*n
        for other in known:
            (a, m), (b, mk) = FLOORS[one], FLOORS[other]
            n = b - a
            if mk > m and mk % m == 0 and all(c % m == 0 for c in n.terms.values()):
                rest = n // m + var(one) - var(other) * (mk // m)
                out += [rest, mk // m - 1 - rest]
    return out


# ---- Layouts. A mode: (size, dimension of the storage, step in it, stride of the address).
def tensorOf(storage, levels, origin, parent=None):
    """A tensor: a view of a storage, levels of dimensions of modes, the fastest mode first."""
    return Record(storage=storage, levels=levels, origin=origin, parent=parent)


def modesOf(tensor):
    return [mode for level in tensor.levels for dim in level for mode in dim]


def isProduct(pairs):
    """Whether each stride is the product of the smaller sizes."""
    running, left = poly(1), [(n, s) for n, s in pairs if n != 1]
    while left:
        found = [k for k, (_, s) in enumerate(left) if s == running]
        if not found:
            return False
        running = running * left.pop(found[0])[0]
    return True


def isInjective(pairs):
    """Whether different coordinates have different addresses."""
    numbers = [(s.number(), n.number()) for n, s in pairs if n != 1]
    if any(None in pair for pair in numbers):
        return isProduct(pairs)
    numbers.sort()
    return all(s > sum(t * (n - 1) for t, n in numbers[:k]) for k, (s, _) in enumerate(numbers))


def tiled(dim, tile):
    """(the arrangement of the tiles, the places of a tile), each a list of modes."""
    if tile is None:
        return [(poly(1), dim[0][1], poly(0), poly(0))], dim
    extent, around, span = product(mode[0] for mode in dim), [], 1
    for size, stride in sorted(tile, key=lambda run: run[1]):
        if size > 1:
            require(stride % span == 0, 'the strides of a tile do not nest')
            around.append((poly(stride // span), span))
            span = stride * size
    require(len(dim) == 1 or extent % span == 0 and extent.number() is not None,
            'a partial tile of a hierarchical dimension')
    around.append(((extent + span - 1) // span, span))
    return composed(dim, around), composed(dim, [(poly(size), stride) for size, stride in tile])


def reshaped(level, dims):
    """Row-major: the last dimension is fastest, and the first mode in it. Each of dims is one (size, stride)."""
    modes = [mode for dim in reversed(level) for mode in dim]
    require(product(m[0] for m in modes) == product(n for dim in dims for n, _ in dim), 'reshape changes the size')
    require(all(len(dim) == 1 and dim[0][1].number() is not None for dim in dims) and
            isProduct([dim[0] for dim in dims]), 'reshape is no permutation')
    return [composed(modes, [(n, max(s.number(), 1))]) for (n, s), in dims]


def composed(modes, runs):
    """The modes that visit (size, step) places of the linear index of the modes, fastest first."""
    out = []
    for left, step in runs:
        for n, d, way, stride in modes[:-1]:
            n, size = n.number(), left.number()
            require(None not in (n, size), 'a symbolic size in a hierarchical dimension')
            if step % n == 0:
                step //= n
            elif size > 1:
                here = min(size, n // step)
                require(n % step == 0 and size % here == 0, 'no strided part of a dimension')
                out.append((poly(here), d, way * step, stride * step))
                left, step = poly(size // here), 1
        _, d, way, stride = modes[-1]
        out.append((left, d, way * step, stride * step))
    out = [m for m in out if m[0] != 1]
    return out or [(poly(1), modes[0][1], poly(0), poly(0))]


# ---- Conditions: conjunctions ("ways") of polynomials, each >= 0
def cases(a, op, b):
    """The disjoint ways to meet a comparison."""
    less, more = b - a, a - b
    return {'<': [[less - 1]], '<=': [[less]], '>': [[more - 1]], '>=': [[more]], '==': [[more, less]],
            '!=': [[less - 1], [more - 1]]}[op]


def met(ways, comparisons):
    for comparison in comparisons:
        ways = [way + case for way in ways for case in cases(*comparison)]
        require(len(ways) <= MOST_WAYS, 'too many cases')
    return ways


def missed(ways, comparisons):
    out = []
    for a, op, b in comparisons:
        out += met(ways, [(a, OPPOSITE[op], b)])
        ways = met(ways, [(a, op, b)])
    return out


# ---- Clocks: the barriers passed and the groups of copies closed (commit); None if their number has a condition
def after(clock, steps, times=1):
    return [None if c is None or s is None else c + poly(s) * times for c, s in zip(clock, steps)]


# ---- The text of a program
class Text:
    """A place in a text, and the expressions there, over any variables."""

    def __init__(self, source):
        self.source, self.at = source, 0

    @classmethod
    def value(cls, source):
        require(type(source) is str, 'a value is no text')
        reader = Text(source)
        out = reader.expression()
        require(not source[reader.at:].strip(), 'a value is no expression')
        return out

    def line(self):
        return self.source.count('\n', 0, self.at) + 1

    def take(self, pattern, needed=False):
        """The last group of the pattern or all of it, if it is next."""
        found = re.compile(r'\s*(?:%s)' % pattern).match(self.source, self.at)
        require(found or not needed, 'outside the subset: %r, no %s' % (self.source[self.at:self.at + 20], pattern))
        if found:
            self.at = found.end()
            return found.groups()[-1] if found.groups() else found.group().strip() or True

    def need(self, pattern):
        return self.take(pattern, True)

    def list(self, one, close):
        out = []
        while not self.take(close):
            if out:
                self.need(',')
            out.append(one())
        return out

    def expression(self):
        return self.chain(r'([+-])(?!=)', lambda: self.chain(r'([*/%])', self.factor))

    def chain(self, operators, part):
        out, op = part(), self.take(operators)
        while op:
            out = ARITHMETIC[op](out, part())
            op = self.take(operators)
        return out

    def factor(self):
        number = self.take(r'(\d+)')
        if number:
            return poly(int(number))
        if self.take('-'):
            return 0 - self.factor()
        if self.take(r'ceildiv\s*\('):
            out, by = self.list(self.expression, r'\)')
            return (out + by - 1) // by
        if self.take(r'\('):
            out = self.expression()
            self.need(r'\)')
            return out
        return self.variable(self.need(r"([@$]?[A-Za-z_]\w*'*)"))

    def variable(self, name):
        return var(name)

    def condition(self, close):
        out = []
        while not out or not self.take(close):
            if out:
                self.need('&&')
            out.append((self.expression(), self.need(r'(<=|>=|==|!=|<|>)'), self.expression()))
        return out


class Reader(Text):
    """Kernels with their steps, which are sites and waits, as polynomials over $blockD, $threadD, $loopN and sizes.
    `facts` are >= 0: the range of the sizes, and what `assume` says. Where it says M % 128 == 0, M is 128*$units_M."""

    def __init__(self, source, numbers):
        super().__init__(re.sub(r'//[^\n]*', lambda m: ' ' * len(m.group()), source) + '\n}')
        require(all(0 < n < 1 << 62 for n in numbers.values()), 'a size that is no size')
        self.numbers, self.given, self.units, self.facts = numbers, set(), {}, []
        self.scopes, self.kernels, self.kernel = [{}], [], None
        self.path, self.specs, self.loops, self.leaves = [], [], 0, 0
        self.assumed = [m.span(1) for m in re.finditer(r'\bassume\b([^\n]*)', self.source)]
        self.assume()
        self.at = 0
        try:
            self.body([[]], [poly(0), poly(0)])
        except Rejected as e:
            raise Rejected('line %d: %s' % (self.line(), e))
        require(not self.source[self.at:].strip() and not self.assumed, 'a bracket, or an assumption, is no statement')
        require(self.given == set(numbers), 'a number for a size that does not exist')

    def assume(self):
        plain = r'(?:^|&&)\s*([A-Za-z_]\w*)\s*%\s*(\d+)\s*==\s*0\s*(?=&&|;|$)'
        for begin, end in self.assumed:
            for name, by in re.findall(plain, self.source[begin:end]):
                if name not in self.numbers and int(by) > 1:
                    self.units.setdefault(name, int(by))
        whole = self.source
        for begin, end in self.assumed:  # an assumption ends with its line
            self.source, self.at = whole[:end], begin
            ways = [cases(*comparison) for comparison in self.condition(r';?\s*$')]
            self.facts += [f for way in ways if len(way) == 1 for f in way[0]]
        self.source = whole
        require(all((f.number() or 0) >= 0 for f in self.facts), 'a size is not as the program assumes')

    def variable(self, name):
        found = self.look(name, Poly)
        if found is not None:
            return found
        if name in self.numbers:
            self.given.add(name)
            return poly(self.numbers[name])
        require(name[0] not in '@$' and name != 'assume' and not self.kernel, 'no %s' % name)
        size = var('$units_' + name) * self.units[name] if name in self.units else var(name)
        self.facts += [size // self.units.get(name, 1) - 1, MOST_SIZE - size]
        self.scopes[0][name] = size
        return size

    def look(self, name, kind):
        for scope in reversed(self.scopes):
            if name in scope:
                require(isinstance(scope[name], kind), '%s is of another kind' % name)
                return scope[name]
        return None

    def tensor(self, pattern):
        name = self.need(pattern)
        found = self.look(name, Record)
        require(found, 'no tensor %s' % name)
        return found

    def define(self, name, what):
        require(name not in self.scopes[-1], '%s is defined twice' % name)
        self.scopes[-1][name] = what

    # Tensors
    def several(self, one):
        return self.list(one, r'\)') if self.take(r'\(') else [one()]

    def integer(self):
        return int(self.need(r'(\d+)'))

    def dimension(self):
        begin = self.at
        out = self.several(lambda: poly(0) if self.take(UNKNOWN) else self.expression())
        if self.take(r'(?=[-+*/%])'):  # (N + 127)/128 is one size
            self.at = begin
            out = [self.expression()]
        return out

    def shape(self):
        """The (size, stride) pairs of each dimension, after the bracket. Without strides it is row-major."""
        sizes = self.list(self.dimension, r'(?=[:\]])')
        if self.take(':'):
            strides = self.list(self.dimension, r'(?=\])')
        else:
            flat = [size for dim in sizes for size in reversed(dim)]
            steps = [product(flat[k + 1:]) for k in range(len(flat))]
            strides = [[steps.pop(0) for _ in dim][::-1] for dim in sizes]
        self.need(r'\]')
        require([len(s) for s in strides] == [len(s) for s in sizes], 'sizes and strides differ in number')
        return [list(zip(*dim)) for dim in zip(sizes, strides)]

    def tile(self):
        """The (size, stride) pairs of a tile; None for _."""
        if self.take('_'):
            return None
        pairs = [(n.number(), s.number()) for dim in self.shape() for n, s in dim] if self.take(r'\[') else \
            [(self.integer(), 1)]
        require(all(n and s for n, s in pairs), 'a tile of nothing, or of a size')
        return pairs

    def declaration(self, name):
        levels, extents, begin = [], [], self.at
        self.take(r'Sw\s*<[^>]*>\s*o\b')  # a permutation of the addresses
        while self.take(r'\.?\s*\['):
            level = []
            for pairs in self.shape():
                steps = [poly(0 if n == 1 else product(m for m, _ in pairs[:k])) for k, (n, _) in enumerate(pairs)]
                level.append([(n, len(extents), step, s) for (n, s), step in zip(pairs, steps)])
                extents.append(product(n for n, _ in pairs))
            levels += [level] if level else []
        element = self.need(r'\.\s*([a-z]\w*)')
        memory = self.take(r'\.\s*(GL|SH|RF)\b')
        if self.take(r'='):
            return self.view(name)
        require(name[0] == '#' or memory or element == 'mbarrier', '%s is in no memory' % name)
        require(not re.search(UNKNOWN, self.source[begin:self.at]), 'a layout with _')
        out = tensorOf(None, levels, [poly(0) for _ in extents])
        out.storage = Record(
            element=element, memory=memory, extents=extents, levels=levels, specs=list(self.specs),
            operand=self.kernel is None, loops=[loop[0] for loop in self.path],
            injective=isInjective([(m[0], m[3]) for m in modesOf(out)]))
        self.take(r'holds\b[^\n]*')
        self.define(name, out)

    def view(self, name):
        old = self.tensor(r'(%s\w+)' % name[0])
        out = tensorOf(old.storage, list(old.levels), list(old.origin), old)
        while not self.take(r'(?!\s*[.\[])'):
            if self.take(r'\.\s*tile\s*\('):
                tiles = self.list(self.tile, r'\)')
                require(out.levels and len(tiles) == len(out.levels[0]), 'one tile size per dimension')
                out.levels[:1] = map(list, zip(*map(tiled, out.levels[0], tiles)))
            elif self.take(r'\.\s*reshape\s*\('):
                depth = self.integer()
                self.need(r',\s*\[')
                require(depth < len(out.levels), 'no such level')
                out.levels[depth] = reshaped(out.levels[depth], self.shape())
                self.need(r'\)')
            elif self.take(r'\.\s*scalar\s*\(\s*\)'):
                out.levels = []
            else:
                self.need(r'\[')
                index = self.list(self.expression, r'\]')
                require(out.levels and len(index) == len(out.levels[0]), 'one index per dimension')
                for dim, value in zip(out.levels.pop(0), index):
                    for k, (size, d, step, _) in enumerate(dim):
                        last = k + 1 == len(dim)
                        out.origin[d] = out.origin[d] + (value if last else value % size) * step
                        value = value if last else value // size
        self.define(name, out)

    # Statements: the ways to get here, and the clock, which each returns.
    def body(self, ways, clock):
        self.scopes.append({})
        while not self.take('}'):
            clock = self.statement(ways, clock)
        self.scopes.pop()
        return clock

    def statement(self, ways, clock):
        if self.take(r'sync\b'):
            return after(clock, [1, 0])
        if self.take(r'commit\b'):
            return after(clock, [0, 1])
        if self.take(r'for\s*\('):
            return self.loop(ways, clock)
        if self.take(r'if\s*\('):
            return self.branch(ways, clock)
        if self.take(r'wait\s+(?=\d)'):
            self.step(ways, clock, {'pending': self.integer()})
        elif self.take(ORDERING):
            require(self.kernel, 'a statement outside of a kernel')
        elif len(self.scopes) == 2 and self.take(r'assume\b[^\n]*'):  # read by assume()
            self.assumed.pop(0)
        else:
            name = self.take(r'([%#]\w+)')
            if name and not self.take(r'(?=[:=])'):
                return self.specification(name, ways, clock)
            if not name:  # (@m, @n), _ = #t.indices()
                self.indices()
            elif self.take(':'):
                self.declaration(name)
            elif self.take('='):
                self.view(name)
        return clock

    def step(self, ways, clock, what):
        require(self.kernel and len(self.kernel.steps) + len(ways) <= MOST_STEPS, 'no kernel, or too many statements')
        self.kernel.steps += [Record(**what, clock=clock, loops=list(self.path), guards=way) for way in ways]

    def indices(self):
        levels = self.list(lambda: self.several(lambda: self.need(r'(@\w+|_)')), '=')
        tensor = self.tensor(r'(#\w+)')
        self.need(r'\.\s*indices\s*\(\s*\)')
        require(self.kernel, 'indices() outside of a kernel')
        # A level of one dimension may have a name for each mode.
        parts = [[[mode] for mode in level[0]] if len(level) == 1 and len(names) > 1 else level
                 for level, names in zip(tensor.levels, levels)]
        require([len(names) for names in levels] == [len(level) for level in parts] and
                len(parts) == len(tensor.levels), 'a name for each dimension')
        word, whole = next(((word, t) for word, t in (('$block', self.kernel.grid), ('$thread', self.kernel.cta))
                            if t.storage is tensor.storage), (None, None))
        require(word, 'indices() of other threads')
        digits = [(var('%s%d' % (word, d)), n, s) for d, (n, _, _, s) in enumerate(modesOf(whole)) if n != 1]
        number = sum((x * s for x, _, s in digits), poly(0))

        def digit(size, stride):
            same = [x for x, n, s in digits if (n, s) == (size, stride)]
            return poly(0) if size == 1 else same[0] if same else number // stride % size
        for names, level in zip(levels, parts):
            for name, dim in zip(names, level):
                if name != '_':
                    self.define(name, sum((digit(m[0], m[3]) * product(n[0] for n in dim[:k])
                                           for k, m in enumerate(dim)), poly(0)))

    def loop(self, ways, clock):
        """$restN is 1 in all iterations but the last."""
        name = self.need(r'([A-Za-z_]\w*)\s*=')
        lo = self.expression()
        self.need(r';\s*%s\s*<' % name)
        hi = self.expression()
        step = int(self.need(r';\s*%s\s*(?:\+\+|\+=\s*(\d+))\s*\)\s*\{' % name) or 1)
        require(step > 0, 'a step of 0')
        number, self.loops = self.loops, self.loops + 1
        n, rest = var('$loop%d' % number), '$rest%d' % number
        self.path.append((number, lo, hi, step))
        self.scopes.append({name: lo + n * step})
        first = len(self.kernel.steps) if self.kernel else 0
        each = self.body(ways, [poly(0), poly(0)])  # of one iteration; the clocks inside are relative to it
        self.scopes.pop()
        self.path.pop()

        def known(steps, *unknown):
            return [None if any(name in str(c) for name in unknown) else c for c in steps]
        each = known(each, '$loop%d' % number)
        early, last = [[c and substitute(c, {rest: poly(x)}) for c in each] for x in (1, 0)]
        if self.kernel and any(c is not None and c != 0 for c in early):  # what follows needs trips >= 0
            self.kernel.trips.append((number, list(self.path), hi - lo + step - 1))
        for one in self.kernel.steps[first:] if self.kernel else []:
            one.clock = known(after(after(clock, early, n), one.clock), rest)
        return after(after(clock, early, (hi - lo + step - 1) // step - 1), last)

    def branch(self, ways, clock):
        condition = self.condition(r'\)')
        alone = met([[]], condition)
        require(all(p.number() is None for way in alone for p in way), 'a condition without variables')
        self.need(r'\{')
        then, other = self.body(met(ways, condition), clock), clock
        if self.take(r'else\b'):
            body = self.branch if self.take(r'if\s*\(') else self.body
            require(body == self.branch or self.take(r'\{'), 'else without a body')
            other = body(missed(ways, condition), clock)
        rest = [var('$rest%d' % k) for k, lo, hi, step in self.path
                if step == 1 and ((hi - lo).number() or 0) > 0 and alone == [[hi - lo - 2 - var('$loop%d' % k)]]]
        return [b if a == b else after([b], [a - b], rest[0])[0] if rest and a and b else None
                for a, b in zip(then, other)]

    def specification(self, first, ways, clock):
        line = self.line()
        outputs = [first]
        while self.take(','):
            outputs.append(self.need(r'(%\w+)'))
        kind = self.need(r'<-\s*([A-Za-z_]\w*)')
        kind = LONG_NAMES.get(kind, kind)
        attribute = (self.take(r'<(?!<<)\s*([^<>]+?)\s*>') or '').strip()
        threads = self.list(lambda: self.tensor(r'(#\w+)'), '>>>') if self.take('<<<') else []
        self.need(r'\(')
        inputs = self.list(lambda: self.tensor(r'(%\w+)'), r'\)')
        outputs = [self.look(n, Record) for n in outputs]
        require(None not in outputs, 'no such output')
        what = {'line': line, 'kind': kind, 'attribute': attribute, 'outputs': outputs, 'inputs': inputs,
                'tensors': outputs + inputs, 'meaning': self.take(r'(means\s*\{[^{}]*\})')}
        if self.kernel is None:
            require([t.storage.element for t in threads] == ['block', 'thread'] and not self.path and ways == [[]],
                    'a kernel needs a grid, and no loop or condition')
            require(all(len(t.levels) == 1 and all(len(dim) == 1 for dim in t.levels[0]) and
                        isProduct([(m[0], m[3]) for m in modesOf(t)]) for t in threads), 'threads without digits')
            self.kernel = Record(**what, grid=threads[0], cta=threads[1], steps=[], trips=[])
        if self.take(r'\{'):
            self.specs.append(self.kernel if not self.specs else Record(**what))
            clock = self.body(ways, clock)
            self.specs.pop()
            if not self.specs:
                self.kernels.append(self.kernel)
                self.kernel.sites = [one for one in self.kernel.steps if one.pending is None]
                self.kernel.waits = [one for one in self.kernel.steps if one.pending is not None]
                self.kernel = None
            return clock
        require(self.specs, 'a kernel without a body')
        # An instruction of one thread. It has ended when the thread passes it, or it is cp.async.
        one = len(outputs) == 1 and INPUTS.get(kind) == len(inputs) and all(not t.levels for t in threads)
        copies = one and kind == 'Move' and attribute in ('async', 'async.ca') and \
            [(t.storage.memory, t.storage.loops) for t in outputs + inputs] == [('SH', []), ('GL', [])]
        self.step(ways, clock, {**what, 'single': one and not (kind == 'Move' and attribute), 'copies': copies,
                                'flights': None, 'pending': None, 'leaf': self.leaves, 'specs': list(self.specs)})
        self.leaves += 1
        return clock
