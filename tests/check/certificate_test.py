#!/usr/bin/env python3
"""Certificates of the gallery are accepted, and damaged ones are rejected.

    certificate_test.py TESSERA SOURCE_FOLDER
"""
import copy
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import certificate_checker as checker  # noqa: E402

TESSERA, ROOT = sys.argv[1], sys.argv[2]
SEED = 11
# By hand (ctest -L thorough) every program is damaged, and more of each; in ./test a third of the programs, and in
# ./test full (TESSERA_TENTH) as thorough another third.
TENTH = 'TESSERA_THOROUGH' in os.environ and 'TESSERA_TENTH' in os.environ
THOROUGH = 'TESSERA_THOROUGH' in os.environ and not TENTH

# Program -> the obligations with a complete certificate, by kernel.
ALL = 'O2 O3 O4 O5 O6 O7 O8'
COMPLETE = {
    'assets/graphene/attention': 'O2 O3 O4 O6 O7',
    'assets/graphene/attention_heads': 'O2 O3 O4 O6',
    'assets/graphene/attention_unfused': '; '.join(['O2 O3 O4 O6 O7'] * 3),
    'assets/graphene/epilogue': 'O2 O3 O4 O6 O7',
    'assets/graphene/gemm': 'O2 O3 O6 O7',
    'assets/graphene/gemm_bias_relu': 'O2 O3 O4',
    'assets/graphene/gemm_partial': 'O2 O3 O6',
    'assets/graphene/gemm_pipelined': 'O2 O3 O6 O7',
    'assets/graphene/gemm_simple': ALL,
    'assets/graphene/gemm_symbolic': ALL,
    'assets/graphene/gemm_warps_64': 'O2 O3 O6 O7',
    'assets/graphene/interleaved_load': 'O2 O3 O4 O5 O6 O7',
    'assets/graphene/layernorm': 'O2 O3 O4 O6 O7',
    'assets/graphene/layernorm_rows': 'O2 O3 O4 O6 O7',
    'assets/graphene/layernorm_unfused': '; '.join(['O2 O3 O4 O6 O7'] * 3),
    'assets/graphene/ldmatrix_move': 'O2 O3 O4 O6 O7',
    'assets/graphene/lstm': 'O2 O3 O4 O6 O7',
    'assets/graphene/lstm_cell': 'O2 O3 O4 O6 O7',
    'assets/graphene/lstm_unfused': '; '.join(['O2 O3 O4 O6 O7'] * 3),
    'assets/graphene/mlp': 'O2 O3 O4 O6 O7',
    'assets/graphene/mlp_layer': 'O2 O3 O4 O6 O7',
    'assets/graphene/mlp_unfused': '; '.join(['O2 O3 O4 O6 O7'] * 8),
    'assets/graphene/online_softmax': 'O2 O3 O4 O6 O7',
    'assets/graphene/predicated_copy': ALL,
    'assets/graphene/quad_pairs': 'O2 O3 O6 O7',
    'assets/graphene/row_reduction': 'O2 O3 O6 O7',
    'assets/graphene/transpose_padded': ALL,
    'assets/graphene/transpose_swizzled': ALL,
    'assets/graphene/vector_load': 'O2 O3 O4 O5 O6 O7',
    'assets/graphene/warp_sum': 'O2 O3 O6 O7',
    'assets/graphene/warp_tile_moves': '; '.join(['O2 O3 O4 O6 O7'] * 4),
    'tests/cases/graphene/c10': ALL,
    'tests/cases/graphene/c2_accumulator': 'O2 O3 O5 O6 O7',
    'tests/cases/graphene/c2_tiled': ALL,
    'tests/cases/graphene/c7_columns': ALL,
    'tests/cases/graphene_programs/01_transpose_swz': ALL,
    'tests/cases/graphene_programs/07_conv1d': 'O2 O3 O4 O6',
    'tests/cases/graphene_programs/13_stages_sum': 'O2 O3 O6 O7',
    'assumed': ALL,
    'bounded': ALL,
    'negative': 'O2 O3 O4 O6 O7',
    'parity': 'O2 O3 O5 O6 O7',
    'relu': ALL,
    'ring': 'O2 O3 O6 O7',
    'rows': ALL,
    'stage': 'O2 O3 O6 O7',
    'tail': 'O2 O3 O6 O7',
}
# Those that are damaged; the others are only checked.
DAMAGED = ['gemm_symbolic', 'predicated_copy', 'layernorm_rows', 'transpose_padded', 'transpose_swizzled', 'rows',
           'assumed', 'mlp', 'layernorm_unfused', 'epilogue', 'c10', 'bounded', 'c2_accumulator', 'c2_tiled',
           'warp_tile_moves', 'c7_columns', '01_transpose_swz', 'relu', 'parity', 'lstm_cell', 'tail', 'ring', 'stage']
