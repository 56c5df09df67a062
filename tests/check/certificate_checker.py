#!/usr/bin/env python3
"""Checks a certificate of `tessera check FILE --certificate OUT.json`; docs/certificates.md describes the format.

    certificate_checker.py OUT.json [FILE]       exit code 0: accepted, 1: rejected, with the reason

It derives every goal of each obligation from the text of the program (certificate_program.py), and adds up the
inequalities of each proof in exact integers. It trusts these two files, Python, and that a leaf of kind Move, Init,
MatMul, UnaryPointwise or BinaryPointwise does what its name says, one element at a time. FILE must be the text of the
certificate.
"""
import json
import sys

from certificate_program import (FLOORS, Reader, Record, Rejected, Text, definitions, modesOf, poly, product, require,
                                 substitute, var)

MOST_BYTES, MOST_COPIES = 1 << 24, 10
LABELS = ['O%d' % k for k in range(1, 9)]
WIDER = {('fp16', 'fp32'), ('bf16', 'fp32')}


def fields(value, **kinds):
    """The members of an object that has exactly these."""
    require(type(value) is dict and set(value) == set(kinds), 'an object has other members than %s' % list(kinds))
    for name, kind in kinds.items():
        require(type(value[name]) is kind, '%s is of another type' % name)
    return [value[name] for name in kinds]


def whole(value):
    require(type(value) is int and abs(value) < 1 << 128, 'a number is no integer of 128 bits')
    return value


# ---- Proofs. An inequality: {text of a monomial: coefficient}, '' for 1; the sum is >= 0.
def formOf(p):
    return {'*'.join(m): c for m, c in p.terms.items()}


def inequality(form):
    require(type(form) is dict, 'an inequality is no object')
    return {key: whole(c) for key, c in form.items()}


def contradicts(node, known):
    """Whether each leaf adds up to a negative number >= 0. A split on an integer adds an inequality on each side."""
    if type(node) is dict and 'split' in node:
        form, at, below, above = fields(node, split=dict, at=int, below=dict, above=dict)
        form, at = inequality(form), whole(at)
        require('' not in form, 'a split on a number')
        contradicts(below, known + [dict({k: -c for k, c in form.items()}, **{'': at})])
        contradicts(above, known + [dict(form, **{'': -at - 1})])
        return
    total = {}
    for pair in fields(node, sum=list)[0]:
        require(type(pair) is list and len(pair) == 2, 'a sum is a list of pairs')
        number, factor = map(whole, pair)
        require(0 <= number < len(known) and factor >= 0, 'a multiplier is negative or of no inequality')
        for key, coefficient in known[number].items():
            total[key] = total.get(key, 0) + factor * coefficient
    require(total.pop('', 0) < 0 and not any(total.values()), 'a sum is no contradiction')


# ---- Instances
class Copy:
    """A copy of the instances of a site: its variables end in `suffix`, except those of the block, thread and loops
    that it shares."""

    def __init__(self, kernel, site, suffix='', block=True, thread=True, loops=(), shared=''):
        self.kernel, self.site, self.suffix = kernel, site, suffix
        self.names, self.own, self.conditions, self.blocks, self.threads = {}, [], [], [], []
        for word, tensor, fresh, digits in (('$block', kernel.grid, block, self.blocks),
                                            ('$thread', kernel.cta, thread, self.threads)):
            for d, (size, *_) in enumerate(modesOf(tensor)):
                if size != 1:
                    x = self.names['%s%d' % (word, d)] = var('%s%d%s' % (word, d, suffix if fresh else shared))
                    digits.append(x)
                    self.conditions += [x, size - 1 - x] if fresh else []
            self.own += digits if fresh else []
        for number, lo, hi, step in site.loops:
            name, fresh = '$loop%d' % number, number not in loops
            n = self.names[name] = var(name + (suffix if fresh else shared))
            if fresh:
                self.own.append(n)
                self.conditions += [n, self.at(hi) - (self.at(lo) + n * step) - 1]
        self.conditions += map(self.at, site.guards)

    def at(self, p):
        return substitute(p, self.names)

    def iterations(self):
        return [self.names['$loop%d' % loop[0]] for loop in self.site.loops]


