#!/usr/bin/env python3
"""Writes tests/cases/declarations.tsv: declarations of CuTe C++ as kernels write them, and what CuTe makes of them.

A line is TEXT <tab> NAME <tab> ANSWER <tab> NAME <tab> ANSWER ...: a text of several declarations (its lines are joined
by `\\n`) and the answers for the names that it declares:

    (_8,_64):(_64,_1)               CuTe's print of a layout, a tuple or an integer
    [(_8,_64) 512 512 H 0 34 ...]   composed: shape, size, cosize, a hash of all values, values at 16 flat coordinates
    mma THREADS TILE A B C          a tiled mma: its threads, its tile and the layouts of its operands
    copy THREADS TILE S D           a tiled copy

The texts are random with a fixed seed. Every form of FORMS is used equally often, and a declaration prefers what earlier
lines declare. A declaration that CuTe refuses is left out, with those that use it. The script writes C++ that declares
the texts and prints their names, compiles it for the host and runs it; it needs the headers of CUTLASS and of the CUDA
toolkit, no GPU:

    pip download --no-deps nvidia-cutlass && unzip -q nvidia_cutlass-*.whl
    python3 tests/cases/make_declarations.py cutlass_library/source/include /usr/local/cuda/include \\
        > tests/cases/declarations.tsv

The stored file was made with nvidia-cutlass 4.2.0 (CUTLASS 4.2.0, BSD-3-Clause), CUDA 13.0 and g++ 12.
"""
import os
import random
import re
import subprocess
import sys
import tempfile

random.seed(41)
INCLUDES = sys.argv[1:]
CHUNK = 12
TEXTS = 160
NAMED_INTS = {*range(1, 11), 12, 16, 24, 32, 40, 48, 56, 64, 96, 128, 192, 256, 384, 512, 1024, 2048, 4096}
TYPES = {"half_t": 16, "float": 32, "int8_t": 8, "bfloat16_t": 16, "float_e4m3_t": 8, "tfloat32_t": 32, "uint128_t": 128,
         "double": 64, "uint64_t": 64, "cutlass::half_t": 16, "cute::half_t": 16, "uint32_t": 32}
MMAS = [("SM80_16x8x16_F32F16F16F32_TN", (16, 8, 16), 32), ("SM80_16x8x8_F32TF32TF32F32_TN", (16, 8, 8), 32),
        ("SM80_16x8x16_F32BF16BF16F32_TN", (16, 8, 16), 32), ("SM75_16x8x8_F32F16F16F32_TN", (16, 8, 8), 32),
        ("SM80_8x8x4_F64F64F64F64_TN", (8, 8, 4), 32), ("SM80_16x8x32_S32S8S8S32_TN", (16, 8, 32), 32),
        ("SM70_8x8x4_F32F16F16F32_TN", (8, 8, 4), 8)]
WGMMAS = [("SM90_64x64x16_F32F16F16_SS<GMMA::Major::K, GMMA::Major::K>", (64, 64, 16), 128),
          ("SM90_64x128x16_F32BF16BF16_SS<GMMA::Major::K, GMMA::Major::MN>", (64, 128, 16), 128)]
COPIES = [("UniversalCopy<uint128_t>", 8, "half_t"), ("UniversalCopy<cute::uint128_t>", 4, "float"),
          ("SM80_CP_ASYNC_CACHEGLOBAL<cute::uint128_t>", 8, "half_t"), ("DefaultCopy", 1, "float"),
          ("SM80_CP_ASYNC_CACHEALWAYS<uint128_t>", 8, "bfloat16_t"), ("UniversalCopy<uint32_t>", 2, "half_t"),
          ("AutoVectorizingCopyWithAssumedAlignment<128>", 1, "half_t"), ("DefaultCopy", 1, "half_t")]


def coin(p):
    return random.random() < p


def leaves(t):
    return [t] if isinstance(t, int) else [x for part in t for x in leaves(part)]


def size(t):
    n = 1
    for x in leaves(t):
        n *= x
    return n


def compact(shape, step=1):
    """Column-major strides, and the next step."""
    if isinstance(shape, int):
        return step, step * shape
    out = []
    for part in shape:
        stride, step = compact(part, step)
        out.append(stride)
    return tuple(out), step


def compact_right(shape, step=1):
    if isinstance(shape, int):
        return step, step * shape
    out = []
    for part in reversed(shape):
        stride, step = compact_right(part, step)
        out.insert(0, stride)
    return tuple(out), step


class Item:
    """What a name denotes. `value` and `type` are its spelling as an expression and as a type."""

    def __init__(self, kind, value, type=None, shape=None, fixed=True, **more):
        self.kind, self.value, self.type, self.shape, self.fixed = kind, value, type, shape, fixed
        self.more = more

    @property
    def rank(self):
        return len(self.shape) if isinstance(self.shape, tuple) else 1