# Copies in flight: of these, every edit of a barrier, a wait, a commit or a number is tried.
FLYING = ['stage', 'ring', 'tail']
RELU = '''// For every R and C: y = relu(a + b), through registers, with partial tiles.
%a:[R,C:C,1].fp32.GL  %b:[R,C:C,1].fp32.GL  %s:[R,C:C,1].fp32.GL
#b:[R].block  #t:[128:1].thread
%s <- BinaryPointwise<+><<<#b,#t>>>(%a,%b) {
  @r = #b.indices()  @t = #t.indices()
  for (j = 0; j < ceildiv(C,128); j += 1) {
    if (128*j + @t < C) {
      %x:[].fp32.RF  %f = %a[@r,128*j + @t]  %g = %b[@r,128*j + @t]  %o = %s[@r,128*j + @t]
      %x <- Move(%f)
      %o <- BinaryPointwise<+>(%x,%g)
    }
  }
}
'''
# Coverage needs the assumption: threads copy four places each, of tiles of 128.
ASSUMED = '''%x:[N].fp32.GL  %y:[N].fp32.GL
assume N % 128 == 0
#b:[(N + 127)/128].block  #t:[32:1].thread
%y <- Move<<<#b,#t>>>(%x) {
  @b = #b.indices()  @t = #t.indices()
  %xt = %x.tile([4:1])  %yt = %y.tile([4:1])
  %from = %xt[32*@b + @t]  %to = %yt[32*@b + @t]  %r:[4:1].fp32.RF
  %r <- Move(%from)
  %to <- Move(%r)
}
'''
# One block of 128 threads covers C elements if it takes enough steps.
BOUNDED = '''assume C <= 128*K && K < 9 && C <= 1024
%x:[C].fp32.GL  %y:[C].fp32.GL
#b:[1].block  #t:[128:1].thread
%y <- Move<<<#b,#t>>>(%x) {
  @t = #t.indices()
  for (j = 0; j < K; j += 1) { if (128*j + @t < C) {
    %r:[].fp32.RF  %f = %x[128*j + @t]  %o = %y[128*j + @t]
    %r <- Move(%f)
    %o <- Move(%r)
  } }
}
'''
# A row has U tiles of four places: the bounds need products of a loop or a thread with the size U.
ROWS = '''%x:[4*U].fp32.GL  %y:[4*U].fp32.GL
#b:[U].block  #t:[2].thread
%y <- Move<<<#b,#t>>>(%x) {
  @b = #b.indices()  @t = #t.indices()
  for (g = 0; g < 2; g += 1) {
    %f = %x[2*U*g + U*@t + @b]  %o = %y[4*@b + 2*@t + g]  %h = %x[4*@b + 2*@t + g]
    %r:[].fp32.RF
    %r <- Move(%f)
    %o <- Move(%h)
  }
}
'''
PARITY = '''// The loops write even and odd places. Only splits on integers show that they differ.
%x:[16].fp32.GL  %y:[16].fp32.GL
#b:[1].block  #t:[4].thread
%y <- Move<<<#b,#t>>>(%x) {
  @t = #t.indices()
  for (i = 0; i < 2; i += 1) { %f = %x[8*i + 2*@t]  %o = %y[8*i + 2*@t]  %o <- Move(%f) }
  for (i = 0; i < 2; i += 1) { %f = %x[8*i + 2*@t + 1]  %o = %y[8*i + 2*@t + 1]  %o <- Move(%f) }
}
'''

# Sums of columns. Threads copy, and other threads read: one stage; three stages in a ring; two stages of which the next
# is always fetched, so that the last copy ends after the loop.
def summed(stages, before, step, tail=''):
    return '''%%x:[K,32].fp32.GL  %%y:[32].fp32.GL
#b:[1].block  #t:[32:1].thread
%%y <- Reduction<+,0><<<#b,#t>>>(%%x) {
  @t = #t.indices()
  %%s:[%d,32].fp32.SH  %%v:[].fp32.RF  %%o = %%y[31 - @t]
  %%v <- Init<0>()
%s  for (k = 0; k < K%s; k += 1) {
%s  }
%s  %%o <- Move(%%v)
}
''' % (stages, before, ' - 1' if tail else '', step, tail)