class Spot:
    """An access: operand 0 is the output."""

    def __init__(self, copy, operand):
        tensor = copy.site.tensors[operand]
        self.storage, self.conditions, self.slots, self.number = tensor.storage, [], [], poly(0)
        self.coordinate = [copy.at(o) for o in tensor.origin]
        k = 0
        for dim in (dim for level in tensor.levels for dim in level):
            inside, running = poly(0), poly(1)
            for size, d, step, _ in dim:
                x = poly(0)
                if size != 1:
                    x = var('$slot%d_%d%s' % (operand, k, copy.suffix))
                    self.slots.append(x)
                    self.conditions += [x, copy.at(size) - 1 - x]
                k += 1
                self.coordinate[d] = self.coordinate[d] + x * copy.at(step)
                inside, running = inside + x * running, running * copy.at(size)
            self.number = self.number * running + inside


def equations(a, b):
    return [f for x, y in zip(a, b) for f in (x - y, y - x)]


def spans(copy):
    """The cases of the first and the last barrier count at which an instruction accesses its places, each with its path
    and conditions."""
    site, begin = copy.site, copy.site.clock[0]
    require(begin is not None, 'the number of barriers has a condition')
    require(site.flights is not None or not site.copies, 'it rests on races')
    return [(path, [copy.at(p) for p in case], copy.at(begin), copy.at(end))
            for path, case, end in (site.flights if site.copies else [('', [], begin)])]


def ends(site):
    """Whether the instruction, maybe of several threads, has ended when a thread passes it."""
    return site.single or all(t.storage.memory == 'RF' for t in site.tensors) or \
        site.kind == 'Move' and site.attribute in ('', 'trans') and len(site.outputs) == 1


def areWhole(tensors):
    """Whether none is a view."""
    return all(t.levels == t.storage.levels and not any(o != 0 for o in t.origin) for t in tensors)


