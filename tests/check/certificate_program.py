"""The programs that certificate_checker.py reads, as polynomials. It shares no code with Tessera.

    for (k = 0; k < K; k += 2) { %o = %y.tile([4:1])[@b,@i]  %o <- Move(%x) }

        a site with the loop $loop0 < K/2, that writes %y at 4*$block0 + $thread0

The subset: kernels with tile, reshape, indexing, indices(), loops and conditions. Parameters, definitions and calls are
rejected. Law: an instance of a site exists if all its conditions hold.
"""
import re

DEEPEST, MOST_TERMS, MOST_WAYS, MOST_SITES = 60, 4096, 256, 4096
# Statements about asynchronous copies and products, and barriers of other groups than the block.
ORDERING = r'(?:commit|wait\s+\d+|fence\.async|wgmma\.\w+(?:\s+\d+)?|syncwarp|mbarrier\.\w+[^\n}]*)(?=\s|\}|$)'


class Rejected(Exception):
    pass


def require(condition, why):
    if not condition:
        raise Rejected(why)


# ---- Polynomials: {sorted tuple of atoms: coefficient}; an atom is a variable or floor((polynomial)/number).
FLOORS = {}


def const(n):
    return {(): n} if n else {}


def var(name):
    return {(name,): 1}


def plus(a, b, times=1):
    out = dict(a)
    for m, c in b.items():
        out[m] = out.get(m, 0) + c * times
    return {m: c for m, c in out.items() if c}


def times(a, b):
    out = {}
    for m, c in a.items():
        for n, d in b.items():
            key = tuple(sorted(m + n))
            out[key] = out.get(key, 0) + c * d
    require(len(out) <= MOST_TERMS and all(abs(c) < 1 << 256 for c in out.values()), 'an expression is too large')
    return {m: c for m, c in out.items() if c}


def text(p):
    parts = sorted('%d*%s' % (c, '*'.join(m)) for m, c in p.items() if m)
    if p.get(()) or not parts:
        parts.append(str(p.get((), 0)))
    return ' + '.join(parts)