STAGE = summed(1, '', '''    %f = %x[k,@t]  %g = %s[0,@t]  %h = %s[0,31 - @t]
    %g <- Move<async>(%f)
    commit
    wait 0
    sync
    %v <- BinaryPointwise<+>(%v,%h)
    sync
''')
RING = summed(3, '''  for (st = 0; st < 3; st += 1) {
    if (st < 2 && st < K) {
      %f = %x[st,@t]  %g = %s[st,@t]
      %g <- Move<async>(%f)
    }
    if (st < 2) { commit }
  }
''', '''    wait 1
    sync
    if (k + 2 < K) {
      %f = %x[k + 2,@t]  %g = %s[(k + 2)%3,@t]
      %g <- Move<async>(%f)
    }
    commit
    %h = %s[k%3,31 - @t]
    %v <- BinaryPointwise<+>(%v,%h)
''')
TAIL = summed(2, '''  %f = %x[0,@t]  %g = %s[0,@t]
  %g <- Move<async>(%f)
  commit
''', '''    %f = %x[k + 1,@t]  %g = %s[(k + 1)%2,@t]  %h = %s[k%2,31 - @t]
    %g <- Move<async>(%f)
    commit
    wait 1
    sync
    %v <- BinaryPointwise<+>(%v,%h)
    sync
''', '''  wait 0
  sync
  %h = %s[(K - 1)%2,31 - @t]
  %v <- BinaryPointwise<+>(%v,%h)
''')
# The loop runs 2*N - 3 times, but never less than 0: for N = 1 there is no barrier between the accesses to %s.
NEGATIVE = '''%x:[32].fp32.GL  %y:[32*N].fp32.GL
assume N >= 2
#b:[N].block  #t:[32:1].thread
%y <- Spec<flip><<<#b,#t>>>(%x) means { %y[i] = %x[31 - i%32] } {
  @b = #b.indices()  @t = #t.indices()
  %s:[32].fp32.SH
  %f = %x[@t]  %g = %s[@t]  %h = %s[31 - @t]  %o = %y[32*@b + @t]  %r:[].fp32.RF
  %r <- Move(%f)
  %g <- Move(%r)
  for (j = 0; j < 2*N - 3; j += 1) { sync }
  %r <- Move(%h)
  %o <- Move(%r)
}
'''


def tessera(path, *more):
    return subprocess.run([TESSERA, 'check', path, *more], capture_output=True, text=True, timeout=600)


def certificate(path, out):
    if os.path.exists(out):
        os.remove(out)
    ran = tessera(path, '--certificate', out)
    if not os.path.exists(out):
        return None, ran
    with open(out, encoding='utf-8') as f:
        return f.read(), ran


def verdict(data, program=None):
    """The complete obligations by kernel, as text, or None for a rejection."""
    try:
        return '; '.join(' '.join(labels) for labels in checker.check(data, program).values())
    except checker.Rejected:
        return None


def goals(c):
    for k, kernel in enumerate(c['kernels']):
        for o, obligation in kernel['obligations'].items():
            for g, goal in obligation.get('goals', {}).items():
                yield (k, o, g), goal


def goalsOf(c, place):
    return c['kernels'][place[0]]['obligations'][place[1]]['goals']


def at(c, place):
    return goalsOf(c, place)[place[2]]


def forms(c, place, u):
    """The forms of an inequality that a goal uses: one, or two factors."""
    used = at(c, place)['uses'][u]
    return used if type(used) is list else [used]


def value(used):
    """An inequality without products."""
    if type(used) is dict:
        return used
    out = {}
    for m, c in used[0].items():
        for n, d in used[1].items():
            key = '*'.join(sorted(filter(None, [m, n])))
            out[key] = out.get(key, 0) + c * d
    return out


def leaves(node):
    if 'sum' in node:
        yield node
    else:
        yield from leaves(node['below'])
        yield from leaves(node['above'])


def splits(node):
    if 'split' in node:
        yield node
        yield from splits(node['below'])
        yield from splits(node['above'])


def leafAt(c, place, n):
    return list(leaves(at(c, place)['proof']))[n]