class Text:
    """A text of declarations in the making."""

    def __init__(self):
        self.lines = []  # (name or None, text)
        self.items = []
        self.names = set()

    # --- names

    def name(self, kind, type=False):
        words = {"int": ["kBlockM", "kBlockN", "kHeadDim", "kStages", "kNThreads", "BLK_M", "bK", "N", "kSwizzle"],
                 "layout": ["SmemLayoutAtom", "SmemLayoutA", "GmemLayout", "LayoutTV", "Rows", "ThrLayout"] if type else
                 ["sA_layout", "smem_layout", "tiled", "layout_a", "l", "g", "thr", "rest", "tile", "copies", "by"],
                 "tuple": ["TileShape", "ClusterShape", "Blk"] if type else ["shape", "cta_tiler", "bM", "strides", "coord"],
                 "type": ["Element", "T", "ElementA", "Accum"], "mma": ["TiledMma", "MMA"] if type else ["mma", "tiled_mma"],
                 "copy": ["GmemTiledCopy", "S2R"] if type else ["copyA", "tiled_copy"], "op": ["Op", "Atom", "CopyOp"],
                 "struct": ["Traits", "Config", "KernelTraits"], "function": ["make_smem", "pick", "layout_of"]}[kind]
        while True:
            out = random.choice(words) + random.choice(["", "", "", "_", "2", "3", "_v"])
            if out not in self.names:
                break
            out += str(random.randrange(100))
            if out not in self.names:
                break
        self.names.add(out)
        return out

    def pick(self, kind, where=lambda item: True):
        found = [item for item in self.items if item.kind == kind and where(item)]
        return random.choice(found[-4:]) if found else None

    def add(self, name, text, item=None):
        comment = random.choice([""] * 8 + ["  // (BLK_M,BLK_K)", "  /* stages */", "   // a<b, c>d {"])
        self.lines.append((name, text + (comment if "\n" not in text else "")))
        if item:
            self.items.append(item)

    # --- integers

    def const(self, n):
        """An integral constant expression of value n."""
        way = random.random()
        known = self.pick("int")
        if known and way < 0.45:
            k, v = known.value, known.more["n"]
            if v == n:
                return k
            if n % v == 0:
                return random.choice([f"{k} * {n // v}", f"{n // v} * {k}", f"({k} * {n // v})"])
            if v % n == 0:
                return random.choice([f"{k} / {v // n}", f"({k} / {v // n})"])
            return f"{k} - {v - n}" if v > n else f"{k} + {n - v}"
        if way < 0.6 and n % 2 == 0:
            return random.choice([f"{n // 2} * 2", f"2 * {n // 2}", f"{n * 2} / 2", f"{n} + 0", f"{n + 1} - 1"])
        if way < 0.66 and n & (n - 1) == 0:
            return f"(1 << {n.bit_length() - 1})"
        if way < 0.7:
            return random.choice([f"cute::max({n}, 1)", f"cute::ceil_div({n * 3 - 1}, 3)", f"({n} > 8 ? {n} : {n})",
                                  f"cute::min({n}, {n * 2})", f"{hex(n)}", f"({n} % {n + 1})", f"({n} | 0)", f"{n}u"])
        if way < 0.75:
            item = self.pick("layout", lambda x: x.fixed and x.shape is not None and size(x.shape) % n == 0)
            if item:
                rest = size(item.shape) // n
                return f"size({item.value})" + (f" / {rest}" if rest > 1 else "")
        if way < 0.8:
            element = self.pick("type")
            if element and n % max(element.more["bits"] // 8, 1) == 0:
                m = n // (element.more["bits"] // 8)
                return f"{m} * sizeof({element.value})" if coin(0.5) else f"{m} * sizeof_bits_v<{element.value}> / 8"
        return str(n)

    def int_type(self, n):
        if n in NAMED_INTS and coin(0.45):
            return random.choice(["", "", "", "cute::"]) + f"_{n}"
        text = self.const(n)
        return random.choice(["Int", "Int", "Int", "Int", "cute::Int", "C"]) + f"<{text}>"

    def int_value(self, n, fixed=True):
        if not fixed:
            known = self.pick("dynamic", lambda x: x.more["n"] == n)
            return known.value if known else str(n)
        if n in NAMED_INTS and coin(0.1):
            return f"_{n}()"
        return self.int_type(n) + random.choice(["{}", "{}", "{}", "()"])

    # --- tuples

    def tuple_type(self, t, head):
        if isinstance(t, int):
            return self.int_type(t)
        return random.choice(["", "", "", "cute::"]) + f"{head}<{', '.join(self.tuple_type(x, head) for x in t)}>"

    def tuple_value(self, t, head, fixed=True):
        """make_shape(..), Shape<..>{}"""
        if isinstance(t, int):
            return self.int_value(t, fixed)
        if fixed and coin(0.35):
            return self.tuple_type(t, head.capitalize()) + random.choice(["{}", "{}", "()"])
        parts = [self.tuple_value(x, head, fixed or coin(0.3)) for x in t]
        return random.choice(["", "", "", "cute::"]) + f"make_{head}({', '.join(parts)})"

    # --- layouts

    def random_shape(self, most=4096, rank=None, deep=True):
        rank = rank or random.choice([1, 2, 2, 2, 3])
        out, left = [], most
        for _ in range(rank):
            if deep and coin(0.2):
                part = self.random_shape(min(left, 64), 2, False)
            else:
                part = random.choice([n for n in [1, 2, 4, 8, 8, 16, 16, 32, 64, 64, 128, 3, 6, 12, 24] if n <= left])
            out.append(part)
            left = max(left // size(part), 1)
        return tuple(out)

    def fresh_layout(self, shape=None, fixed=True, plain_order=False):
        """An expression of a layout: (value, type or None, item)."""
        shape = shape or self.random_shape()
        way = random.random()
        left, right = compact(shape)[0], compact_right(shape)[0]
        if way < 0.15:
            text, stride = f"make_layout({self.tuple_value(shape, 'shape', fixed)})", left
        elif way < 0.3:
            tag = random.choice(["LayoutRight", "GenRowMajor", "cute::LayoutRight"])
            text, stride = f"make_layout({self.tuple_value(shape, 'shape', fixed)}, {tag}{{}})", right
        elif way < 0.38:
            tag = random.choice(["LayoutLeft", "GenColMajor", "cute::GenColMajor"])
            text, stride = f"make_layout({self.tuple_value(shape, 'shape', fixed)}, {tag}{{}})", left
        elif way < 0.6:
            stride = self.some_stride(shape, plain_order)
            text = f"make_layout({self.tuple_value(shape, 'shape', fixed)}, {self.tuple_value(stride, 'stride', fixed)})"
        elif way < 0.7 and isinstance(shape, tuple) and all(isinstance(x, int) for x in shape) and len(shape) > 1:
            order = list(range(len(shape)))
            random.shuffle(order)
            stride, step = [0] * len(shape), 1
            for k in sorted(range(len(shape)), key=lambda k: order[k]):
                stride[k], step = step, step * shape[k]
            stride = tuple(stride)
            steps = random.choice([f"Step<{', '.join(f'_{x}' for x in order)}>{{}}",
                                   f"make_step({', '.join(f'_{x}{{}}' for x in order)})",
                                   f"cute::Step<{', '.join(f'cute::Int<{x}>' for x in order)}>{{}}",
                                   f"make_tuple({', '.join(f'Int<{x}>{{}}' for x in order)})"])
            text = f"make_ordered_layout({self.tuple_value(shape, 'shape', fixed)}, {steps})"
        elif fixed:
            if coin(0.4):
                text, stride = f"Layout<{self.tuple_type(shape, 'Shape')}>", left
            else:
                stride = self.some_stride(shape, plain_order)
                text = f"Layout<{self.tuple_type(shape, 'Shape')}, {self.tuple_type(stride, 'Stride')}>"
            text = random.choice(["", "", "cute::"]) + text
            return Item("layout", text + "{}", text, shape, True, stride=stride)
        else:
            stride = right
            text = f"make_layout({self.tuple_value(shape, 'shape', fixed)}, {self.tuple_value(right, 'stride', fixed)})"
        return Item("layout", text, None, shape, fixed, stride=stride)

    def some_stride(self, shape, plain):
        way = random.random()
        if plain or way < 0.35:
            return compact(shape)[0] if coin(0.5) else compact_right(shape)[0]
        if way < 0.55:  # padded rows
            if isinstance(shape, tuple) and len(shape) == 2 and isinstance(shape[0], int) and isinstance(shape[1], int):
                return (shape[1] + 8, 1) if coin(0.5) else (1, shape[0] + 8)
        if way < 0.7:
            return compact(shape, random.choice([2, 4, 16]))[0]
        if way < 0.8 and isinstance(shape, tuple) and len(shape) > 1:  # broadcast
            k = random.randrange(len(shape))
            stride = list(compact(shape)[0])
            stride[k] = 0 if isinstance(shape[k], int) else tuple(0 for _ in shape[k])
            return tuple(stride) if all(isinstance(x, int) for x in shape) else compact_right(shape)[0]
        return compact_right(shape)[0]

    def layout(self, where=lambda x: True, fixed=None, shape=None, composed=True):
        """A layout: declared, or spelled here."""
        ok = lambda x: where(x) and (fixed is None or x.fixed == fixed) and (composed or not x.more.get("swizzled"))
        known = self.pick("layout", ok) if shape is None and coin(0.7) else None
        if known:
            return known
        for _ in range(20):
            item = self.fresh_layout(shape, fixed if fixed is not None else coin(0.8))
            if where(item):
                return item
        return self.fresh_layout(shape, True)

    def typed(self, item):
        return item.type or f"decltype({item.value})"

    # --- declarations

    def declare(self, kind, value, shape=None, fixed=True, type=None, **more):
        """Declares `value` as a type or a variable."""
        way = random.random()
        if fixed and way < 0.5:
            name = self.name(kind, True)
            whole = type if type and coin(0.8) else f"decltype({value})"
            if coin(0.1):
                text = f"typedef {whole} {name};"
            elif coin(0.25) and ", " in whole:
                text = f"using {name} = {whole};".replace(", ", ",\n    ", 1)
            else:
                text = f"using {name} = {whole};"
            item = Item(kind, name + random.choice(["{}", "{}", "{}", "()"]), name, shape, True, **more)
        else:
            name = self.name(kind)
            head = random.choice(["auto", "auto", "auto", "const auto", "auto const"])
            if fixed:
                head = random.choice([head, "constexpr auto", "static constexpr auto"])
            if kind == "layout" and not more.get("swizzled") and coin(0.15):
                head = random.choice(["Layout", "cute::Layout"])
            if kind in ("mma", "copy") and coin(0.3):
                head = {"mma": "TiledMMA", "copy": "TiledCopy"}[kind]
            text = random.choice([f"{head} {name} = {value};"] * 5 + [f"{head} {name}{{{value}}};", f"{head} {name}({value});"])
            if type and fixed and coin(0.2):
                text = f"{type} {name};" if coin(0.5) else f"{type} {name}{{}};"
            item = Item(kind, name, f"cute::remove_cvref_t<decltype({name})>", shape, fixed, **more)
        self.add(name, text, item)
        return item

    def declare_int(self, n=None):
        n = n or random.choice([2, 4, 8, 16, 32, 64, 96, 128, 256])
        name = self.name("int")
        head = random.choice(["constexpr int", "constexpr int", "static constexpr int", "const int", "constexpr unsigned",
                              "constexpr auto", "static constexpr std::size_t", "constexpr static int"])
        self.add(name, f"{head} {name} = {self.const(n)};", Item("int", name, n=n))

    def declare_dynamic(self):
        n = random.choice([4, 8, 16, 64, 100, 128])
        name = self.name("int")
        self.add(name, f"int {name} = {n};", Item("dynamic", name, n=n, fixed=False))

    def declare_type(self):
        t = random.choice(list(TYPES))
        name = self.name("type")
        text = random.choice([f"using {name} = {t};", f"using {name} = {t};", f"typedef {t} {name};",
                              f"using {name} = std::conditional_t<sizeof({t}) == {TYPES[t] // 8}, {t}, char>;"])
        self.add(None, text, Item("type", name, name, bits=TYPES[t]))


FORMS = []


def form(count):
    def take(function):
        FORMS.append((function, count))
        return function
    return take


@form(6)
def integer(t):
    t.declare_int()


@form(2)
def dynamic(t):
    t.declare_dynamic()


@form(3)
def element(t):
    t.declare_type()


@form(10)
def plain_layout(t):
    item = t.fresh_layout(fixed=coin(0.75))
    t.declare("layout", item.value, item.shape, item.fixed, item.type, **item.more)


@form(4)
def tuple_declaration(t):
    shape = t.random_shape()
    fixed = coin(0.75)
    head = random.choice(["Shape", "Shape", "Stride", "Tile", "Coord"])
    text = t.tuple_type(shape, head) if fixed else None
    maker = {"Tile": "tile"}.get(head, head.lower())
    value = t.tuple_value(shape, maker, fixed) if not fixed or coin(0.5) else text + "{}"
    t.declare("tuple", value, shape, fixed, text)


@form(4)
def from_tuple(t):
    s = t.pick("tuple") or Item("tuple", t.tuple_value((8, 16), "shape"), None, (8, 16))
    value = random.choice([f"make_layout({s.value})", f"make_layout({s.value}, LayoutRight{{}})",
                           f"make_layout({s.value}, GenRowMajor{{}})"])
    t.declare("layout", value, s.shape, s.fixed)


@form(7)
def of_tuple(t):
    """Functions of tuples."""
    s = t.pick("tuple") if coin(0.6) else None
    if not s:
        item = t.layout(composed=False)
        s = Item("tuple", random.choice([f"shape({item.value})", f"stride({item.value})", f"({item.value}).shape()"]), None,
                 item.shape, item.fixed)
    v, r = s.value, s.rank
    k = random.randrange(r)
    pieces = s.shape if isinstance(s.shape, tuple) else (s.shape,)
    way = random.randrange(13)
    if way == 0:
        t.declare("tuple", f"get<{k}>({v})", None, s.fixed)
    elif way == 1:
        end = random.randrange(k + 1, r + 1)
        t.declare("tuple", f"take<{k}, {end}>({v})", pieces[k:end], s.fixed)
    elif way == 2:
        order = random.sample(range(r), random.randrange(1, r + 1))
        t.declare("tuple", f"select<{', '.join(map(str, order))}>({v})", tuple(pieces[x] for x in order), s.fixed)
    elif way == 3:
        t.declare("tuple", f"append({v}, {t.int_value(4)})", None, s.fixed)
    elif way == 4:
        t.declare("tuple", f"prepend({v}, {t.int_value(2)})", None, s.fixed)
    elif way == 5:
        t.declare("tuple", f"flatten({v})", None, s.fixed)
    elif way == 6:
        t.declare("tuple", f"tuple_cat({v}, make_shape({t.int_value(3)}, {t.int_value(2)}))", None, s.fixed)
    elif way == 7:
        t.declare("tuple", f"product_each({v})", None, s.fixed)
    elif way == 8:
        t.declare("tuple", f"replace<{k}>({v}, {t.int_value(5)})", None, s.fixed)
    elif way == 9 and r > 1:
        t.declare("tuple", f"group<{0}, {2}>({v})", None, s.fixed)
    elif way == 10:
        t.declare("tuple", f"append<{r + 1}>({v}, {t.int_value(1)})", None, s.fixed)
    elif way == 11:
        t.declare("tuple", f"ceil_div({v}, {t.tuple_value(tuple(random.choice([2, 3, 4]) for _ in range(r)), 'shape')})",
                  None, s.fixed)
    else:
        t.declare("tuple", f"remove<{k}>({v})" if r > 1 else f"insert<{k}>({v}, {t.int_value(7)})", None, s.fixed)


@form(7)
def measures(t):
    """Integers of a layout."""
    item = t.layout(lambda x: not x.more.get("flag"))
    v = item.value
    k = random.randrange(item.rank) if item.shape else 0
    texts = [f"size({v})", f"size<{k}>({v})", f"cosize({v})", f"rank({v})", f"depth({v})", f"size(shape<{k}>({v}))",
             f"size(get<{k}>({v}))", f"size<{k}>({v}) * {t.int_value(2)}", f"{t.int_value(3)} + size({v})",
             f"cute::size({v})", f"product(shape({v}))", f"{v}(0)", f"{v}(size({v}) - Int<1>{{}})", f"int(size({v})) * 2"]
    if item.fixed:
        texts += [f"size_v<{t.typed(item)}>", f"cosize_v<{t.typed(item)}>", f"rank_v<{t.typed(item)}>",
                  f"decltype(size({v}))::value", f"size<{k}>({t.typed(item)}{{}})"]
    name = t.name("int")
    value = random.choice(texts)
    head = "auto" if not item.fixed else random.choice(["auto", "constexpr int", "static constexpr int", "const int"])
    t.add(name, f"{head} {name} = {value};", Item("measured", name))


@form(4)
def applied(t):
    item = t.layout(lambda x: x.shape is not None and not x.more.get("flag"))
    v = item.value
    shape = item.shape if isinstance(item.shape, tuple) else (item.shape,)
    at = [random.randrange(size(x)) for x in shape]
    c = ", ".join(map(str, at))
    name = t.name("int")
    texts = [f"{v}({c})", f"{v}(make_coord({c}))", f"{v}({random.randrange(size(item.shape))})"]
    if not item.more.get("swizzled"):
        texts += [f"crd2idx(make_coord({c}), {v}.shape(), {v}.stride())"]
    t.add(name, f"auto {name} = {random.choice(texts)};", Item("measured", name))


def unary(names, composed=True, count=4, keep=False):
    @form(count)
    def made(t):
        item = t.layout(composed=composed)
        name = random.choice(names)
        value = f"{random.choice(['', '', 'cute::'])}{name}({item.value})"
        t.declare("layout", value, item.shape if keep else None, item.fixed, swizzled=item.more.get("swizzled"),
                  flag=item.more.get("flag"))


unary(["coalesce"])
unary(["flatten"])
unary(["filter"], composed=False)
unary(["right_inverse"], composed=False)
unary(["left_inverse"], composed=False)
unary(["make_layout_like", "filter_zeros", "make_fragment_like"], composed=False)
unary(["complement"], composed=False)
unary(["get_nonswizzle_portion"])


@form(4)
def complement(t):
    n = random.choice([2, 4, 8])
    stride = random.choice([1, 2, 4])
    item = t.layout(shape=(n,), composed=False) if coin(0.4) else Item(
        "layout", f"Layout<{t.int_type(n)}, {t.int_type(stride)}>{{}}", None, n)
    t.declare("layout", f"complement({item.value}, {t.int_value(n * stride * random.choice([2, 4]))})", None, item.fixed)


@form(4)
def modes(t):
    item = t.layout(lambda x: x.shape is not None and x.rank > 1)
    v, r = item.value, item.rank
    pieces = item.shape if isinstance(item.shape, tuple) else (item.shape,)
    k = random.randrange(r)
    order = random.sample(range(r), random.randrange(1, r + 1))
    more = {"swizzled": item.more.get("swizzled"), "flag": item.more.get("flag")}
    way = random.randrange(6)
    if way == 0:
        t.declare("layout", f"layout<{k}>({v})", pieces[k], item.fixed, **more)
    elif way == 1:
        t.declare("layout", f"select<{', '.join(map(str, order))}>({v})", tuple(pieces[x] for x in order), item.fixed, **more)
    elif way == 2:
        end = random.randrange(k + 1, r + 1)
        t.declare("layout", f"take<{k}, {end}>({v})", pieces[k:end], item.fixed, **more)
    elif way == 3:
        t.declare("layout", f"get<{k}>({v})", pieces[k], item.fixed, **more)
    elif way == 4:
        maker = random.choice(["group_modes", "group", "group_modes"])
        t.declare("layout", f"{maker}<0, {r}>({v})", (pieces,), item.fixed, **more)
    else:
        t.declare("layout", f"group_modes<{r - 2}, {r}>({v})", pieces[:r - 2] + (pieces[r - 2:],), item.fixed, **more)


@form(4)
def joined(t):
    a, b = t.layout(composed=False), t.layout(composed=False)
    fixed = a.fixed and b.fixed
    value = random.choice([f"make_layout({a.value}, {b.value})", f"append({a.value}, {b.value})",
                           f"prepend({a.value}, {b.value})", f"append<4>({a.value}, {b.value})",
                           f"make_layout({a.value}, {b.value}, Layout<_2, _0>{{}})", f"append<5>({a.value})",
                           f"replace<0>({a.value}, {b.value})"])
    t.declare("layout", value, None, fixed)


@form(3)
def casts(t):
    n = random.choice([2, 4, 8])
    shape = random.choice([(16, 32), (8, 64), (32, 8), ((8, 2), 16)])
    item = t.layout(lambda x: x.shape is not None and size(x.shape) % n == 0) if coin(0.5) else t.layout(
        shape=shape, composed=False)
    a, b = random.choice(list(TYPES)), random.choice(list(TYPES))
    known = t.pick("type")
    a = known.value if known and coin(0.6) else a
    value = random.choice([f"upcast<{t.const(n)}>({item.value})", f"downcast<{n}>({item.value})",
                           f"recast_layout<{a}, {b}>({item.value})"])
    t.declare("layout", value, None, item.fixed, swizzled=item.more.get("swizzled"),
                  flag=item.more.get("flag"))


def powers(shape):
    return all(n & (n - 1) == 0 for n in leaves(shape))


@form(6)
def compositions(t):
    a = t.layout(lambda x: x.shape is not None and powers(x.shape) and size(x.shape) >= 8)
    n = size(a.shape)
    way = random.random()
    pieces = a.shape if isinstance(a.shape, tuple) else (a.shape,)
    if way < 0.5:
        inner = random.choice([x for x in [1, 2, 4, 8, 16] if x <= n])
        outer = random.choice([x for x in [1, 2, 4, 8] if x * inner <= n])
        b = t.fresh_layout((inner, outer), a.fixed or coin(0.5), plain_order=True)
        shape = (inner, outer)
        b_text = b.value
        fixed = a.fixed and b.fixed
    elif way < 0.75:
        shape = tuple(random.choice([m for m in [1, 2, 4, 8] if m <= size(x)]) for x in pieces)
        b_text, fixed = t.tuple_value(shape, random.choice(["tile", "shape"])), a.fixed
    else:
        rows = [m for m in [2, 4, 8] if m * 2 <= size(pieces[0])] or [1]
        m = random.choice(rows)
        first = f"Layout<{t.int_type(m)}, {t.int_type(random.choice([1, max(size(pieces[0]) // m, 1)]))}>{{}}"
        b_text = f"make_tile({', '.join([first] + ['_'] * (len(pieces) - 1))})"
        if coin(0.3):
            b_text = f"make_tile({first})"
        shape, fixed = None, a.fixed
    value = f"composition({a.value}, {b_text})"
    if coin(0.15):
        value = f"{a.value}.compose({b_text})"
    t.declare("layout", value, shape, fixed, swizzled=a.more.get("swizzled"), flag=a.more.get("flag"))


@form(4)
def with_shape(t):
    a = t.layout(lambda x: x.shape is not None and powers(x.shape))
    n = size(a.shape)
    m = random.choice([x for x in [1, 2, 4, 8, 16] if x <= n])
    text = f"{a.value}.with_shape({t.int_value(m)}, {t.int_value(n // m)})" if coin(0.5) else \
        f"{a.value}.with_shape({t.tuple_value((m, n // m), 'shape')})"
    t.declare("layout", text, (m, n // m), a.fixed, swizzled=a.more.get("swizzled"), flag=a.more.get("flag"))


def divides(name):
    @form(4)
    def made(t):
        a = t.layout(lambda x: x.shape is not None and powers(x.shape) and size(x.shape) >= 4)
        pieces = a.shape if isinstance(a.shape, tuple) else (a.shape,)
        shape = None
        if coin(0.7) or name != "logical_divide":
            parts = [random.choice([m for m in [1, 2, 4, 8, 16, 32] if m <= size(x)]) for x in pieces]
            if coin(0.3) and len(parts) > 1:
                parts = parts[:1]
            way = random.randrange(4)
            if way == 0:
                tile = f"Tile<{', '.join(t.int_type(x) for x in parts)}>{{}}"
            elif way == 1:
                tile = t.tuple_value(tuple(parts), "shape")
            elif way == 2:
                tile = f"make_tile({', '.join(t.int_value(x) for x in parts)})"
            else:
                m = parts[0]
                stride = random.choice([1, size(pieces[0]) // m])
                first = random.choice([f"Layout<{t.int_type(m)}, {t.int_type(stride)}>{{}}",
                                       f"make_layout({t.int_value(m)}, {t.int_value(stride)})"])
                tile = f"make_tile({', '.join([first] + [t.int_value(x) for x in parts[1:]])})"
            if len(parts) == len(pieces):
                rests = tuple(size(x) // m for x, m in zip(pieces, parts))
                shape = {"logical_divide": tuple(zip(parts, rests)), "zipped_divide": (tuple(parts), rests),
                         "tiled_divide": (tuple(parts), *rests), "flat_divide": (*parts, *rests)}[name]
        else:
            m = random.choice([2, 4])
            stride = random.choice([1, size(a.shape) // m])
            tile = f"Layout<{t.int_type(m)}, {t.int_type(stride)}>{{}}"
            if coin(0.3):
                tile = t.int_value(m)
            shape = (m, size(a.shape) // m)
        t.declare("layout", f"{random.choice(['', '', 'cute::'])}{name}({a.value}, {tile})", shape, a.fixed,
                  swizzled=a.more.get("swizzled"), flag=a.more.get("flag"))


for divide in ["logical_divide", "zipped_divide", "tiled_divide", "flat_divide"]:
    divides(divide)


def products(names, flat):
    @form(4)
    def made(t):
        name = random.choice(names)
        rank = 2 if flat else random.choice([1, 2])
        a = t.layout(shape=tuple(random.choice([2, 4, 8, 3]) for _ in range(rank)), composed=False)
        b = t.layout(shape=tuple(random.choice([1, 2, 4, 3]) for _ in range(rank)), composed=False)
        known = t.pick("layout", lambda x: x.shape is not None and x.rank == rank and size(x.shape) <= 512)
        if known and coin(0.5):
            a = known
        if coin(0.2) and not flat:
            b = Item("layout", t.int_value(4), None, 4)
        t.declare("layout", f"{name}({a.value}, {b.value})", None, a.fixed and b.fixed, swizzled=a.more.get("swizzled"), flag=a.more.get("flag"))


products(["logical_product", "zipped_product", "tiled_product"], False)
products(["blocked_product"], True)
products(["raked_product"], True)


@form(4)
def sliced(t):
    a = t.layout(lambda x: x.shape is not None and x.rank > 1, composed=False)
    pieces = a.shape if isinstance(a.shape, tuple) else (a.shape,)
    k = random.randrange(len(pieces))
    coord = ", ".join("_" if i == k else f"Int<{random.randrange(size(x))}>{{}}" if coin(0.5) else "0"
                      for i, x in enumerate(pieces))
    value = random.choice([f"slice(make_coord({coord}), {a.value})", f"dice(make_coord({coord}), {a.value})",
                           f"{a.value}({coord})"])
    t.declare("layout", value, None, a.fixed)


# --- swizzles


def swizzle(t):
    b, m, s = random.choice([(3, 3, 3), (2, 3, 3), (1, 3, 3), (3, 4, 3), (2, 2, 3), (2, 4, 3), (3, 0, 3), (3, 3, -3)])
    texts = [f"Swizzle<{b}, {m}, {s}>", f"cute::Swizzle<{b},{m},{s}>", f"Swizzle<{t.const(b)}, {m}, {s}>"]
    if s == 3:
        texts.append(f"Swizzle<{b}, {m}>")
    return random.choice(texts)


def swizzle_atom(t):
    rows, columns = random.choice([8, 8, 16, 4]), random.choice([32, 64, 64, 128])
    base = t.layout(shape=(rows, columns), composed=False, fixed=True)
    value = f"composition({swizzle(t)}{{}}, {base.value})"
    type = None
    way = random.random()
    if way < 0.15:
        value = f"make_composed_layout({swizzle(t)}{{}}, Int<0>{{}}, {base.value})"
    elif way < 0.3:
        type = f"ComposedLayout<{swizzle(t)}, Int<0>, {t.typed(base)}>"
        value = type + "{}"
    elif way < 0.4:
        value = f"composition({swizzle(t)}{{}}, Int<{random.choice([0, 0, 64])}>{{}}, {base.value})"
    return Item("layout", value, type, (rows, columns), True, swizzled=True, atom=True)


@form(8)
def swizzled(t):
    item = swizzle_atom(t)
    t.declare("layout", item.value, item.shape, True, item.type, swizzled=True, atom=True)


@form(6)
def canonical(t):
    element = t.pick("type", lambda x: x.more["bits"] in (8, 16, 32))
    name = element.value if element and coin(0.7) else random.choice(["half_t", "bfloat16_t", "float", "int8_t", "tfloat32_t"])
    bits = element.more["bits"] if element and name == element.value else TYPES[name]
    width = {"SW128": 1024, "SW64": 512, "SW32": 256, "INTER": 128}
    form_name = random.choice(list(width))
    major = random.choice(["K", "MN"])
    unit = random.choice(["GMMA", "GMMA", "UMMA", "cute::GMMA", "cute::UMMA", "cute::SM90::GMMA"])
    if coin(0.8):
        text = f"{unit}::Layout_{major}_{form_name}_Atom<{name}>"
    else:
        text = f"{unit}::Layout_{form_name}_Atom<{name}, {unit}::Major::{major}>"
    long = width[form_name] // bits
    t.declare("layout", text + "{}", (8, long) if major == "K" else (long, 8), True, text, swizzled=True, atom=True, flag=True)


@form(8)
def tiled_to_shape(t):
    a = t.pick("layout", lambda x: x.shape is not None and x.rank == 2 and size(x.shape) <= 2048 and x.more.get("atom"))
    if not a:
        a = swizzle_atom(t) if coin(0.6) else t.layout(shape=(8, 16), composed=False, fixed=True)
    rows, columns = size(a.shape[0]), size(a.shape[1])
    shape = [rows * random.choice([1, 2, 4, 8]), columns * random.choice([1, 2, 3, 4])]
    if coin(0.5):
        shape.append(random.choice([2, 3, 4]))
    text = t.tuple_value(tuple(shape), "shape")
    fixed = a.fixed
    order = ""
    if coin(0.6):
        steps = list(range(1, len(shape) + 1))
        random.shuffle(steps)
        order = ", " + random.choice([f"Step<{', '.join(f'_{x}' for x in steps)}>{{}}",
                                      f"cute::Step<{','.join(f'cute::_{x}' for x in steps)}>{{}}",
                                      f"make_step({', '.join(f'Int<{x}>{{}}' for x in steps)})",
                                      "LayoutRight{}", "GenColMajor{}", "LayoutLeft{}",
                                      f"std::conditional_t<true, Step<{', '.join(f'_{x}' for x in steps)}>, "
                                      f"Step<_1, _2, _3>>{{}}"])
    t.declare("layout", f"tile_to_shape({a.value}, {text}{order})", tuple(shape), fixed, swizzled=a.more.get("swizzled"),
              flag=a.more.get("flag"))


@form(4)
def transposed(t):
    a = t.pick("layout", lambda x: x.fixed and x.shape is not None and x.rank == 2 and powers(x.shape)) or swizzle_atom(t)
    pieces = a.shape
    rows, columns = size(pieces[0]), size(pieces[1])
    tag = random.choice(["GenRowMajor{}", "LayoutRight{}"])
    value = f"composition({a.value}, make_layout({t.tuple_value((columns, rows), 'shape')}, {tag}))"
    if coin(0.3):
        value = f"composition({a.value}, make_layout({t.tuple_value((columns, rows), 'shape')}, " \
                f"{t.tuple_value((rows, 1), 'stride')}))"
    t.declare("layout", value, (columns, rows), True, swizzled=a.more.get("swizzled"), flag=a.more.get("flag"))


# --- tiled instructions


def mma_parts(t):
    op, mnk, _ = random.choice(MMAS + MMAS + WGMMAS)
    most = [1, 2, 4] if op.startswith("SM8") or op.startswith("SM75") else [1, 2]
    warps = (random.choice(most), random.choice([1, 2]), 1)
    if coin(0.3):
        warps = warps[:2]
    return op, mnk, warps


@form(6)
def tiled_mma(t):
    op, mnk, warps = mma_parts(t)
    atom = op if "SM90" in op or coin(0.5) else None
    known = t.pick("op", lambda x: x.more["mma"])
    if known and coin(0.5):
        op, mnk, atom = known.value, known.more["mnk"], known.value
    base = random.choice([f"MMA_Atom<{op}>", f"cute::MMA_Atom<{op}>"])
    full = warps if len(warps) == 3 else (*warps, 1)
    sizes = [a * w * random.choice([1, 1, 2]) for a, w in zip(mnk, full)]
    if coin(0.5):
        type = f"TiledMMA<{base}, Layout<{t.tuple_type(full, 'Shape')}>"
        if coin(0.7):
            type += f", Tile<{', '.join(t.int_type(x) for x in sizes)}>"
        t.declare("mma", type + ">{}", tuple(sizes), True, type + ">", mnk=mnk)
        return
    first = random.choice([f"{op}{{}}", f"MMA_Atom<{op}>{{}}"])
    value = f"make_tiled_mma({first}"
    if coin(0.9):
        order = random.choice(["", "", ", LayoutRight{}"])
        value += random.choice([f", Layout<{t.tuple_type(warps, 'Shape')}>{{}}",
                                f", make_layout({t.tuple_value(warps, 'shape')}{order})",
                                f", {t.tuple_value(warps, 'shape')}" if False else f", Layout<{t.tuple_type(warps, 'Shape')}>{{}}"])
        if coin(0.5):
            value += random.choice([f", Tile<{', '.join(t.int_type(x) for x in sizes)}>{{}}",
                                    f", make_tile({', '.join(t.int_value(x) for x in sizes)})"])
    t.declare("mma", value + ")", tuple(sizes), True, mnk=mnk)


@form(3)
def operation(t):
    name = t.name("op")
    if coin(0.5):
        op, mnk, _ = random.choice(MMAS)
        text = random.choice([op, f"std::conditional_t<{t.const(1)} == 1, {op}, SM80_8x8x4_F64F64F64F64_TN>"])
        t.add(None, f"using {name} = {text};", Item("op", name, name, mma=True, mnk=mnk))
    else:
        op, values, element = random.choice(COPIES)
        t.add(None, f"using {name} = Copy_Atom<{op}, {element}>;", Item("op", name, name, mma=False, values=values))


@form(6)
def tiled_copy(t):
    known = t.pick("op", lambda x: not x.more["mma"])
    if known and coin(0.6):
        atom, values = known.value, known.more["values"]
    else:
        op, values, element = random.choice(COPIES)
        atom = random.choice(["", "cute::"]) + f"Copy_Atom<{op}, {element}>"
    threads, columns = random.choice([32, 64, 128]), random.choice([4, 8, 16])
    thr = t.layout(shape=(threads // columns, columns), composed=False, fixed=True)
    val = t.layout(shape=random.choice([(1, values), (1, values), (values, 1), (2, values)]), composed=False, fixed=True)
    t.declare("copy", f"make_tiled_copy({atom}{{}}, {thr.value}, {val.value})", None, True)


@form(3)
def copy_of_mma(t):
    mma = t.pick("mma", lambda x: x.more["mnk"] in [(16, 8, 16)])
    if not mma:
        return tiled_mma(t)
    operand = random.choice("ABC")
    op = {"A": "SM75_U32x4_LDSM_N", "B": random.choice(["SM75_U32x2_LDSM_N", "SM75_U32x4_LDSM_N"]),
          "C": "DefaultCopy"}[operand]
    t.declare("copy", f"make_tiled_copy_{operand}(Copy_Atom<{op}, half_t>{{}}, {mma.value})", None, True)


@form(4)
def of_mma(t):
    mma = t.pick("mma")
    if not mma:
        return tiled_mma(t)
    v = mma.value
    way = random.randrange(5)
    if way == 0:
        t.declare("tuple", f"tile_shape({v})", mma.shape, True)
    elif way == 1:
        name = t.name("int")
        t.add(name, f"constexpr int {name} = {random.choice([f'size({v})', f'tile_size<1>({v})'])};", Item("measured", name))
    elif way == 2:
        t.declare("layout", f"{v}.get_layout{random.choice('ABC')}_TV()", None, True)
    elif way == 3:
        t.declare("layout", f"{v}.get_thr_layout_vmnk()", None, True)
    else:
        name = t.name("tuple", True)
        t.add(name, f"using {name} = typename {t.typed(mma)}::{random.choice(['AtomShape_MNK'])};", Item("tuple", name + "{}", name))


# --- structs, functions, alias templates


@form(6)
def traits(t):
    """template <..> struct, an instance, and what is taken from it."""
    s = t.name("struct")
    parameters, arguments, inner = [], [], Text()
    inner.names = t.names
    for p in random.sample(["kHeadDim_", "kBlockM_", "kWarps_"], random.choice([1, 2, 3])):
        n = random.choice([32, 64, 128]) if p != "kWarps_" else random.choice([2, 4, 8])
        byDefault = f" = {n * 2}" if coin(0.2) and not any("=" in x for x in parameters) else ""
        parameters.append(f"int {p}{byDefault}")
        arguments.append((t.const(n), bool(byDefault)))
        inner.items.append(Item("int", p, n=n))
    for k in range(len(parameters) - 1):  # a default is last
        if "=" in parameters[k]:
            parameters[k] = parameters[k].split(" =")[0]
    if coin(0.6):
        parameters.append("typename Element_" + random.choice(["", " = half_t"]))
        arguments.append((random.choice(["half_t", "float", "cutlass::bfloat16_t"]), False))
        inner.items.append(Item("type", "Element_", "Element_", bits={"float": 32}.get(arguments[-1][0], 16)))
        if "=" not in parameters[-1]:
            parameters[:-1] = [x.split(" =")[0] for x in parameters[:-1]]
    for make in random.choices([integer, integer, plain_static, swizzled, tiled_to_shape, canonical_in, tuple_static, transposed],
                               k=random.choice([2, 3, 4, 5])):
        make(inner)
    inner.static_members()
    head = f"template <{', '.join(parameters)}>\nstruct {s} {{\n"
    body = "".join(f"  {line}\n" for _, line in inner.lines)
    t.add(None, head + body + "};")
    instance = f"{s}<{', '.join(a for a, _ in arguments)}>"
    name = t.name("struct")
    if coin(0.7):
        t.add(None, f"using {name} = {instance};")
    else:
        name = instance
    takeable = [(n, i) for (n, _), i in zip(inner.lines, inner.items[-len(inner.lines):]) if n]
    for member, item in random.sample(takeable, min(len(takeable), 2)):
        if item.kind == "int":
            mine = t.name("int")
            t.add(mine, f"constexpr int {mine} = {name}::{member} * 2;", Item("int", mine, n=item.more["n"] * 2))
        elif item.type == member:
            mine = t.name(item.kind, True)
            t.add(mine, f"using {mine} = {random.choice(['typename ', ''])}{name}::{member};",
                  Item(item.kind, mine + "{}", mine, item.shape, True, **item.more))
        else:
            mine = t.name(item.kind)
            t.add(mine, f"auto {mine} = {name}::{member};", Item(item.kind, mine, None, item.shape, True, **item.more))


def plain_static(t):
    item = t.fresh_layout(fixed=True)
    t.declare("layout", item.value, item.shape, True, item.type, **item.more)


def tuple_static(t):
    shape = t.random_shape(deep=False)
    text = t.tuple_type(shape, "Shape")
    t.declare("tuple", text + "{}", shape, True, text)


def canonical_in(t):
    canonical(t)


def static_members(self):
    """A member variable is static constexpr."""
    for k, (name, text) in enumerate(self.lines):
        for head in ["constexpr static ", "static constexpr ", "constexpr ", "static ", "const "]:
            if text.startswith(head):
                text = text[len(head):]
        if not text.startswith(("using", "typedef")):
            text = text.replace("auto const ", "auto ", 1).replace("const auto ", "auto ", 1)
            text = re.sub(r"^cute::Layout |^Layout (?=\w+ =)", "auto ", text)
            text = "static constexpr " + text
        self.lines[k] = (name, text)


Text.static_members = static_members


@form(4)
def alias_template(t):
    name = t.name("layout", True) + "T"
    n, m = random.choice([8, 16, 32]), random.choice([32, 64])
    way = random.randrange(4)
    if way == 0:
        t.add(None, f"template <int R, int C_> using {name} = Layout<Shape<Int<R>, Int<C_>>, Stride<Int<C_>, _1>>;")
        use, shape, more = f"{name}<{t.const(n)}, {m}>", (n, m), {}
    elif way == 1:
        t.add(None, f"template <class T_> using {name} = decltype(tile_to_shape(GMMA::Layout_K_SW64_Atom<T_>{{}}, Shape<_{n}, _64>{{}}));")
        use, shape, more = f"{name}<{random.choice(['half_t', 'float'])}>", (n, 64), {"swizzled": True, "flag": True}
    elif way == 2:
        t.add(None, f"template <int R, class S_ = Shape<_2, _4>>\nusing {name} = decltype(make_layout(Shape<Int<R>, S_>{{}}, LayoutRight{{}}));")
        use, shape, more = f"{name}<{t.const(n)}>", (n, (2, 4)), {}
    else:
        t.add(None, f"template <class L_> using {name} = decltype(logical_divide(L_{{}}, make_tile(Int<4>{{}}, Int<8>{{}})));")
        item = t.layout(shape=(n, m), fixed=True, composed=False)
        use, shape, more = f"{name}<{t.typed(item)}>", ((4, n // 4), (8, m // 8)), {}
    t.declare("layout", use + "{}", shape, True, use, **more)


@form(4)
def helper(t):
    name = t.name("function")
    n = random.choice([8, 16, 32])
    way = random.randrange(5)
    if way == 0:
        item = t.fresh_layout((n, 8), True)
        t.add(None, f"constexpr auto {name}() {{ return {item.value}; }}")
        t.declare("layout", f"{name}()", (n, 8), True)
    elif way == 1:
        t.add(None, f"template <int W> constexpr auto {name}() {{\n  if constexpr (W % 16 == 0) {{\n    return Layout<Shape<Int<W>, _4>>{{}};\n"
                    f"  }} else {{\n    return Layout<Shape<_4, Int<W>>, Stride<Int<W>, _1>>{{}};\n  }}\n}}")
        t.declare("layout", f"{name}<{n}>()", (n, 4) if n % 16 == 0 else (4, n), True)
    elif way == 2:
        t.add(None, f"template <class S_> CUTE_HOST_DEVICE constexpr auto {name}(S_ const& s) {{\n  return make_layout(append(s, Int<3>{{}}), LayoutRight{{}});\n}}")
        t.declare("layout", f"{name}({t.tuple_value((n, 2), 'shape')})", (n, 2, 3), True)
    elif way == 3:
        t.add(None, f"template <class A_, class B_> constexpr auto {name}(A_ a, B_ b) {{\n  auto tile = make_tile(Int<2>{{}}, Int<4>{{}});\n"
                    f"  auto out = zipped_divide(a, tile);\n  return make_layout(out, b);\n}}")
        a = t.layout(shape=(n, 8), fixed=True, composed=False)
        t.declare("layout", f"{name}({a.value}, Layout<_2>{{}})", (((2, 4), (n // 2, 2)), 2), True)
    else:
        t.add(None, f"constexpr int {name}(int a, int b = 2) {{ return a * b + 1; }}")
        mine = t.name("int")
        t.add(mine, f"constexpr int {mine} = {name}({t.const(n)});", Item("measured", mine))


@form(4)
def packs(t):
    """Parameter packs and folds."""
    name = t.name("layout", True) + "P"
    numbers = [random.choice([2, 4, 8, 16]) for _ in range(random.choice([1, 2, 3]))]
    way = random.randrange(4)
    if way == 0:
        t.add(None, f"template <int... Ns> using {name} = Layout<Shape<Int<Ns>...>>;")
        use = f"{name}<{', '.join(t.const(n) for n in numbers)}>"
        t.declare("layout", use + "{}", tuple(numbers), True, use)
    elif way == 1:
        fold = random.choice(["(Ns + ...)", "(... + Ns)", "(1 + ... + Ns)", "(Ns * ... * 2)", "(... - Ns)", "(Ns - ...)"])
        t.add(None, f"template <int... Ns> constexpr int {name} = {fold};")
        mine = t.name("int")
        t.add(mine, f"constexpr int {mine} = {name}<{', '.join(map(str, numbers))}>;", Item("measured", mine))
    elif way == 2:
        t.add(None, f"template <class... Ls> constexpr auto {name}(Ls const&... ls) {{ return (size(ls) * ...); }}")
        mine = t.name("int")
        a, b = t.layout(fixed=True), t.layout(fixed=True)
        t.add(mine, f"constexpr int {mine} = {name}({a.value}, {b.value});", Item("measured", mine))
    else:
        t.add(None, f"template <class... Ss> constexpr auto {name}(Ss... ss) {{\n  return make_layout(make_shape(ss..., Int<sizeof...(Ss)>{{}}));\n}}")
        t.declare("layout", f"{name}({', '.join(t.int_value(n) for n in numbers)})", (*numbers, len(numbers)), True)


@form(3)
def clusters(t):
    """The layout of a cluster, as a mainloop builds it."""
    mma = t.pick("mma")
    if not mma:
        return tiled_mma(t)
    shape = (random.choice([1, 2, 4]), random.choice([1, 2]), 1)
    t.declare("layout", f"tiled_divide(make_layout({t.tuple_value(shape, 'shape')}), "
              f"make_tile(Layout<_1>{{}}))", None, True)


@form(3)
def cotiled(t):
    values = 8
    threads = random.choice([32, 64, 128])
    columns = random.choice([32, 64])
    data = t.layout(shape=(threads * values // columns * random.choice([1, 2]), columns), composed=False, fixed=True)
    t.declare("copy", f"make_cotiled_copy(Copy_Atom<UniversalCopy<uint128_t>, half_t>{{}}, make_layout("
              f"{t.tuple_value((threads, values), 'shape')}, LayoutRight{{}}), {data.value})", None, True)


@form(2)
def noise(t):
    item = t.layout(fixed=True)
    t.add(None, random.choice([f"static_assert(size({item.value}) > 0);", f"static_assert(is_static<{t.typed(item)}>::value, \"static\");",
                               "#define SMEM_BYTES (64 * 1024)", "// a comment: make_layout(make_shape(_4{}))",
                               "[[maybe_unused]] constexpr bool kFlag = true;", "struct SharedStorage { cute::array_aligned<half_t, 128> smem; };"]))


@form(2)
def plain_struct(t):
    s = t.name("struct")
    item = t.fresh_layout((8, 32), True)
    member = t.name("layout", True)
    n = random.choice([2, 4])
    t.add(None, f"struct {s} {{\n  static constexpr int kPipe = {t.const(n)};\n  using {member} = {t.typed(item)};\n"
                f"  enum {{ kCount = kPipe * 2 }};\n}};")
    mine = t.name("layout")
    t.add(mine, f"auto {mine} = tile_to_shape({s}::{member}{{}}, make_shape(_16{{}}, Int<64>{{}}, Int<{s}::kPipe>{{}}));",
          Item("layout", mine, None, (16, 64, n), True))
    if coin(0.5):
        mine = t.name("int")
        t.add(mine, f"constexpr int {mine} = {s}::kCount;", Item("measured", mine))
    if coin(0.5):
        derived = t.name("struct")
        t.add(None, f"struct {derived} : {s} {{\n  static constexpr int kMore = {s}::kPipe + 1;\n}};")
        mine = t.name("layout", True)
        t.add(mine, f"using {mine} = typename {derived}::{member};", Item("layout", mine + "{}", mine, (8, 32), True))


PROLOGUE = """
#include <cute/tensor.hpp>
#include <cute/atom/mma_atom.hpp>
#include <cute/atom/copy_atom.hpp>
#include <cstdio>
using namespace cute;
// What a tensor in shared memory under this layout means: the swizzle moves bytes, here in elements.
template <int B, int M, int S, int Bits, class L>
auto meant(ComposedLayout<Swizzle<B, M, S>, smem_ptr_flag_bits<Bits>, L> const& layout) {
  return as_position_independent_swizzle_layout(layout);
}
template <class F, class O, class L>
auto meant(ComposedLayout<F, O, L> const& layout) { return layout; }
template <class X>
void answer(X const& layout);
template <class F, class O, class L>
void answer(ComposedLayout<F, O, L> const& given) {
  const auto layout = meant(given);
  printf("[");
  print(layout.shape());
  const int n = int(size(layout));
  unsigned long long hash = 1469598103934665603ull;
  for (int i = 0; i < n; ++i) hash = (hash ^ (unsigned long long)(int(layout(i)))) * 1099511628211ull;
  printf(" %d %d %llu", n, int(cosize(layout)), hash);
  for (int i = 0; i < 16; ++i) printf(" %d", int(layout(int((long long)(i) * (n - 1) / 15))));
  printf("]");
}
template <class L>
void answer(L const& layout) {
  if constexpr (std::is_integral_v<L> || is_integral<L>::value) {
    print("%d", int(layout));
  } else {
    print(layout);
  }
}
template <class A, class L, class P>
void answer(TiledMMA<A, L, P> const& mma) {
  printf("mma %d ", int(size(mma)));
  print(tile_shape(mma)); printf(" "); print(mma.get_layoutA_TV()); printf(" "); print(mma.get_layoutB_TV());
  printf(" "); print(mma.get_layoutC_TV());
}
template <class A, class L, class T>
void answer(TiledCopy<A, L, T> const& copy) {
  printf("copy %d ", int(size(copy)));
  print(typename TiledCopy<A, L, T>::Tiler_MN{}); printf(" "); print(copy.get_layoutS_TV());
  printf(" "); print(copy.get_layoutD_TV());
}
template <class X>
void say(int text, const char* name, X const& x) {
  printf("\\n@ %d %s ", text, name);
  answer(x);
}
"""


def compiled(texts, work, tag):
    """{text number: {name: answer}}; lines that CuTe refuses are dropped from the texts."""
    while True:
        source, owners = PROLOGUE, {}
        for number, text in texts.items():
            source += f"namespace p{number} {{\n"
            for k, (name, line) in enumerate(text.lines):
                begin = source.count("\n") + 1
                source += line + "\n"
                for row in range(begin, source.count("\n") + 1):
                    owners[row] = (number, k)
            source += "void run() {\n"
            for k, (name, line) in enumerate(text.lines):
                if name:
                    owners[source.count("\n") + 1] = (number, k)
                    isType = bool(re.match(r"using |typedef ", line))
                    source += f'  say({number}, "{name}", {name}{"{}" if isType else ""});\n'
            source += "}\n}\n"
        source += "int main() {\n" + "".join(f"  p{number}::run();\n" for number in texts) + "}\n"
        path, binary = os.path.join(work, tag + ".cpp"), os.path.join(work, tag)
        with open(path, "w") as file:
            file.write(source)
        made = subprocess.run(["g++", "-w", "-O0", "-std=c++17", "-fmax-errors=0", path, "-o", binary,
                               *[f"-I{i}" for i in INCLUDES], *[f"-I{i}/cccl" for i in INCLUDES]],
                              capture_output=True, text=True)
        if made.returncode == 0:
            break
        bad = {owners[int(row)] for row in re.findall(re.escape(tag) + r"\.cpp:(\d+)", made.stderr) if int(row) in owners}
        if not bad:
            sys.exit(made.stderr[:4000])
        for number in {n for n, _ in bad}:
            lines, gone = texts[number].lines, set()
            first = min(k for n, k in bad if n == number)
            kept = []
            for k, (name, line) in enumerate(lines):
                words = set(re.findall(r"\w+", line))
                own = re.search(r"(?:struct|using|typedef .*|auto|int) (\w+)", line)
                if (number, k) in bad or words & gone:
                    gone |= {name} if name else {own.group(1)} if own else set()
                    print(f"CuTe refuses {line}", file=sys.stderr)
                else:
                    kept.append((name, line))
            texts[number].lines = kept
    out = subprocess.run([binary], capture_output=True, text=True, check=True).stdout
    answers = {}
    for number, name, what in re.findall(r"^@ (\d+) (\S+) (.*)$", out, re.M):
        answers.setdefault(int(number), {})[name] = what.strip()
    return answers


def main():
    deck = []
    texts = {}
    for number in range(TEXTS):
        text = Text()
        for _ in range(random.choice([2, 3, 4, 5, 6])):
            if not deck:
                deck = [make for make, count in FORMS for _ in range(count)]
                random.shuffle(deck)
            deck.pop()(text)
        texts[number] = text
    with tempfile.TemporaryDirectory() as work:
        for k in range(0, TEXTS, CHUNK):
            part = {n: texts[n] for n in range(k, min(k + CHUNK, TEXTS))}
            answers = compiled(part, work, f"t{k}")
            for number, text in part.items():
                known = answers.get(number, {})
                if known:
                    whole = "\\n".join(line.replace("\n", "\\n") for _, line in text.lines)
                    print("\t".join([whole, *[f"{name}\t{what}" for name, what in known.items()]]), flush=True)


main()
