#!/usr/bin/env python3
"""Checks a certificate of `tessera check FILE --certificate OUT.json`; docs/certificates.md describes the format.

    certificate_checker.py OUT.json [FILE]       exit code 0: accepted, 1: rejected, with the reason

It derives every goal of each obligation from the text of the program (certificate_program.py), and adds up the
inequalities of each proof in exact integers. It trusts these two files, Python, and that a leaf of kind Move, Init,
MatMul, UnaryPointwise or BinaryPointwise does what its name says, one element at a time. FILE must be the text of the
certificate.
"""
import json
import re
import sys

from certificate_program import FLOORS, Reader, Rejected, const, definitions, plus, require, substitute, times, var

MOST_SIZE, MOST_BYTES, DEEPEST_PROOF = 1 << 20, 1 << 24, 60
LABELS = ['O%d' % k for k in range(1, 9)]
WIDER = {('fp16', 'fp32'), ('bf16', 'fp32')}


def member(value, name, kind):
    require(type(value) is dict and type(value.get(name)) is kind, '%s is missing or of another type' % name)
    return value[name]


def whole(value):
    require(type(value) is int and abs(value) < 1 << 128, 'a number is no integer of 128 bits')
    return value


# ---- Proofs
def inequality(uses):
    require(type(uses) is dict, 'an inequality is no object')
    return {k: whole(v) for k, v in uses.items()}


def written(form):
    """An inequality as the file writes it."""
    return frozenset(('*'.join(m), c) for m, c in form.items())


def contradicts(node, known, depth=0):
    """Whether each leaf adds up to a negative number >= 0. A split on an integer adds an inequality on each side."""
    require(depth < DEEPEST_PROOF and type(node) is dict, 'a proof is nested too deeply, or no object')
    if 'split' in node:
        require(set(node) == {'split', 'at', 'below', 'above'}, 'a split has two sides')
        form, at = inequality(node['split']), whole(node['at'])
        require('' not in form, 'a split on a number')
        contradicts(node['below'], known + [dict({k: -c for k, c in form.items()}, **{'': at})], depth + 1)
        contradicts(node['above'], known + [dict(form, **{'': -at - 1})], depth + 1)
        return
    require(set(node) == {'sum'}, 'a proof is a sum or a split')
    total = {}
    for pair in member(node, 'sum', list):
        require(type(pair) is list and len(pair) == 2, 'a sum is a list of pairs')
        number, factor = whole(pair[0]), whole(pair[1])
        require(0 <= number < len(known) and factor >= 0, 'a multiplier is negative or of no inequality')
        for key, coefficient in known[number].items():
            total[key] = total.get(key, 0) + factor * coefficient
    require(total.pop('', 0) < 0 and not any(total.values()), 'a sum is no contradiction')