def splitAt(c, place, n):
    return list(splits(at(c, place)['proof']))[n]


def contradicts(goal, chance):
    """A second opinion on a proof, by numbers: at random values of the monomials each leaf is one negative number."""
    def holds(node, known):
        if 'split' in node:
            form, n = node['split'], node['at']
            return holds(node['below'], known + [dict({k: -c for k, c in form.items()}, **{'': n})]) and \
                holds(node['above'], known + [dict(form, **{'': -n - 1})])
        seen = set()
        for _ in range(4):
            values = {'': 1}
            total = 0
            for number, factor in node['sum']:
                for key, c in known[number].items():
                    total += factor * c * values.setdefault(key, chance.randrange(1 << 40))
            seen.add(total)
        return len(seen) == 1 and seen.pop() < 0 and all(f >= 0 for _, f in node['sum'])
    return holds(goal['proof'], list(map(value, goal['uses'])))


class Mutants:
    """Damages a certificate; counts what is rejected and what is another valid proof."""

    def __init__(self, data):
        self.original, self.chance = json.loads(data), random.Random(SEED)
        self.rejected, self.valid, self.wrong = {}, {}, []

    def try_one(self, kind, damage, isValid=lambda c: False):
        c = copy.deepcopy(self.original)
        damage(c)
        accepted = verdict(json.dumps(c)) is not None
        if not accepted:
            self.rejected[kind] = self.rejected.get(kind, 0) + 1
        elif isValid(c):
            self.valid[kind] = self.valid.get(kind, 0) + 1
        else:
            self.wrong.append(kind)

    def run(self, most):
        places = list(goals(self.original))
        for place, goal in self.chance.sample(places, min(most, len(places))):
            def valid(c, place=place):
                return contradicts(at(c, place), self.chance)
            for u in range(len(goal['uses'])):
                self.try_one('inequality dropped', lambda c: drop(at(c, place), u))
                for n, form in enumerate(forms(self.original, place, u)):
                    for by in (1, -1):
                        for key in set(form) | {''}:
                            self.try_one('coefficient changed', lambda c: bump(forms(c, place, u)[n], key, by), valid)
            for n, leaf in enumerate(leaves(goal['proof'])):
                for m, (_, factor) in enumerate(leaf['sum']):
                    for to in (factor + 1, factor - 1, -factor):
                        self.try_one('multiplier changed',
                                     lambda c: leafAt(c, place, n)['sum'][m].__setitem__(1, to), valid)
                self.try_one('sum emptied', lambda c: leafAt(c, place, n).__setitem__('sum', []))
            for n, split in enumerate(splits(goal['proof'])):
                for side in ('below', 'above'):
                    def collapse(c):
                        node = splitAt(c, place, n)
                        kept = node[side]
                        node.clear()
                        node.update(kept)
                    self.try_one('side of a split dropped', collapse, valid)
                    self.try_one('side of a split removed', lambda c: splitAt(c, place, n).pop(side))
                for to in (split['at'] + 1, split['at'] - 1):
                    self.try_one('split moved', lambda c: splitAt(c, place, n).__setitem__('at', to), valid)
            def rename(c):
                goalsOf(c, place)[place[2] + '0'] = goalsOf(c, place).pop(place[2])
            self.try_one('goal removed', lambda c: goalsOf(c, place).pop(place[2]))
            self.try_one('goal twice', lambda c: goalsOf(c, place).__setitem__(place[2] + '/again', goal))
            self.try_one('goal renamed', rename)
        for k, kernel in enumerate(self.original['kernels']):
            for o, obligation in kernel['obligations'].items():
                self.try_one('obligation removed', lambda c: c['kernels'][k]['obligations'].pop(o))
                self.try_one('obligation added', lambda c: c['kernels'][k]['obligations'].update(O9=obligation))
                if 'open' in obligation:
                    self.try_one('open one claimed', lambda c: c['kernels'][k]['obligations'].update(
                        {o: {'choices': {}, 'goals': {}}}))
                some = list(obligation.get('choices', {}).items())
                for n, choice in self.chance.sample(some, min(most, len(some))):
                    def choices(c):
                        return c['kernels'][k]['obligations'][o]['choices']
                    self.try_one('choice removed', lambda c: choices(c).pop(n))
                    for path, node in nodes(choice, []):
                        if 'if' in node:
                            self.try_one('cases exchanged', lambda c: exchange(under(choices(c)[n], path)))
                            self.try_one('case dropped', lambda c: under(choices(c)[n], path).pop('else'))
                            self.try_one('case repeated', lambda c: under(choices(c)[n], path).update(
                                {'then': under(choices(c)[n], path)['else']}))
                        for name, text in node.get('values', {}).items():
                            for to in (text + ' + 1', '0*(%s)' % text if text != '0' else '1', '$nothing'):
                                self.try_one('choice changed', lambda c: under(choices(c)[n], path)['values'].update(
                                    {name: to}))
                        if 'site' in node:
                            self.try_one('choice of another site', lambda c: under(choices(c)[n], path).update(
                                {'site': node['site'] + 1}), lambda c: True)  # it may write there too
            self.try_one('kernel removed', lambda c: c['kernels'].pop(k))
            self.try_one('kernel moved', lambda c: c['kernels'][k].__setitem__('line', kernel['line'] + 1),
                         lambda c: c['expanded'] is not None)  # a line of the original text
        self.try_one('version changed', lambda c: c.__setitem__('version', 2))
        self.try_one('size given', lambda c: c['sizes'].__setitem__('M', 2))