# ---- Goals
class Obligation:
    """The goals of one obligation of a kernel, taken by name."""

    def __init__(self, goals, choices, facts, kernel=None):
        self.goals, self.choices, self.facts, self.kernel = dict(goals), dict(choices), facts, kernel

    def prove(self, name, conditions, wrong):
        """No integers meet the conditions and wrong >= 0."""
        require(name in self.goals, 'goal %s is missing' % name)
        uses, proof = fields(self.goals.pop(name), uses=list, proof=dict)
        known = [wrong] + self.facts + conditions
        known = {frozenset(formOf(p).items()): p for p in known + definitions(known)}

        def condition(form):
            key = frozenset(inequality(form).items())
            require(key in known, 'goal %s uses %s, which is no condition of it' % (name, form))
            return known[key]

        def used(entry):  # an inequality, or two whose product is one
            factors = entry if type(entry) is list else [entry]
            require(0 < len(factors) < 3, 'a product has two factors')
            return formOf(product(map(condition, factors)))
        try:
            contradicts(proof, [used(entry) for entry in uses])
        except Rejected as e:
            raise Rejected('goal %s: %s' % (name, e))

    def equal(self, name, conditions, a, b):
        self.prove(name + '/more', conditions, a - b - 1)
        self.prove(name + '/less', conditions, b - a - 1)

    def agree(self, name, conditions, a, b, symmetric, helpers=()):
        """a and b are equal, in the order of the goals: what is proved equal is a condition of the next goals. So are
        pairs of helpers, if the file has goals for them."""
        order = {key: k for k, key in enumerate(self.goals)}
        pairs = [('%s/%d' % (name, k), x, y) for k, (x, y) in enumerate(zip(a, b))]
        pairs += [('%s/helper%d' % (name, k), x, y) for k, (x, y) in enumerate(helpers)
                  if '%s/helper%d/less' % (name, k) in self.goals]
        for key, x, y in sorted(pairs, key=lambda p: order.get(p[0] + '/less', 0)):
            self.prove(key + '/less', conditions, y - x - 1)
            if not symmetric:
                self.prove(key + '/more', conditions, x - y - 1)
            conditions = conditions + equations([x], [y])

    def choice(self, name, sites):
        """(its path, the conditions, the site, the values of its variables) of each case of a choice."""
        def casesOf(node, path, conditions):
            if 'if' in node:
                test, then, other = fields(node, **{'if': str, 'then': dict, 'else': dict})
                test = Text.value(test)
                return casesOf(then, path + '/then', conditions + [test]) + \
                    casesOf(other, path + '/else', conditions + [-1 - test])
            number, values = fields(node, site=int, values=dict)
            require(0 <= number < len(sites), 'choice %s has no site' % name)
            return [(path, conditions, sites[number], {k: Text.value(v) for k, v in values.items()})]
        require(type(self.choices.get(name)) is dict, 'choice %s is missing' % name)
        return casesOf(self.choices.pop(name), '', [])

    def instance(self, name, given, conditions, values, axes=(), places=()):
        """The instance with these values of its variables exists, and is at the places."""
        for k, condition in enumerate(conditions):
            self.prove('%s/exists/%d' % (name, k), given, -1 - substitute(condition, values))
        for d, (axis, place) in enumerate(zip(axes, places)):
            self.equal('%s/at/%d' % (name, d), given, substitute(axis, values), place)

    # ---- O2 to O5
    def frame(self):
        """O3: an access inside a specification is to its temporaries, or to a view of its operands; a write, of
        outputs."""
        def views(tensor):
            return [tensor] + (views(tensor.parent) if tensor.parent else [])
        kernel = self.kernel
        readable = [t.storage for t in kernel.inputs + (kernel.outputs if kernel.kind == 'MatMul' else [])]
        for site in kernel.sites:
            for k, tensor in enumerate(site.tensors):
                write = k < len(site.outputs)
                read = not write or site.kind == 'MatMul'
                require(not (read and tensor.storage.operand) or tensor.storage in readable, 'it reads an output')
                for spec in site.specs:
                    own = spec.outputs + ([] if write else spec.inputs)
                    require(spec in tensor.storage.specs or any(t is o for t in views(tensor) for o in own),
                            'line %d is outside of the frame' % site.line)

    def bounds(self):
        """O2: in each dimension an access is not below 0, and not beyond the extent."""
        for s, site in enumerate(self.kernel.sites):
            for k in range(len(site.tensors)):
                copy = Copy(self.kernel, site)
                spot = Spot(copy, k)
                for d, (coordinate, extent) in enumerate(zip(spot.coordinate, spot.storage.extents)):
                    self.prove('%d/%d/%d/below' % (s, k, d), copy.conditions + spot.conditions, -1 - coordinate)
                    self.prove('%d/%d/%d/beyond' % (s, k, d), copy.conditions + spot.conditions, coordinate - extent)

    def contributions(self, copy):
        """(m, n, k) of a product that is accumulated in place, its extents, and the three accesses."""
        require(self.kernel.kind == copy.site.kind == 'MatMul' and copy.site.single, 'a sum outside of a product')
        spots = [Spot(copy, k) for k in range(3)]
        require(all(not s.slots and s.storage.operand and len(s.coordinate) == 2 for s in spots), 'no scalar product')
        c, a = spots[0], spots[1]
        return c.coordinate + [a.coordinate[1]], c.storage.extents + [a.storage.extents[1]], spots

    def coverage(self):
        """O4: an instance writes each element, of each thread if it is in registers, and of a product, adds each
        contribution. The sums of equations are O8's."""
        kernel, isProduct = self.kernel, self.kernel.kind == 'MatMul'
        require(kernel.kind != 'Reduction' and (isProduct or not kernel.attribute.startswith('MatMul')), 'a sum')
        require(areWhole(kernel.outputs + (kernel.inputs if isProduct else [])), 'an operand is a view')
        for number, tensor in enumerate(kernel.outputs):
            each = tensor.storage.memory == 'RF'
            require(tensor.storage.memory == 'GL' or each and not isProduct, 'an output is of a block')
            for path, case, site, values in self.choice(str(number), kernel.sites):
                require(site.tensors[0].storage is tensor.storage and (ends(site) if each else site.single),
                        'the chosen site does not write the output')
                copy, more = Copy(kernel, site), []
                if isProduct:
                    axes, extents, _ = self.contributions(copy)
                else:
                    spot = Spot(copy, 0)
                    axes, extents, more = spot.coordinate, spot.storage.extents, spot.conditions
                    if each:
                        launched = [m[0] for m in modesOf(kernel.grid) + modesOf(kernel.cta) if m[0] != 1]
                        axes, extents = copy.blocks + copy.threads + axes, launched + extents
                place = [var('$c%d' % d) for d in range(len(extents))]
                given = case + [f for x, n in zip(place, extents) for f in (x, n - 1 - x)]
                self.instance(str(number) + path, given, copy.conditions + more, values, axes, place)

    def pair(self, i, x, j, y, **share):
        """Two copies of instances, an access of each, and the conditions for them to exist, at one place."""
        a, b = Copy(self.kernel, self.kernel.sites[i]), Copy(self.kernel, self.kernel.sites[j], "'", **share)
        p, q = Spot(a, x), Spot(b, y)
        require(p.storage.injective, 'a layout that is not injective')
        return a, p, b, q, a.conditions + b.conditions + p.conditions + q.conditions + \
            equations(p.coordinate, q.coordinate)

    def uniqueness(self):
        """O5: instances that write one element are the same; of a product, those that add one contribution."""
        kernel = self.kernel
        for tensor in kernel.outputs:
            memory = tensor.storage.memory
            writers = [s for s, site in enumerate(kernel.sites) if site.tensors[0].storage is tensor.storage]
            for i, j in ((i, j) for i in writers for j in writers if i <= j):
                a, p, b, q, conditions = self.pair(i, 0, j, 0)
                conditions += (equations(a.blocks, b.blocks) if memory != 'GL' else []) + \
                    (equations(a.threads, b.threads) if memory == 'RF' else [])
                kinds = [kernel.sites[k].kind for k in (i, j)]
                if i == j and kinds[0] == 'MatMul':
                    one = equations(self.contributions(a)[0], self.contributions(b)[0])
                    self.agree('%d/once' % i, a.conditions + b.conditions + one, a.own, b.own, True)
                elif i == j:
                    self.agree('%d/once' % i, conditions, a.own + p.slots, b.own + q.slots, True)
                if 'MatMul' in kinds or i != j and 'Init' in kinds:
                    self.agree('%d/%d' % (i, j), conditions, a.blocks + a.threads, b.blocks + b.threads, i == j)
                elif i != j:
                    self.prove('%d/%d/never' % (i, j), conditions, poly(0))

    # ---- O6 and O7
    def passes(self):
        """No loop with barriers or groups has a negative number of iterations, so that clocks count them."""
        for number, loops, trips in self.kernel.trips:
            if (trips.number() or -1) < 0:
                around = Copy(self.kernel, Record(loops=loops, guards=[]))
                self.prove('loop/%d' % number, around.conditions, -1 - trips)

    def flights(self):
        """An asynchronous copy accesses its places until a wait of its thread, before which more groups are closed than
        it leaves open."""
        for s, site in enumerate(self.kernel.sites):
            site.flights = []
            for path, case, wait, values in self.choice('flight/%d' % s, self.kernel.waits) if site.copies else []:
                require(None not in site.clock + wait.clock, 'the number of barriers or groups has a condition')
                name, copy, other = 'flight/%d%s' % (s, path), Copy(self.kernel, site), \
                    Copy(self.kernel, wait, "'", False, False)
                barriers, closed = [substitute(other.at(c), values) for c in wait.clock]
                self.instance(name, copy.conditions + case, other.conditions, values)
                self.prove(name + '/groups', copy.conditions + case, site.clock[1] + wait.pending - closed)
                site.flights.append((path, case, barriers))

    def races(self):
        """O6: accesses to one place, one of them a write, are of one block, and if no barrier is between them, of one
        thread. An asynchronous copy is alone there."""
        self.passes()
        self.flights()
        for i, first in enumerate(self.kernel.sites):
            for j, second in enumerate(self.kernel.sites[i:], i):
                for x, tensor in enumerate(first.tensors):
                    for y, other in enumerate(second.tensors):
                        s = tensor.storage
                        if s is other.storage and not (x and y) and s.memory != 'RF' and (i != j or x <= y):
                            self.ordered(i, x, j, y, s)

    def ordered(self, i, x, j, y, s):
        name, same = '%d/%d/%d/%d/' % (i, x, j, y), i == j and x == y
        if s.memory == 'GL':
            a, _, b, _, conditions = self.pair(i, x, j, y, loops=s.loops)
            self.agree(name + 'blocks', conditions, a.blocks, b.blocks, same, list(zip(a.iterations(), b.iterations())))
        a, p, b, q, conditions = self.pair(i, x, j, y, block=False, loops=s.loops)
        for path, case, begin, end in spans(a):
            for path2, case2, begin2, end2 in spans(b):
                full = name + 'threads' + path + path2
                now = conditions + case + case2 + [end - begin2, end2 - begin]
                loops = a.iterations(), b.iterations()
                if a.site.single and b.site.single:
                    self.agree(full, now, a.threads, b.threads, same, list(zip(*loops)))
                elif same and a.site.copies:  # it is one copy
                    self.agree(full, now, a.threads + loops[0] + p.slots, b.threads + loops[1] + q.slots, path == path2)
                else:
                    self.prove(full + '/never', now, poly(0))

    def definedness(self):
        """O7: an instance wrote what is read, before: earlier in the text by the same thread, or before a barrier."""
        self.passes()
        for r, reader in enumerate(self.kernel.sites):
            for k in range(0 if reader.kind == 'MatMul' else len(reader.outputs), len(reader.tensors)):
                if not reader.tensors[k].storage.operand:
                    for path, case, writer, values in self.choice('%d/%d' % (r, k), self.kernel.sites):
                        self.writtenBefore('%d/%d%s' % (r, k, path), case, writer, values, reader, k)

    def writtenBefore(self, name, case, writer, values, reader, k):
        s, a, b = reader.tensors[k].storage, Copy(self.kernel, writer, "'"), Copy(self.kernel, reader)
        require(writer.tensors[0].storage is s, 'choice %s does not write the place' % name)
        p, q = Spot(a, 0), Spot(b, k)
        phased = writer.copies or name + '/phase' in self.goals
        common = s.loops if phased else [one[0] for one, other in zip(writer.loops, reader.loops) if one == other]

        def axes(copy, spot):
            loops = [copy.names['$loop%d' % n] for n in common]
            return copy.blocks + (copy.threads if s.memory == 'RF' else []) + loops + spot.coordinate
        given = b.conditions + q.conditions + case
        self.instance(name, given, a.conditions + p.conditions, values, axes(a, p), axes(b, q))
        for path, more, _, end in spans(a) if phased else []:
            self.prove('%s/phase%s' % (name, path), given + [substitute(c, values) for c in more],
                       substitute(end, values) - spans(b)[0][2])
        if not phased:
            require(writer.leaf < reader.leaf, 'choice %s is later in the text' % name)
            require(s.memory == 'RF' or writer.single and reader.single, 'it may be of another thread')
            for n, (x, y) in enumerate(zip(a.threads, b.threads)):
                self.equal('%s/thread/%d' % (name, n), given, substitute(x, values), y)

    # ---- O8
    def written(self, copy, out, wanted, path, conditions, depth=1):
        """The value written at a place is the wanted one, along each chain of writers from the inputs."""
        site = copy.site
        require(depth < MOST_COPIES and site.kind != 'MatMul', 'a long chain of writers, or a sum in a temporary')
        if site.kind == 'Move':
            return self.operand(copy, out, 1, wanted, path, conditions, depth)
        require(wanted[0] == site.attribute and len(wanted) == len(site.tensors), 'another operation')
        for k in range(1, len(site.tensors)):
            self.operand(copy, out, k, wanted[k], path, conditions, depth)

    def operand(self, copy, out, k, wanted, path, conditions, depth):
        """The same of what an operand reads for a written place. Wanted: an operation and its operands, or a constant
        alone; or an input and its element."""
        spot, path = Spot(copy, k), '%s/%d' % (path, k)
        s, types = spot.storage, (spot.storage.element, out.storage.element)
        require(types[0] == types[1] or types in WIDER, 'a conversion from %s to %s' % types)
        conditions = conditions + spot.conditions + equations([spot.number], [out.number])
        if s.operand:
            require(s not in [t.storage for t in self.kernel.outputs], 'it reads what it writes')
            require(wanted[0] is s, 'another input')
            for d, (x, y) in enumerate(zip(spot.coordinate, wanted[1])):
                self.equal('%s/%d' % (path, d), conditions, x, y)
            return
        require(s.injective, 'a layout that is not injective')
        for w, writer in enumerate(self.kernel.sites):
            if writer.tensors[0].storage is s:
                other = Copy(self.kernel, writer, "'" * depth, False, s.memory != 'RF', s.loops, copy.suffix)
                place = Spot(other, 0)
                further = other.conditions + place.conditions + equations(place.coordinate, spot.coordinate)
                self.written(other, place, wanted, '%s,%d' % (path, w), conditions + further, depth + 1)

    def values(self):
        """O8: the operations and the input elements of each written value are the specified ones."""
        kernel = self.kernel
        require(not kernel.meaning and areWhole(kernel.outputs + kernel.inputs), 'equations, or a view')
        for tensor in kernel.outputs:
            require(tensor.storage.memory == 'GL', 'an output in registers')
            for s, site in enumerate(kernel.sites):
                if site.tensors[0].storage is not tensor.storage:
                    continue
                copy = Copy(kernel, site)
                if kernel.kind == 'MatMul':
                    _, _, (c, a, b) = self.contributions(copy)
                    require([a.storage, b.storage] == [t.storage for t in kernel.inputs], 'a factor is another tensor')
                    for name, x, y in (('m', a.coordinate[0], c.coordinate[0]), ('k', a.coordinate[1], b.coordinate[0]),
                                       ('n', b.coordinate[1], c.coordinate[1])):
                        self.equal('%d/%s' % (s, name), copy.conditions, x, y)
                    continue
                out = Spot(copy, 0)
                require(kernel.kind in ('Move', 'Init', 'UnaryPointwise', 'BinaryPointwise'), 'the function')
                require(all(t.storage.extents == tensor.storage.extents for t in kernel.inputs), 'another shape')
                inputs = [(t.storage, out.coordinate) for t in kernel.inputs]
                wanted = inputs[0] if kernel.kind == 'Move' else (kernel.attribute, *inputs)
                self.written(copy, out, wanted, str(s), copy.conditions + out.conditions)