class Goals:
    """The goals of one obligation, taken by name."""

    def __init__(self, entry, sizes):
        self.goals, self.choices = {}, {}
        self.sizes = [f for s in sizes for f in (plus(var(s), const(-1)), plus(const(MOST_SIZE), var(s), -1))]
        for goal in member(entry, 'goals', list):
            name = member(goal, 'goal', str)
            require(set(goal) == {'goal', 'uses', 'proof'} and name not in self.goals, 'goal %s is odd' % name)
            self.goals[name] = goal
        for choice in member(entry, 'choices', list):
            name = member(choice, 'choice', str)
            require(name not in self.choices, 'two choices are called %s' % name)
            self.choices[name] = choice

    def prove(self, name, conditions, wrong):
        """No integers meet the conditions and wrong >= 0."""
        require(name in self.goals, 'goal %s is missing' % name)
        goal = self.goals.pop(name)
        known = [wrong] + self.sizes + conditions
        known = {written(f) for f in known + definitions(known)}
        uses = [inequality(u) for u in member(goal, 'uses', list)]
        for one in uses:
            require(frozenset(one.items()) in known, 'goal %s uses %s, which is no condition of it' % (name, one))
        try:
            contradicts(goal['proof'], uses)
        except Rejected as e:
            raise Rejected('goal %s: %s' % (name, e))

    def equal(self, name, conditions, a, b):
        self.prove(name + '/more', conditions, plus(plus(a, b, -1), const(-1)))
        self.prove(name + '/less', conditions, plus(plus(b, a, -1), const(-1)))

    def agree(self, name, conditions, a, b, symmetric, helpers=()):
        """a and b are equal, in the order of the goals: what is proved equal is a condition of the next goals. So are
        pairs of helpers, if the file has goals for them."""
        order = {key: k for k, key in enumerate(self.goals)}
        pairs = [('%s/%d' % (name, k), x, y) for k, (x, y) in enumerate(zip(a, b))]
        pairs += [('%s/helper%d' % (name, k), x, y) for k, (x, y) in enumerate(helpers)
                  if '%s/helper%d/less' % (name, k) in self.goals]
        for key, x, y in sorted(pairs, key=lambda p: order.get(p[0] + '/less', 0)):
            self.prove(key + '/less', conditions, plus(plus(y, x, -1), const(-1)))
            if not symmetric:
                self.prove(key + '/more', conditions, plus(plus(x, y, -1), const(-1)))
            conditions = conditions + [plus(x, y, -1), plus(y, x, -1)]

    def choice(self, name, sites):
        require(name in self.choices, 'choice %s is missing' % name)
        entry = self.choices.pop(name)
        require(set(entry) == {'choice', 'site', 'values'}, 'choice %s is odd' % name)
        number = whole(entry['site'])
        require(0 <= number < len(sites), 'choice %s has no site' % name)
        return number, {k: Reader.value(v) for k, v in member(entry, 'values', dict).items()}

    def end(self):
        require(not self.goals and not self.choices, 'there are goals or choices of nothing')


# ---- Instances
class Copy:
    """A copy of the instances of a site: its variables end in `suffix`, except those of the block, thread and loops
    that it shares."""

    def __init__(self, kernel, site, suffix='', block=True, thread=True, loops=(), shared=''):
        self.kernel, self.site, self.suffix = kernel, site, suffix
        self.names, self.own, self.conditions = {}, [], []
        self.blocks = self.digits('$block', kernel.grid, suffix if block else shared, block)
        self.threads = self.digits('$thread', kernel.cta, suffix if thread else shared, thread)
        for number, lo, hi, step in site.loops:
            name, fresh = '$loop%d' % number, number not in loops
            n = self.names[name] = var(name + (suffix if fresh else shared))
            if fresh:
                self.own.append(n)
                value = plus(self.at(lo), n, step)
                self.conditions += [n, plus(plus(self.at(hi), value, -1), const(-1))]
        for a, op, b in site.guards:
            more = plus(self.at(b), self.at(a), -1) if op[0] == '<' else plus(self.at(a), self.at(b), -1)
            if op == '==':
                self.conditions += [more, times(const(-1), more)]
            else:
                self.conditions.append(plus(more, const(-1 if len(op) == 1 else 0)))

    def digits(self, word, tensor, suffix, fresh):
        out = []
        for d, (size, _, _, _) in enumerate(tensor.modes()):
            if size != const(1):
                x = self.names['%s%d' % (word, d)] = var('%s%d%s' % (word, d, suffix))
                out.append(x)
                if fresh:
                    self.conditions += [x, plus(plus(size, const(-1)), x, -1)]
        self.own += out if fresh else []
        return out

    def at(self, p):
        return substitute(p, self.names)

    def iterations(self):
        return [self.names['$loop%d' % loop[0]] for loop in self.site.loops]

    def owner(self):
        return self.blocks + self.threads


class Spot:
    """An access: operand 0 is the output."""

    def __init__(self, copy, operand):
        tensor = copy.site.tensors[operand]
        self.storage, self.conditions, self.slots, self.number = tensor.storage, [], [], const(0)
        self.coordinate = [copy.at(o) for o in tensor.origin]
        k = 0
        for dim in (dim for level in tensor.levels for dim in level):
            inside, running = const(0), const(1)
            for size, d, step, _ in dim:
                x = const(0)
                if size != const(1):
                    x = var('$slot%d_%d%s' % (operand, k, copy.suffix))
                    self.slots.append(x)
                    self.conditions += [x, plus(plus(copy.at(size), const(-1)), x, -1)]
                k += 1
                self.coordinate[d] = plus(self.coordinate[d], times(x, copy.at(step)))
                inside, running = plus(inside, times(x, running)), times(running, copy.at(size))
            self.number = plus(times(self.number, running), inside)