def floor(p, by):
    require(list(by) == [()] and by[()] > 0, 'a divisor that is no positive number')
    d = by[()]
    out = {m: c // d for m, c in p.items() if c // d}
    rest = {m: c % d for m, c in p.items() if c % d}
    if not any(rest):
        return out
    atoms = [m for m in rest if m]
    if len(atoms) == 1 and len(atoms[0]) == 1 and rest[atoms[0]] == 1 and atoms[0][0] in FLOORS:
        inner, e = FLOORS[atoms[0][0]]  # floor((floor(a/e) + n)/d) = floor((a + e*n)/(d*e))
        return plus(out, floor(plus(inner, const(rest.get((), 0) * e)), const(d * e)))
    name = 'floor((%s)/%d)' % (text(rest), d)
    FLOORS[name] = (rest, d)
    return plus(out, var(name))


def mod(p, by):
    return plus(p, times(floor(p, by), by), -1)


def substitute(p, values):
    out = {}
    for m, c in p.items():
        part = const(c)
        for atom in m:
            if atom in FLOORS:
                inner, d = FLOORS[atom]
                part = times(part, floor(substitute(inner, values), const(d)))
            else:
                part = times(part, values.get(atom, var(atom)))
        out = plus(out, part)
    return out


def definitions(polynomials):
    out, todo, known = [], list(polynomials), set()
    while todo:
        for atom in {a for m in todo.pop() for a in m}:
            if atom in FLOORS and atom not in known:
                known.add(atom)
                inner, d = FLOORS[atom]
                rest = plus(inner, var(atom), -d)
                out += [rest, plus(const(d - 1), rest, -1)]
                todo.append(inner)
    for one in known:  # floor(b/(m*k)) = floor((floor(a/m) + n)/k), if b = a + m*n
        for other in known:
            (a, m), (b, mk) = FLOORS[one], FLOORS[other]
            n = plus(b, a, -1)
            if mk > m and mk % m == 0 and all(c % m == 0 for c in n.values()):
                rest = plus(plus({t: c // m for t, c in n.items()}, var(one)), var(other), -(mk // m))
                out += [rest, plus(const(mk // m - 1), rest, -1)]
    return out


# ---- The text of a program
class Tensor:
    def __init__(self, storage, levels, origin, parent=None):
        self.storage, self.levels, self.origin, self.parent = storage, levels, origin, parent

    def modes(self):
        return [m for level in self.levels for dim in level for m in dim]


class Storage:
    def __init__(self, **fields):
        self.__dict__.update(fields)


class Site:
    def __init__(self, **fields):
        self.__dict__.update(fields)


def opposite(c):
    return (c[0], {'<': '>=', '>=': '<', '<=': '>', '>': '<=', '==': '!=', '!=': '=='}[c[1]], c[2])


def met(ways, comparisons):
    for a, op, b in comparisons:
        cases = [(a, '<', b), (a, '>', b)] if op == '!=' else [(a, op, b)]
        ways = [way + [case] for way in ways for case in cases]
        require(len(ways) <= MOST_WAYS, 'too many cases')
    return ways


def missed(ways, comparisons):
    out = []
    for c in comparisons:
        out += met(ways, [opposite(c)])
        ways = met(ways, [c])
    return out


class Reader:
    """Kernels with their sites, as polynomials over $blockD, $threadD, $loopN and the names of sizes."""

    def __init__(self, source, sizes):
        self.numbers, self.given = sizes, set()
        require(all(0 < n < 1 << 62 for n in sizes.values()), 'a size that is no size')
        # Certificates are about all sizes, so what the program assumes of them says nothing here.
        self.source = re.sub(r'//[^\n]*|(?<![^\n])[ ]*assume\b[^\n]*', lambda m: ' ' * len(m.group()), source)
        self.at, self.scopes, self.sizes, self.kernels, self.loops = 0, [{}], [], [], 0
        self.kernel, self.path, self.specs, self.depth, self.leaves = None, [], [], 0, 0
        self.body(end=False)
        require(self.given == set(sizes), 'a number for a size that does not exist')

    @classmethod
    def value(cls, source):
        """An expression over any variables."""
        require(type(source) is str, 'a value is no text')
        reader = cls.__new__(cls)
        reader.source, reader.at, reader.depth, reader.scopes, reader.kernel = source, 0, 0, None, None
        out = reader.expression()
        require(not source[reader.at:].strip(), 'a value is no expression')
        return out

    def fail(self, why):
        raise Rejected('line %d: %s' % (self.source.count('\n', 0, self.at) + 1, why))

    def take(self, pattern, needed=False):
        found = re.compile(r'\s*(?:%s)' % pattern).match(self.source, self.at)
        if not found:
            if needed:
                self.fail('outside the subset: %r instead of %s' % (self.source[self.at:self.at + 20].strip(), pattern))
            return None
        self.at = found.end()
        return found.groups()[-1] if found.groups() else found.group().strip() or True

    def need(self, pattern):
        return self.take(pattern, True)

    def look(self, name, kind):
        for scope in reversed(self.scopes):
            if name in scope:
                require(isinstance(scope[name], kind), '%s is of another kind' % name)
                return scope[name]
        return None

    def list(self, one, close):
        out = []
        while not self.take(close):
            if out:
                self.need(',')
            out.append(one())
        return out

    # Expressions
    def expression(self):
        out = self.product()
        while True:
            op = self.take(r'([+-])(?!=)')
            if not op:
                return out
            out = plus(out, self.product(), 1 if op == '+' else -1)

    def product(self):
        out = self.factor()
        while True:
            op = self.take(r'([*/%])')
            if not op:
                return out
            other = self.factor()
            out = times(out, other) if op == '*' else floor(out, other) if op == '/' else mod(out, other)

    def factor(self):
        self.depth += 1
        require(self.depth < DEEPEST, 'an expression is nested too deeply')
        if self.take(r'\('):
            out = self.expression()
            self.need(r'\)')
        elif self.take('-'):
            out = times(const(-1), self.factor())
        elif self.take(r'ceildiv\s*\('):
            out = self.expression()
            self.need(',')
            by = self.expression()
            self.need(r'\)')
            out = floor(plus(plus(out, by), const(1), -1), by)
        else:
            number = self.take(r'(\d+)')
            out = const(int(number)) if number else self.variable(self.need(r"([@$]?[A-Za-z_]\w*'*)"))
        self.depth -= 1
        return out

    def variable(self, name):
        if self.scopes is None:
            return var(name)
        found = self.look(name, dict)
        if found is not None:
            return found
        if name in self.numbers:
            self.given.add(name)
            return const(self.numbers[name])
        if name[0] in '@$' or self.kernel:
            self.fail('no index %s' % name)
        self.sizes.append(name)
        self.scopes[0][name] = var(name)
        return var(name)

    # Tensors
    def dimension(self):
        return self.list(self.expression, r'\)') if self.take(r'\(') else [self.expression()]

    def shape(self):
        """The sizes and strides of each dimension, after the bracket."""
        sizes = self.list(self.dimension, r'(?=[:\]])')
        strides = None
        if self.take(':'):
            strides = self.list(self.dimension, r'(?=\])')
            require([len(s) for s in strides] == [len(s) for s in sizes], 'sizes and strides differ in number')
        self.need(r'\]')
        if strides is None:
            strides, running = [], const(1)
            for dim in reversed(sizes):
                strides.insert(0, [])
                for size in dim:
                    strides[0].append(running)
                    running = times(running, size)
        return list(zip(sizes, strides))

    def declaration(self, name):
        self.take(r'Sw\s*<[^>]*>\s*o\b')  # a permutation of the addresses
        levels = []
        while self.take(r'\.?\s*\['):
            levels.append(self.shape())
        element = self.need(r'\.\s*([a-z]\w*)')
        memory = self.take(r'\.\s*(GL|SH|RF)\b')
        if self.take(r'='):
            return self.view(name)
        self.take(r'holds\b[^\n]*')
        require(name[0] == '#' or memory or element == 'mbarrier', '%s is in no memory' % name)
        extents, made, pairs = [], [], []
        for level in levels:
            made.append([])
            for sizes, strides in level:
                step, dim = const(1), []
                for size, stride in zip(sizes, strides):
                    one = size == const(1)
                    dim.append((size, len(extents), const(0) if one else step, const(0) if one else stride))
                    step = times(step, size)
                    pairs.append((size, stride))
                made[-1].append(dim)
                extents.append(step)
        made = [level for level in made if level]
        storage = Storage(name=name, element=element, memory=memory, extents=extents, operand=self.kernel is None,
                          loops=[l[0] for l in self.path], nested=nests(pairs), levels=made,
                          specs=list(self.specs))
        self.define(name, Tensor(storage, made, [const(0) for _ in extents]))

    def define(self, name, what):
        require(name not in self.scopes[-1], '%s is defined twice' % name)
        self.scopes[-1][name] = what

    def view(self, name):
        source = self.need(r'([%#]\w+)')
        old = self.look(source, Tensor)
        require(old is not None and source[0] == name[0], 'no tensor %s' % source)
        out = Tensor(old.storage, list(old.levels), list(old.origin), old)
        while True:
            if self.take(r'\.\s*tile\s*\('):
                tiles = self.list(self.tile, r'\)')
                require(out.levels and len(tiles) == len(out.levels[0]), 'one tile size per dimension')
                pairs = [tiled(dim, tile) for dim, tile in zip(out.levels[0], tiles)]
                out.levels[:1] = [[p[0] for p in pairs], [p[1] for p in pairs]]
            elif self.take(r'\.\s*reshape\s*\('):
                depth = int(self.need(r'(\d+)'))
                self.need(r',\s*\[')
                sizes = self.list(lambda: int(self.need(r'(\d+)')), r'(?=[:\]])')
                strides = self.list(lambda: int(self.need(r'(\d+)')), r'(?=\])') if self.take(':') else None
                self.need(r'\]\s*\)')
                require(depth < len(out.levels), 'no such level')
                out.levels[depth] = reshaped(out.levels[depth], sizes, strides)
            elif self.take(r'\.\s*scalar\s*\(\s*\)'):
                out.levels = []
            elif self.take(r'\['):
                index = self.list(self.expression, r'\]')
                require(out.levels and len(index) == len(out.levels[0]), 'one index per dimension')
                for dim, value in zip(out.levels.pop(0), index):
                    for k, (size, d, step, _) in enumerate(dim):
                        digit = value if k + 1 == len(dim) else mod(value, size)
                        out.origin[d] = plus(out.origin[d], times(digit, step))
                        value = value if k + 1 == len(dim) else floor(value, size)
            else:
                break
        if self.take(r'\.'):
            self.fail('outside the subset: an operation on a tensor')
        self.define(name, out)

    def tile(self):
        if self.take('_'):
            return None
        bracket = self.take(r'\[')
        size = int(self.need(r'(\d+)'))
        stride = int(self.need(r'(\d+)')) if bracket and self.take(':') else 1
        if bracket:
            self.need(r'\]')
        require(size > 0 and stride > 0, 'a tile of nothing')
        return size, stride

    # Statements. The state: the ways to get here (conjunctions), and the barriers passed.
    def body(self, end=True, ways=((),), phase=None):
        self.depth += 1
        require(self.depth < DEEPEST, 'statements are nested too deeply')
        self.scopes.append({})
        phase = const(0) if phase is None else phase[0]
        while not (self.take('}') if end else self.at >= len(self.source.rstrip())):
            phase = self.statement([list(way) for way in ways], phase)
        self.scopes.pop()
        self.depth -= 1
        return phase

    def statement(self, ways, phase):
        if self.take(r'sync\b'):
            return None if phase is None else plus(phase, const(1))
        if self.take(ORDERING):
            require(self.kernel, 'a statement outside of a kernel')
            self.kernel.single = False
            return phase
        if self.take(r'for\s*\('):
            return self.loop(ways, phase)
        if self.take(r'if\s*\('):
            return self.branch(ways, phase)
        name = self.take(r'([%#]\w+)')
        if not name:  # (@m, @n), _ = #t.indices()
            self.indices()
        elif self.take(':'):
            self.declaration(name)
        elif self.take('='):
            self.view(name)
        else:
            return self.specification(name, ways, phase)
        return phase

    def indexName(self):
        return self.need(r'(@\w+|_)')

    def indices(self):
        levels = []
        while not levels or self.take(','):
            several = self.take(r'\(')
            levels.append(self.list(self.indexName, r'\)') if several else [self.indexName()])
        self.need('=')
        tensor = self.look(self.need(r'(#\w+)'), Tensor)
        self.need(r'\.\s*indices\s*\(\s*\)')
        require(self.kernel and tensor is not None, 'indices() of something else')
        ranks = [len(level) for level in tensor.levels]
        require([len(names) for names in levels] == ranks, 'a name for each dimension')
        grid = tensor.storage is self.kernel.grid.storage
        require(grid or tensor.storage is self.kernel.cta.storage, 'indices() of other threads')
        root = (self.kernel.grid if grid else self.kernel.cta).modes()
        digits = [var('%s%d' % ('$block' if grid else '$thread', d)) for d in range(len(root))]
        number = const(0)
        for digit, (size, _, _, stride) in zip(digits, root):
            number = plus(number, times(digit, stride)) if size != const(1) else number
        for names, level in zip(levels, tensor.levels):
            for name, dim in zip(names, level):
                value, running = const(0), const(1)
                for size, _, _, stride in dim:
                    same = [x for x, m in zip(digits, root) if (m[0], m[3]) == (size, stride)]
                    part = const(0) if size == const(1) else same[0] if same else mod(floor(number, stride), size)
                    value, running = plus(value, times(part, running)), times(running, size)
                if name != '_':
                    self.define(name, value)

    def loop(self, ways, phase):
        name = self.need(r'([A-Za-z_]\w*)')
        self.need('=')
        lo = self.expression()
        self.need(r';\s*%s\s*<' % name)
        hi = self.expression()
        self.need(r';\s*%s' % name)
        step = 1 if self.take(r'\+\+') else int(self.need(r'\+=\s*(\d+)'))
        self.need(r'\)\s*\{')
        require(step > 0, 'a step of 0')
        number, self.loops = self.loops, self.loops + 1
        n = var('$loop%d' % number)
        self.path.append((number, lo, hi, step))
        self.scopes.append({name: plus(lo, n, step)})
        first = len(self.kernel.sites) if self.kernel else 0
        each = self.body(True, ways, [const(0)])  # the barriers of one pass; phases inside are relative to it
        self.scopes.pop()
        self.path.pop()
        if each is not None and '$loop%d' % number in text(each):
            each = None
        known = each is not None and phase is not None
        for site in self.kernel.sites[first:] if self.kernel else []:
            known_here = known and site.phase is not None
            site.phase = plus(plus(site.phase, phase), times(n, each)) if known_here else None
        trips = floor(plus(plus(hi, lo, -1), const(step - 1)), const(step))
        return plus(phase, times(trips, each)) if known else None

    def branch(self, ways, phase):
        ways = [list(way) for way in ways]
        condition = []
        while True:
            a = self.expression()
            op = self.need(r'(<=|>=|==|!=|<|>)')
            b = self.expression()
            require(any(plus(a, b, -1)), 'outside the subset: a condition without variables')
            condition.append((a, op, b))
            if self.take(r'\)'):
                break
            self.need('&&')
        self.need(r'\{')
        then = self.body(True, met(ways, condition), [phase])
        other = phase
        if self.take(r'else\s+if\s*\('):
            other = self.branch(missed(ways, condition), phase)
        elif self.take(r'else\s*\{'):
            other = self.body(True, missed(ways, condition), [phase])
        return then if then == other else None

    def specification(self, first, ways, phase):
        line = self.source.count('\n', 0, self.at) + 1
        outputs = [first]
        while self.take(','):
            outputs.append(self.need(r'(%\w+)'))
        kind = {'UnaryPW': 'UnaryPointwise', 'BinaryPW': 'BinaryPointwise'}
        word = self.need(r'<-\s*([A-Za-z_]\w*)')
        word = kind.get(word, word)
        attribute = (self.take(r'<(?!<<)\s*([^<>]+?)\s*>') or '').strip()
        launch = self.list(lambda: self.need(r'(#\w+)'), '>>>') if self.take('<<<') else []
        self.need(r'\(')
        inputs = self.list(lambda: self.need(r'(%\w+)'), r'\)')
        tensors = [self.look(name, Tensor) for name in outputs + inputs]
        require(None not in tensors, 'line %d: an unknown tensor' % line)
        meaning = self.take(r'(means\s*\{[^{}]*\})')
        threads = [self.look(name, Tensor) for name in launch]
        require(None not in threads, 'line %d: unknown threads' % line)
        if self.kernel is None:
            require(len(threads) == 2, 'line %d: a kernel needs a grid and threads' % line)
            elements = [t.storage.element for t in threads]
            require(elements == ['block', 'thread'], 'line %d: a kernel needs a grid' % line)
            require(all(compact(t) for t in threads), 'threads are not numbered by the digits of their tensor')
            require(not self.path and ways == [[]], 'a kernel in a loop or condition')
            self.kernel = Storage(line=line, kind=word, attribute=attribute, outputs=tensors[:len(outputs)],
                                  inputs=tensors[len(outputs):], grid=threads[0], cta=threads[1], sites=[],
                                  meaning=meaning, single=True)
        own = Storage(outputs=tensors[:len(outputs)], inputs=tensors[len(outputs):])
        if self.take(r'\{'):
            self.specs.append(own)
            phase = self.body(True, ways, [phase])
            self.specs.pop()
            if not self.specs:
                self.kernels.append(self.kernel)
                self.kernel = None
            return phase
        require(self.specs, 'line %d: a kernel without a body' % line)
        single = word in ('Move', 'Init', 'MatMul', 'UnaryPointwise', 'BinaryPointwise') and len(outputs) == 1 and \
            not (word == 'Move' and attribute) and all(not t.levels for t in threads) and \
            len(inputs) == {'Init': 0, 'MatMul': 2, 'BinaryPointwise': 2}.get(word, 1)
        self.kernel.single = self.kernel.single and single
        require(len(self.kernel.sites) + len(ways) <= MOST_SITES, 'too many statements')
        for way in ways:
            self.kernel.sites.append(Site(line=line, kind=word, attribute=attribute, tensors=tensors, phase=phase,
                                          loops=list(self.path), guards=way, leaf=self.leaves, single=single,
                                          outputs=len(outputs), specs=list(self.specs)))
        self.leaves += 1
        return phase


def nests(pairs):
    """Whether different coordinates have different addresses."""
    modes = [(n, s) for n, s in pairs if n != const(1)]
    if all(not any(n) and not any(s) for n, s in modes):
        reach = 0
        for n, s in sorted(((n.get((), 0), s.get((), 0)) for n, s in modes), key=lambda m: m[1]):
            if s <= reach:
                return False
            reach += s * (n - 1)
        return True
    return products(modes)


def products(modes):
    running, modes = const(1), list(modes)
    while modes:
        found = [m for m in modes if m[1] == running]
        if not found:
            return False
        running = times(running, found[0][0])
        modes.remove(found[0])
    return True


def compact(t):
    return len(t.levels) == 1 and all(len(dim) == 1 for dim in t.levels[0]) and \
        products([(m[0], m[3]) for m in t.modes() if m[0] != const(1)])


def tiled(dim, tile):
    """(the arrangement of the tiles, the places of a tile), each a list of modes."""
    if tile is None:
        return [(const(1), dim[0][1], const(0), const(0))], dim
    size, stride = tile
    extent = const(1)
    for mode in dim:
        extent = times(extent, mode[0])
    stride = stride if size > 1 else 1
    span = size * stride
    require(len(dim) == 1 or (not any(extent) and extent[()] % span == 0), 'a partial tile of a hierarchical dimension')
    around = [(const(stride), 1)] if stride > 1 else []
    around.append((floor(plus(extent, const(span - 1)), const(span)), span))
    return composed(dim, around), composed(dim, [(const(size), stride)])


def reshaped(level, sizes, strides):
    """Row-major: the last dimension is fastest, and the first mode in it. Strides are in that order too."""
    modes = [mode for dim in reversed(level) for mode in dim]
    whole = const(1)
    for mode in modes:
        whole = times(whole, mode[0])
    running = 1
    for size in sizes:
        running *= size
    require(whole == const(running) and running > 0, 'reshape changes the size')
    if strides is None:
        strides = []
        for size in sizes:
            running //= size
            strides.append(running)
    pairs = [(const(n), const(s)) for n, s in zip(sizes, strides) if n > 1]
    require(len(strides) == len(sizes) and products(pairs), 'reshape is no permutation')
    return [composed(modes, [(const(n), max(s, 1))]) for n, s in zip(sizes, strides)]


def composed(modes, runs):
    """The modes that visit (size, step) places of the linear index of the modes, fastest first."""
    out = []
    for size, step in runs:
        if len(modes) == 1:
            n, d, way, stride = modes[0]
            out.append((size, d, times(way, const(step)), times(stride, const(step))))
            continue
        require(list(size) == [()], 'a symbolic size in a hierarchical dimension')
        left = size[()]
        for k, (n, d, way, stride) in enumerate(modes):
            if left == 1:
                break
            if k + 1 == len(modes):
                here, by = left, step
            else:
                require(list(n) == [()], 'a symbolic mode')
                if step % n[()] == 0:
                    step //= n[()]
                    continue
                require(n[()] % step == 0, 'no strided part of a dimension')
                here, by = min(left, n[()] // step), step
                require(left % here == 0, 'no strided part of a dimension')
            out.append((const(here), d, times(way, const(by)), times(stride, const(by))))
            left, step = left // here, 1
    out = [m for m in out if m[0] != const(1)]
    return out or [(const(1), modes[0][1], const(0), const(0))]