def nodes(choice, path):
    """The tests and instances of a choice, each with its path."""
    yield path, choice
    for part in ('then', 'else'):
        if part in choice:
            yield from nodes(choice[part], path + [part])


def under(choice, path):
    for part in path:
        choice = choice[part]
    return choice


def exchange(node):
    node['then'], node['else'] = node['else'], node['then']


def drop(goal, u):
    """An inequality and its multiplier. Valid proofs need all that they use."""
    goal['uses'].pop(u)
    for leaf in leaves(goal['proof']):
        leaf['sum'] = [[n - (n > u), f] for n, f in leaf['sum'] if n != u]


def bump(form, key, by):
    form[key] = form.get(key, 0) + by
    if form[key] == 0:
        del form[key]


def textMutants(name, data, most, folder):
    """Other programs with the same proofs. Accepted: Tessera must not refute these obligations of that program."""
    original, chance = json.loads(data), random.Random(SEED)
    member = 'program' if original['expanded'] is None else 'expanded'
    program = original[member]
    code = re.sub(r'//[^\n]*', lambda m: ' ' * len(m.group()), program)
    edits = []
    for m in re.finditer(r'(?<![\w%#@$])\d+', code):
        edits += [(m.start(), m.end(), str(int(m.group()) + d)) for d in (1, -1) if int(m.group()) + d >= 0]
    for old, new in (('<=', '<'), ('< ', '<= '), ('==', '<'), (' + ', ' - '), ('*', '+'), ('sync', ''), ('.SH', '.GL'),
                     ('commit', ''), ('<async>', ''), ('<async>', '<async.ca>')):
        edits += [(m.start(), m.end(), new) for m in re.finditer(re.escape(old), code)]
    lines = program.split('\n')
    starts = [sum(len(line) + 1 for line in lines[:k]) for k in range(len(lines) + 1)]
    for k in range(1, len(lines)):  # a barrier, a wait or a commit moves up, or down
        if any(re.fullmatch(r'\s*(?:sync|commit|wait \d+|if .*commit \})', line) for line in lines[k - 1:k + 1]):
            edits.append((starts[k - 1], starts[k + 1] - 1, lines[k] + '\n' + lines[k - 1]))
    names = sorted(set(re.findall(r'[%@]\w+', code)))
    for m in re.finditer(r'[%@]\w+', code):
        edits += [(m.start(), m.end(), n) for n in names if n[0] == m.group()[0] and n != m.group()]
    rejected, accepted = 0, 0
    some = edits if os.path.basename(name) in FLYING else chance.sample(edits, min(most, len(edits)))
    for begin, end, new in some:
        original[member] = program[:begin] + new + program[end:]
        found = verdict(json.dumps(original))
        if found is None:
            rejected += 1
            continue
        path = os.path.join(folder, 'mutant.graphene')
        with open(path, 'w', encoding='utf-8') as f:
            f.write(original[member])
        ran = tessera(path, '--format', 'json')
        specs = [s for s in map(json.loads, ran.stdout.splitlines()) if s.get('kind') == 'spec' and s['depth'] == 0]
        for spec, labels in zip(specs, found.split('; ')):
            bad = [o for o in spec['obligations'] if o['label'] in labels.split() and o['standing'] == 'refuted']
            assert not bad, 'accepted, but refuted: %r -> %r %s\n%s' % (program[begin:end], new, bad, original[member])
        accepted += 1
    return rejected, accepted