def equations(a, b):
    return [f for x, y in zip(a, b) for f in (plus(x, y, -1), plus(y, x, -1))]


def operands(site):
    return range(len(site.tensors))


def storage(site, operand):
    return site.tensors[operand].storage


def accumulates(site):
    return site.kind == 'MatMul'


def isWhole(tensor):
    return tensor.levels == tensor.storage.levels and not any(map(any, tensor.origin))


def contributions(kernel, copy):
    """(m, n, k) of a product that is accumulated in place, and its extents."""
    require(kernel.kind == 'MatMul' and copy.site.kind == 'MatMul', 'a sum outside of a product')
    spots = [Spot(copy, k) for k in range(3)]
    require(all(not s.slots and s.storage.operand and len(s.coordinate) == 2 for s in spots), 'a product of vectors')
    c, a = spots[0], spots[1]
    return c.coordinate + [a.coordinate[1]], c.storage.extents + [a.storage.extents[1]], spots


# ---- The obligations: goals of a kernel
def inside(tensor, others):
    while tensor is not None:
        if tensor in others:
            return True
        tensor = tensor.parent
    return False


def frame(kernel, goals):
    """O3: an access inside a specification is to its temporaries, or to a view of its operands; a write, of outputs."""
    readable = [t.storage for t in kernel.inputs + (kernel.outputs if kernel.kind == 'MatMul' else [])]
    for site in kernel.sites:
        for k, tensor in enumerate(site.tensors):
            reads = k >= site.outputs or accumulates(site)
            require(not (reads and tensor.storage.operand) or tensor.storage in readable, 'it reads an output')
            for spec in site.specs:
                own = spec.outputs + (spec.inputs if k >= site.outputs else [])
                within = spec in tensor.storage.specs or inside(tensor, own)
                require(within, 'line %d: an access outside of the frame' % site.line)


def bounds(kernel, goals):
    for s, site in enumerate(kernel.sites):
        for k in operands(site):
            copy, extents = Copy(kernel, site), storage(site, k).extents
            spot = Spot(copy, k)
            for d, extent in enumerate(extents):
                name, conditions = '%d/%d/%d' % (s, k, d), copy.conditions + spot.conditions
                goals.prove(name + '/below', conditions, plus(const(-1), spot.coordinate[d], -1))
                goals.prove(name + '/beyond', conditions, plus(spot.coordinate[d], extent, -1))


def isInstance(goals, name, given, conditions, values, axes, place):
    for k, condition in enumerate(conditions):
        goals.prove('%s/exists/%d' % (name, k), given, plus(const(-1), substitute(condition, values), -1))
    for d, (axis, want) in enumerate(zip(axes, place)):
        goals.equal('%s/at/%d' % (name, d), given, substitute(axis, values), want)


def coverage(kernel, goals):
    product = kernel.kind == 'MatMul'
    sums = kernel.kind == 'Reduction' or kernel.attribute.startswith('MatMul') or \
        re.search(r'\b(?:sum|max|min)\s*\([^(),]*<', kernel.meaning or '')
    require(not sums, 'contributions to a sum')
    for number, tensor in enumerate(kernel.outputs):
        require(isWhole(tensor) and tensor.storage.memory == 'GL', 'an output is a view, or in registers')
        chosen, values = goals.choice(str(number), kernel.sites)
        site = kernel.sites[chosen]
        require(storage(site, 0) is tensor.storage and site.single, 'the chosen site does not write the output')
        copy = Copy(kernel, site)
        spot = Spot(copy, 0)
        axes, extents, conditions = spot.coordinate, tensor.storage.extents, copy.conditions + spot.conditions
        if product:
            require(all(isWhole(t) for t in kernel.inputs), 'an input is a view')
            axes, extents, _ = contributions(kernel, copy)
            conditions = copy.conditions
        place = [var('$c%d' % d) for d in range(len(extents))]
        given = [f for x, n in zip(place, extents) for f in (x, plus(plus(n, const(-1)), x, -1))]
        isInstance(goals, str(number), given, conditions, values, axes, place)