METHODS = {'O2': Obligation.bounds, 'O3': Obligation.frame, 'O4': Obligation.coverage, 'O5': Obligation.uniqueness,
           'O6': Obligation.races, 'O7': Obligation.definedness, 'O8': Obligation.values}


def scope(label, kernel):
    """Whether the instructions of the kernel are within the obligation's method."""
    if label in ('O6', 'O7'):
        return all(ends(site) or site.copies for site in kernel.sites)
    return label in ('O2', 'O3', 'O4') or all(site.single for site in kernel.sites)


# ---- Files
def unique(pairs):
    require(len({k for k, _ in pairs}) == len(pairs), 'a name occurs twice in an object')
    return dict(pairs)


def check(data, program=None):
    """The complete obligations by line of the kernel. Raises Rejected."""
    try:
        require(len(data) <= MOST_BYTES, 'the file is too large')
        return checked(json.loads(data, object_pairs_hook=unique), program)
    except (RecursionError, ValueError, OverflowError) as e:
        raise Rejected('unreadable: %s' % str(e)[:80])


def checked(file, program):
    kind = str if type(file) is dict and file.get('expanded') is not None else type(None)
    name, version, source, expanded, sizes, entries = fields(
        file, format=str, version=int, program=str, expanded=kind, sizes=dict, kernels=list)
    require(name == 'tessera-certificate' and version == 3, 'another format')
    require(program is None or program == source, 'the certificate is of another program')
    FLOORS.clear()
    reader = Reader(source if expanded is None else expanded, {k: whole(v) for k, v in sizes.items()})
    require(len(entries) == len(reader.kernels), 'the program has %d kernels' % len(reader.kernels))
    out = {}
    for kernel, entry in zip(reader.kernels, entries):
        line, _, obligations = fields(entry, line=int, specification=str, obligations=dict)
        require(line == kernel.line or expanded is not None, 'a kernel is on another line')
        require(list(obligations) == LABELS, 'an obligation is missing')
        out[line] = []
        for label, obligation in obligations.items():
            if type(obligation) is dict and 'open' in obligation:
                fields(obligation, open=str)
                continue
            claimed = Obligation(*fields(obligation, goals=dict, choices=dict), reader.facts, kernel)
            try:
                require(label in METHODS and scope(label, kernel), 'it has no certificates, for these instructions')
                METHODS[label](claimed)
                require(not claimed.goals and not claimed.choices, 'there are goals or choices of nothing')
            except Rejected as e:
                raise Rejected('line %d, %s: %s' % (kernel.line, label, e))
            out[line].append(label)
        together = {'O8': {'O4', 'O5', 'O6', 'O7'}, 'O7': {'O6'} if any(s.copies for s in kernel.sites) else set()}
        require(all(together.get(o, set()) <= set(out[line]) for o in out[line]), 'one rests on an open obligation')
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