def hostile(data):
    good = json.loads(data)
    nested = '[' * 100000
    texts = ['', '{', nested, '1' * 10000, '{"format": "tessera-certificate"}', 'null', '[]', '"x"', '{"a":1,"a":2}',
             data.replace('"version":3', '"version":true'), data.replace('"version":3', '"version":3e400'),
             data.replace('"version":3', '"version":' + '9' * 5000), data[:len(data) // 2]]
    for t in texts:
        assert verdict(t) is None, t[:80]
    wrong = [None, True, 3, -1, 1e300, 'x', [], {}, [[]], [[0, 1e9]], [[0, '1']], [[-1, 1]], [[10 ** 9, 1]], 10 ** 60]
    place, goal = next(goals(good))
    for value in wrong:
        for edit in (lambda c, v: at(c, place).__setitem__('proof', v),
                     lambda c, v: at(c, place).__setitem__('uses', v),
                     lambda c, v: at(c, place)['proof'].__setitem__('sum', v),
                     lambda c, v: goalsOf(c, place).__setitem__(place[2], v), lambda c, v: c.__setitem__('kernels', v),
                     lambda c, v: c['kernels'][0].__setitem__('obligations', v),
                     lambda c, v: c.__setitem__('program', v), lambda c, v: c.__setitem__('sizes', v),
                     lambda c, v: at(c, place)['uses'].__setitem__(0, v),
                     lambda c, v: at(c, place)['uses'][0].__setitem__('', v)):
            c = copy.deepcopy(good)
            edit(c, value)
            if c != good:
                assert verdict(json.dumps(c)) is None, (value, json.dumps(c)[:200])
    place, goal = next(goals(good))
    c = copy.deepcopy(good)
    at(c, place)['proof'] = 'DEEP'
    deep = '{"split":{"x":1},"at":0,"above":{"sum":[]},"below":' * 3000 + '1' + '}' * 3000
    assert verdict(json.dumps(c).replace('"DEEP"', deep)) is None
    for program in ('(' * 5000, '%a:[' + '(' * 500 + '1', 'if (' * 100, '%x <- ' * 100, '\0', '#b:[1].block ' * 2,
                    '%a:[9' + '9' * 5000 + '].fp32.GL', '{' * 1000,
                    '%a:[' + '*'.join(['(M + N + K + 1)'] * 50) + '].fp32.GL', good['program'] + 'if (M != 1) { ' * 30):
        c = copy.deepcopy(good)
        c['program'] = program
        assert verdict(json.dumps(c)) is None, program[:40]


# Assumptions of a program, and weaker ones or others, under which its obligations are not proved by the same file.
WEAKER = {
    'assumed': ('N % 128 == 0', ['N % 64 == 0', 'N % 4 == 0', 'N % 128 == 1', 'N % 128 != 0', 'N % 128 <= 0 && N < 0',
                                 'N <= 128', 'N % 256 == 0 || N == 1', 'M % 128 == 0', 'N*N % 128 == 0', 'N == 0']),
    'bounded': ('C <= 128*K', ['C <= 128*K + 1', 'C <= 129*K', 'C >= 128*K', 'C <= 128*C', 'K <= 128*C', 'C != 128*K',
                               '0 <= 128*K', 'C <= 128*D', 'C < 128*K + 2', 'C - 1 <= 128*K']),
    'layernorm_rows': ('C <= 512', ['C <= 513', 'C < 514', 'C >= 512', 'R <= 512', 'C != 512', '512 < C',
                                   'C <= 512*R'])}


def assumptions(kept, paths):
    """A file that uses an assumption is rejected for a program without it, wherever the file or the text has it."""
    rejected = 0
    for name, (old, others) in WEAKER.items():
        original = json.loads(kept[name])
        member = 'program' if original['expanded'] is None else 'expanded'
        text = original[member]
        line = next(x for x in text.split('\n') if x.startswith('assume'))
        assert old in line, line
        replaced = ['assume ' + line[7:].replace(old, other) for other in others]
        replaced += ['', '// ' + line, 'assume 1 <= 2 // ' + old, line.replace('assume', 'assumed'), line + ' && 2 < 1',
                     line.replace('assume', 'assume assume <='), line.replace('assume ', 'assume\n')]
        bodies = [text.replace(line, '') + '\n#q:[1].block { ' + line + '\n}',
                  re.sub(r'(@\w+ = )', line + '\n\\1', text.replace(line, ''), count=1)]
        for program in [text.replace(line, other) for other in replaced] + bodies:
            c = dict(original, **{member: program})
            assert verdict(json.dumps(c)) is None, (name, program)
            rejected += 1
        for to in (line + ' && R < 9', line + ';', ' ' + line + ' // of the sizes', '//\n' + line):
            program = text.replace(line, to)
            c = dict(original, **{member: program})
            for kernel in c['kernels']:
                kernel['line'] = next(k + 1 for k, x in enumerate(program.split('\n')) if '<<<' in x)
            assert verdict(json.dumps(c)) == verdict(kept[name]), (name, program)
    # The file of a program without assumptions uses one.
    other = json.loads(kept['relu'])
    for place, goal in list(goals(other))[:8]:
        for form in ({'C': -1, '': 512}, {'': -1}, {'R': -1, 'C': 1}, [{'C': -1, '': 512}, {'C': 1, '': -1}]):
            c = copy.deepcopy(other)
            at(c, place)['uses'].append(form)
            assert verdict(json.dumps(c)) is None, (place, form)
            rejected += 1
    # Numbers that the program does not accept: it says so, and so does the checker.
    for name, sizes in (('assumed', [{'N': n} for n in (1, 100, 127, 128, 256, 300)]),
                        ('bounded', [{'C': c, 'K': k} for c, k in ((1, 1), (128, 1), (129, 1), (9, 8), (9, 9))])):
        with open(paths[name], encoding='utf-8') as f:
            text = f.read()
        for numbers in sizes:
            ran = tessera(paths[name], *[w for n, v in numbers.items() for w in ('--size', '%s=%d' % (n, v))])
            try:
                checker.Reader(text, numbers)
                accepts = True
            except checker.Rejected as e:
                assert 'as the program assumes' in str(e), e
                accepts = False
            assert accepts == ('the program assumes' not in ran.stdout + ran.stderr), (numbers, ran.stdout)
    return rejected


def negative(tessera):
    """Without the assumption, phases 0 and 2*N - 3 differ for every N, but for N = 1 both are 0."""
    forged = json.loads(tessera.replace('assume N >= 2\\n', '\\n'))
    races = forged['kernels'][0]['obligations']['O6']['goals']
    assert 'loop/0' in races, races.keys()
    proof = {'split': {'N': 1}, 'at': 1, 'below': {'sum': [[2, 2], [0, 1]]}, 'above': {'sum': [[2, 2], [1, 1]]}}
    for name in races:
        if name.startswith('1/0/2/1/threads'):
            races[name] = {'uses': [{'N': 2, '': -3}, {'N': -2, '': 3}], 'proof': proof}
    try:
        checker.check(json.dumps(forged))
    except checker.Rejected as e:
        assert 'loop/0' in str(e), e
        return
    raise AssertionError('a loop has a negative number of iterations')


def sumsAsNames():
    """2*x + 5*y >= 1 and 5*y >= x have solutions. As 2*z >= 1 and -z >= 0, with the name 'x + 5*y', they have none."""
    forged = {'uses': [{'x + 5*y': 2, '': -1}, {'x + 5*y': -1}], 'proof': {'sum': [[0, 1], [1, 2]]}}
    try:
        x, y = checker.var('x'), checker.var('y')
        checker.Obligation({'g': forged}, {}, []).prove('g', [y * 5 - x], x * 2 + y * 5 - 1)
    except checker.Rejected:
        return
    raise AssertionError('a sum is taken as a variable')


def crossChecked(data, slow=()):
    """The inequalities that each goal uses have no integer solution for cvc5 either, but for obligations where it needs
    minutes."""
    cvc5 = shutil.which('cvc5')
    if not cvc5:
        return 0
    lines, count = ['(set-logic QF_LIA)'], 0
    for goal in (goal for place, goal in goals(json.loads(data)) if place[1] not in slow):
        used = list(map(value, goal['uses']))
        names = sorted({k for u in used for k in u if k})
        lines.append('(push 1)')
        lines += ['(declare-const |%s| Int)' % n for n in names]
        for u in used:
            terms = ['(* %d |%s|)' % (c, k) if k else str(c) for k, c in u.items()]
            total = ' '.join(re.sub(r'(?<![\w|])-(\d+)', r'(- \1)', t) for t in terms)
            lines.append('(assert (>= (+ 0 0 %s) 0))' % total)
        lines += ['(check-sat)', '(pop 1)']
        count += 1
    ran = subprocess.run([cvc5, '--lang=smt2', '--incremental'], input='\n'.join(lines), capture_output=True, text=True,
                         timeout=300)
    answers = ran.stdout.split()
    assert answers == ['unsat'] * count, (ran.stdout[:300], ran.stderr[:300])
    return count


def main():
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, 'out.json')
        own = {'parity': PARITY, 'relu': RELU, 'assumed': ASSUMED, 'bounded': BOUNDED, 'rows': ROWS, 'stage': STAGE,
               'ring': RING, 'tail': TAIL, 'negative': NEGATIVE}
        paths = {name: os.path.join(folder if name in own else ROOT, name + '.graphene') for name in COMPLETE}
        for name, text in own.items():
            with open(paths[name], 'w', encoding='utf-8') as f:
                f.write(text)
        kept = {}
        for name, labels in COMPLETE.items():
            data, ran = certificate(paths[name], out)
            assert data is not None, (name, ran.stdout, ran.stderr)
            with open(paths[name], encoding='utf-8') as f:
                program = f.read()
            try:
                found = '; '.join(' '.join(o) for o in checker.check(data, program).values())
            except checker.Rejected as e:
                raise AssertionError('%s: %s' % (name, e))
            assert found == labels, (name, found)
            assert verdict(data, program + ' ') is None
            kept[os.path.basename(name)] = data
            print('%s: %s (%d bytes)' % (name, labels, len(data)))
        complete = sum(len(labels.replace(';', '').split()) for labels in COMPLETE.values())
        print('%d obligations of %d kernels' % (complete, sum(t.count(';') + 1 for t in COMPLETE.values())))
        for file in sorted(os.listdir(os.path.join(ROOT, 'assets/graphene'))):
            name = 'assets/graphene/' + file[:-len('.graphene')]
            assert not file.endswith('.graphene') or name in COMPLETE, name
        for name in ('w4', 'w6', 'w6_columns'):
            data, ran = certificate(os.path.join(ROOT, 'tests/cases/graphene', name + '.graphene'), out)
            assert data is None and ran.returncode == 1 and 'no certificate' in ran.stderr, (name, ran.stderr)
        # The expanded text is a program with the same goals.
        path = os.path.join(folder, 'expanded.graphene')
        with open(path, 'w', encoding='utf-8') as f:
            f.write(json.loads(kept['mlp'])['expanded'])
        again, _ = certificate(path, out)
        assert list(goals(json.loads(again))) == list(goals(json.loads(kept['mlp'])))
        # With numbers for sizes.
        ran = tessera(paths['assets/graphene/gemm_symbolic'], '--size', 'M=2', '--size', 'K=3', '--certificate', out)
        with open(out, encoding='utf-8') as f:
            assert verdict(f.read()) == ALL, ran.stderr
        for name in DAMAGED if THOROUGH else DAMAGED[TENTH::3]:
            data = kept[name]
            scaled = json.loads(data)
            for _, goal in goals(scaled):
                for leaf in leaves(goal['proof']):
                    leaf['sum'] = [[n, 3 * f] for n, f in leaf['sum']]
            assert verdict(json.dumps(scaled)) == verdict(data)
            mutants = Mutants(data)
            mutants.run(6 if THOROUGH else 4)
            assert not mutants.wrong, (name, mutants.wrong)
            assert sum(mutants.rejected.values()) > 5 * sum(mutants.valid.values()), (name, mutants.valid)
            print('%s: %d damaged ones rejected; valid in another way: %s' %
                  (name, sum(mutants.rejected.values()), mutants.valid))
            texts = textMutants(name, data, 40 if THOROUGH else 12, folder)
            print('%s: other programs: %d rejected, %d accepted and not refuted' % (name, *texts))
        hostile(kept['parity'])
        print('assumptions: %d other programs and files rejected' % assumptions(kept, paths))
        sumsAsNames()
        negative(kept['negative'])
        for name, slow in (('parity', ()), ('gemm_symbolic', ()), ('mlp', ('O6', 'O7')), ('ring', ()), ('tail', ())):
            print('%s: cvc5 agrees on %d goals' % (name, crossChecked(kept[name], slow)))


main()