def meet(a, x, b, y):
    out = equations(x.coordinate, y.coordinate)
    out += equations(a.blocks, b.blocks) if x.storage.memory != 'GL' else []
    return out + (equations(a.threads, b.threads) if x.storage.memory == 'RF' else [])


def pair(kernel, i, j, x=0, y=0, **share):
    a = Copy(kernel, kernel.sites[i])
    b = Copy(kernel, kernel.sites[j], "'", **share)
    p, q = Spot(a, x), Spot(b, y)
    require(p.storage.nested, 'a layout that is not injective')
    return a, p, b, q, a.conditions + b.conditions + p.conditions + q.conditions


def uniqueness(kernel, goals):
    for tensor in kernel.outputs:
        writers = [s for s, site in enumerate(kernel.sites) if storage(site, 0) is tensor.storage]
        for at, i in enumerate(writers):
            a, p, b, q, conditions = pair(kernel, i, i)
            sums = accumulates(kernel.sites[i])
            if sums:
                conditions += equations(contributions(kernel, a)[0], contributions(kernel, b)[0])
            else:
                conditions += meet(a, p, b, q)
            goals.agree('%d/once' % i, conditions, a.own + p.slots, b.own + q.slots, True)
            for j in writers[at if sums else at + 1:]:
                a, p, b, q, conditions = pair(kernel, i, j)
                conditions += meet(a, p, b, q)
                if any(kernel.sites[k].kind in ('MatMul', 'Init') for k in (i, j)):
                    goals.agree('%d/%d' % (i, j), conditions, a.owner(), b.owner(), i == j)
                else:
                    goals.prove('%d/%d/never' % (i, j), conditions, const(0))


def races(kernel, goals):
    for i, first in enumerate(kernel.sites):
        for j in range(i, len(kernel.sites)):
            second = kernel.sites[j]
            for x in operands(first):
                for y in operands(second):
                    s = storage(first, x)
                    if s is not storage(second, y) or (x and y) or s.memory == 'RF' or (i == j and x > y):
                        continue
                    ordered(kernel, goals, i, x, j, y, True)
                    if s.memory == 'GL':
                        ordered(kernel, goals, i, x, j, y, False)


def ordered(kernel, goals, i, x, j, y, block):
    loops = storage(kernel.sites[i], x).loops
    a, p, b, q, conditions = pair(kernel, i, j, x, y, block=not block, loops=loops)
    phases = kernel.sites[i].phase, kernel.sites[j].phase
    require(None not in phases, 'the number of barriers depends on a condition')
    conditions += equations(p.coordinate, q.coordinate)
    if block:
        conditions += equations([a.at(phases[0])], [b.at(phases[1])])
    name = '%d/%d/%d/%d/%s' % (i, x, j, y, 'threads' if block else 'blocks')
    mine, other = (a.threads, b.threads) if block else (a.blocks, b.blocks)
    goals.agree(name, conditions, mine, other, i == j and x == y, list(zip(a.iterations(), b.iterations())))


def definedness(kernel, goals):
    for r, reader in enumerate(kernel.sites):
        for k in operands(reader):
            s = storage(reader, k)
            if s.operand or (k == 0 and not accumulates(reader)):
                continue
            name = '%d/%d' % (r, k)
            chosen, values = goals.choice(name, kernel.sites)
            writer = kernel.sites[chosen]
            require(storage(writer, 0) is s and chosen != r, 'choice %s does not write the place' % name)
            a, b = Copy(kernel, writer, "'"), Copy(kernel, reader)
            p, q = Spot(a, 0), Spot(b, k)
            common = 0
            while common < min(len(writer.loops), len(reader.loops)) and writer.loops[common] == reader.loops[common]:
                common += 1
            loops = [l[0] for l in writer.loops[:common]]
            require(set(s.loops) <= set(loops), 'a temporary of another iteration')
            shared = [(a.blocks, b.blocks)] + ([(a.threads, b.threads)] if s.memory == 'RF' else [])
            shared.append(tuple([c.names['$loop%d' % n] for n in loops] for c in (a, b)))
            axes = [x for pairs in shared for x in pairs[0]] + p.coordinate
            places = [x for pairs in shared for x in pairs[1]] + q.coordinate
            given = b.conditions + q.conditions
            isInstance(goals, name, given, a.conditions + p.conditions, values, axes, places)
            if name + '/phase' in goals.goals:
                require(None not in (writer.phase, reader.phase), 'the number of barriers depends on a condition')
                before = substitute(a.at(writer.phase), values)
                goals.prove(name + '/phase', given, plus(before, b.at(reader.phase), -1))
            else:
                require(writer.leaf < reader.leaf, 'choice %s is later in the text' % name)
                for n, (x, y) in enumerate(zip(a.threads, b.threads)):
                    goals.equal('%s/thread/%d' % (name, n), given, substitute(x, values), y)


class Trace:
    """O8: follows a written value back to the inputs, along every chain of writers."""

    def __init__(self, kernel, goals):
        self.kernel, self.goals = kernel, goals

    def written(self, copy, out, path, conditions, copies, done):
        site = copy.site
        require(copies < 10, 'a long chain of writers')
        if site.kind == 'Init':
            return done(('constant', site.attribute), path, conditions, copies)
        if site.kind == 'Move':
            return self.operand(copy, out, 1, path, conditions, copies, done)
        require(site.kind != 'MatMul', 'a sum in a temporary')

        def more(first, path, conditions, copies):
            if site.kind == 'UnaryPointwise':
                return done((site.attribute, first), path, conditions, copies)
            return self.operand(copy, out, 2, path, conditions, copies,
                                lambda v, *rest: done((site.attribute, first, v), *rest))
        return self.operand(copy, out, 1, path, conditions, copies, more)

    def operand(self, copy, out, k, path, conditions, copies, done):
        spot = Spot(copy, k)
        types = spot.storage.element, out.storage.element
        require(types[0] == types[1] or types in WIDER, 'a conversion from %s to %s' % types)
        conditions = conditions + spot.conditions + equations([spot.number], [out.number])
        if spot.storage.operand:
            require(spot.storage not in [t.storage for t in self.kernel.outputs], 'it reads what it writes')
            return done(('input', spot.storage, spot.coordinate), path, conditions, copies)
        require(spot.storage.nested, 'a layout that is not injective')
        for w, writer in enumerate(self.kernel.sites):
            if storage(writer, 0) is not spot.storage:
                continue
            other = Copy(self.kernel, writer, "'" * copies, False, spot.storage.memory != 'RF', spot.storage.loops,
                         copy.suffix)
            place = Spot(other, 0)
            further = conditions + other.conditions + place.conditions
            self.written(other, place, '%s,%d' % (path, w), further + equations(place.coordinate, spot.coordinate),
                         copies + 1, done)

    def match(self, value, wanted, path, conditions):
        leaves = [0]

        def walk(v, w):
            require(len(v) == len(w) and v[0] == w[0], 'a value of another form')
            if v[0] == 'constant':
                require(v[1] == w[1], 'another constant')
            elif v[0] == 'input':
                require(v[1] is w[1], 'another input')
                number = leaves[0]
                leaves[0] += 1
                for d, (x, y) in enumerate(zip(v[2], w[2])):
                    self.goals.equal('%s/%d/%d' % (path, number, d), conditions, x, y)
            else:
                for x, y in zip(v[1:], w[1:]):
                    walk(x, y)
        walk(value, wanted)


def value(kernel, goals):
    require(not kernel.meaning and all(map(isWhole, kernel.outputs + kernel.inputs)), 'equations, or a view')
    for tensor in kernel.outputs:
        require(tensor.storage.memory == 'GL', 'an output in registers')
        for s, site in enumerate(kernel.sites):
            if storage(site, 0) is not tensor.storage:
                continue
            copy = Copy(kernel, site)
            if kernel.kind == 'MatMul':
                _, _, (c, a, b) = contributions(kernel, copy)
                require([a.storage, b.storage] == [t.storage for t in kernel.inputs], 'a factor is another tensor')
                goals.equal('%d/m' % s, copy.conditions, a.coordinate[0], c.coordinate[0])
                goals.equal('%d/k' % s, copy.conditions, a.coordinate[1], b.coordinate[0])
                goals.equal('%d/n' % s, copy.conditions, b.coordinate[1], c.coordinate[1])
                continue
            out = Spot(copy, 0)
            inputs = [('input', t.storage, out.coordinate) for t in kernel.inputs]
            require(all(t.storage.extents == tensor.storage.extents for t in kernel.inputs), 'another shape')
            wanted = {'Move': inputs[:1], 'Init': [('constant', kernel.attribute)]}.get(kernel.kind)
            if wanted is None:
                require(kernel.kind in ('UnaryPointwise', 'BinaryPointwise'), 'the function of the specification')
                wanted = [(kernel.attribute, *inputs)]
            trace = Trace(kernel, goals)
            trace.written(copy, out, str(s), copy.conditions + out.conditions, 1,
                          lambda v, path, conditions, _: trace.match(v, wanted[0], path, conditions))


METHODS = {'O2': bounds, 'O3': frame, 'O4': coverage, 'O5': uniqueness, 'O6': races, 'O7': definedness, 'O8': value}


# ---- Files
def unique(pairs):
    require(len({k for k, _ in pairs}) == len(pairs), 'a name occurs twice in an object')
    return dict(pairs)


def check(data, program=None):
    """The complete obligations by line of the kernel. Raises Rejected."""
    try:
        require(len(data) <= MOST_BYTES, 'the file is too large')
        whole_file = json.loads(data, object_pairs_hook=unique)
        return checked(whole_file, program)
    except (RecursionError, ValueError, OverflowError) as e:
        raise Rejected('unreadable: %s' % str(e)[:80])


def checked(file, program):
    require(member(file, 'format', str) == 'tessera-certificate' and whole(file.get('version')) == 1, 'another format')
    require(set(file) == {'format', 'version', 'program', 'expanded', 'sizes', 'kernels'}, 'there are other members')
    source = member(file, 'program', str)
    require(program is None or program == source, 'the certificate is of another program')
    FLOORS.clear()
    program_text = source if file['expanded'] is None else member(file, 'expanded', str)
    reader = Reader(program_text, {k: whole(v) for k, v in member(file, 'sizes', dict).items()})
    entries = member(file, 'kernels', list)
    require(len(entries) == len(reader.kernels), 'the program has %d kernels' % len(reader.kernels))
    out = {}
    for kernel, entry in zip(reader.kernels, entries):
        line = whole(member(entry, 'line', int))
        require(line == kernel.line or program_text is not source, 'a kernel is on another line')
        require(set(entry) == {'line', 'specification', 'obligations'}, 'a kernel has other members')
        member(entry, 'specification', str)
        labels = [member(o, 'obligation', str) for o in member(entry, 'obligations', list)]
        require(labels == LABELS, 'an obligation is missing or occurs twice')
        out[line] = []
        for obligation in entry['obligations']:
            label = obligation['obligation']
            if member(obligation, 'standing', str) == 'open':
                require(set(obligation) == {'obligation', 'standing', 'reason'}, '%s has other members' % label)
                continue
            require(obligation['standing'] == 'complete' and label in METHODS, '%s has no standing' % label)
            require(set(obligation) == {'obligation', 'standing', 'choices', 'goals'}, '%s has other members' % label)
            alone = label in ('O2', 'O3', 'O4') or kernel.single
            require(alone, '%s is complete, but there are instructions of several threads' % label)
            goals = Goals(obligation, reader.sizes)
            try:
                METHODS[label](kernel, goals)
                goals.end()
            except Rejected as e:
                raise Rejected('line %d, %s: %s' % (kernel.line, label, e))
            out[line].append(label)
        together = {'O4', 'O5', 'O6', 'O7'} - set(out[line])
        require('O8' not in out[line] or not together, 'O8 rests on open obligations')
    return out


def main(arguments):
    try:
        with open(arguments[0], encoding='utf-8') as f:
            data = f.read(MOST_BYTES + 1)
        program = open(arguments[1], encoding='utf-8').read() if len(arguments) > 1 else None
        for line, labels in check(data, program).items():
            print('line %d: %s' % (line, ' '.join(labels) if labels else 'nothing is complete'))
    except (Rejected, UnicodeDecodeError) as e:
        print('rejected: %s' % e)
        return 1
    return 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
