"""HLO text for the tests: instructions of a dump, each as a module of its own; indexing maps, evaluated.

A second opinion on core/hlo: it shares no code with it. It reads what XLA prints, not all that XLA's parser accepts.
"""

import re

import numpy as np

SHAPE = re.compile(r"([a-z]\w*)\[([\d,]*)\](?:\{([\d,]*)[^}]*\})?")


class Shape:
    """An array, or a tuple of shapes."""

    def __init__(self, text):
        self.text = text
        self.elements = None
        if text.startswith("("):
            self.elements = [Shape(t) for t in split(text[1:-1])]
            return
        found = SHAPE.fullmatch(text)
        if not found:
            raise ValueError(text)
        self.type = found[1]
        self.dims = [int(d) for d in found[2].split(",") if d]
        minor = [int(d) for d in found[3].split(",") if d] if found[3] else []
        self.major_to_minor = minor[::-1] if len(minor) == len(self.dims) else list(range(len(self.dims)))

    def leaves(self):
        return [self] if self.elements is None else [leaf for e in self.elements for leaf in e.leaves()]

    def size(self):
        return int(np.prod(self.dims, dtype=np.int64))

    def bits(self):
        return 8 if self.type == "pred" else int(re.search(r"\d+", self.type)[0])


class Instruction:
    def __init__(self, name, shape, opcode, operands, attributes, root, line):
        self.name, self.shape, self.opcode, self.operands = name, shape, opcode, operands
        self.attributes, self.root, self.line = attributes, root, line


def split(text):
    """At the commas that are in no brackets or quotes."""
    parts, depth, begin, quoted = [], 0, 0, False
    for k, c in enumerate(text):
        if c == '"' and text[k - 1 : k] != "\\":
            quoted = not quoted
        elif quoted:
            continue
        elif c in "([{":
            depth += 1
        elif c in ")]}":
            depth -= 1
        elif c == "," and depth == 0:
            parts.append(text[begin:k].strip())
            begin = k + 1
    last = text[begin:].strip()
    return parts + [last] if last or parts else []


def balanced(text):
    """The length of the bracket that text begins with."""
    depth = 0
    for k, c in enumerate(text):
        depth += (c in "([{") - (c in ")]}")
        if depth == 0:
            return k + 1
    raise ValueError(text)


def computations(text):
    """Name -> list of instructions; "" is the name of the entry computation, too."""
    found, current = {}, None
    for number, line in enumerate(text.splitlines(), 1):
        line = re.sub(r"/\*.*?\*/", "", line)
        head = re.match(r"(ENTRY )?%?([\w.-]+) (\(.*\) -> .* )?\{$", line)
        if head:
            current = found[head[2]] = []
            if head[1]:
                found[""] = current
            continue
        if line.startswith("}"):
            current = None
        one = re.match(r"\s+(ROOT )?%?([\w.-]+) = (.*)$", line)
        if current is None or not one:
            continue
        rest = one[3]
        end = balanced(rest) if rest.startswith("(") else rest.index(" ")
        shape, rest = rest[:end].replace(" ", ""), rest[end:].strip()
        opcode = re.match(r"[\w-]+", rest)[0]
        rest = rest[len(opcode) :]
        end = balanced(rest)
        inside = rest[1 : end - 1]
        operands = [] if opcode in ("parameter", "constant") else [o.split()[-1].lstrip("%") for o in split(inside)]
        attributes = [a for a in split(rest[end:].lstrip(", ")) if not re.match("metadata=|control-predecessors=", a)]
        instruction = Instruction(one[2], Shape(shape), opcode, operands, attributes, bool(one[1]), number)
        instruction.inside = inside
        current.append(instruction)
    return found


def called(instruction, known):
    """The computations that an instruction names."""
    names = []
    for attribute in instruction.attributes:
        if re.match("calls|to_apply|body|condition|branch_computations|called_computations|true_c|false_c", attribute):
            names += [n for n in re.findall(r"[\w.-]+", attribute.split("=", 1)[1]) if n in known]
    return names


def bitcast(name, shape, source, operand):
    """A bitcast by its definition, in the order of memory: XLA's converter does not take its layouts over."""
    if shape.bits() != source.bits():
        raise ValueError("a bitcast to elements of another size")
    back = [shape.major_to_minor.index(d) for d in range(len(shape.dims))]

    def listed(values):
        return ",".join(map(str, values))

    def array(kind, dims):
        return f"{kind}[{listed(dims)}]"

    before, after = [[s.dims[d] for d in s.major_to_minor] for s in (source, shape)]
    order, back = listed(source.major_to_minor), listed(back)
    lines = [
        f"{name}.m = {array(source.type, before)} transpose({operand}), dimensions={{{order}}}",
        f"{name}.r = {array(source.type, after)} reshape({name}.m)",
    ]
    reshaped = name + ".r"
    if shape.type != source.type:
        reshaped = name + ".c"
        lines.append(f"{reshaped} = {array(shape.type, after)} bitcast-convert({name}.r)")
    return lines + [f"{name} = {array(shape.type, shape.dims)} transpose({reshaped}), dimensions={{{back}}}"]


def lines_of(i, shapes, operands=None):
    """An instruction as XLA's converter to StableHLO reads it, which has neither fusions nor bitcasts; for replicas."""
    operands = operands or i.operands
    if i.opcode == "bitcast":
        return bitcast(i.name, i.shape, shapes[i.operands[0]], operands[0])
    attributes, opcode = i.attributes, i.opcode
    if any("xla.sdy" in a for a in attributes if a.startswith("custom_call_target=")):
        raise ValueError("a marker of the partitioner, which no backend runs")
    unwanted = "frontend_attributes=|sharding=|channel_id=|use_global_device_ids="
    unwanted += "" if opcode == "custom-call" else "|backend_config="
    attributes = [a for a in attributes if not re.match(unwanted, a)]
    if opcode == "fusion":
        opcode = "call"
        attributes = [a.replace("calls=", "to_apply=") for a in attributes if not a.startswith("kind=")]
    if opcode == "partition-id":
        opcode = "replica-id"
    inside = i.inside if i.opcode in ("parameter", "constant") else ", ".join(operands)
    return [f"{i.name} = {i.shape.text} {opcode}({inside})" + "".join(", " + a for a in attributes)]


class Constants:
    """The integers that a module itself gives to what an instruction reads: where the counter of a loop begins."""

    def __init__(self, known):
        self.known = known
        self.home = {id(i): c for c in known.values() for i in c}
        self.callers = {}
        for name, computation in known.items():
            for i in computation if name else []:
                for other in called(i, known):
                    self.callers.setdefault(id(known[other]), []).append(i)

    def loops(self, instruction):
        inside = [i for name in called(instruction, self.known) for i in self.known[name]]
        return instruction.opcode == "while" or any(self.loops(i) for i in inside)

    def of(self, name, leaf, computation):
        """The value of an array of an instruction's result; None: not a constant."""
        i = next(i for i in computation if i.name == name)
        if i.opcode == "constant" and re.fullmatch(r"-?\d+", i.inside):
            return int(i.inside)
        if i.opcode == "tuple":
            for operand in i.operands:
                count = len(next(j for j in computation if j.name == operand).shape.leaves())
                if leaf < count:
                    return self.of(operand, leaf, computation)
                leaf -= count
        if i.opcode == "get-tuple-element":
            return self.of(i.operands[0], leaf + first_leaf(i, {j.name: j.shape for j in computation}), computation)
        if i.opcode in ("copy", "bitcast", "reshape"):
            return self.of(i.operands[0], leaf, computation)
        if i.opcode in ("call", "fusion"):
            body = self.known[called(i, self.known)[0]]
            return self.of(next(j for j in body if j.root).name, leaf, body)
        if i.opcode == "parameter":
            callers = self.callers.get(id(computation), [])
            if len(callers) == 1 and callers[0].opcode in ("call", "fusion"):
                return self.of(callers[0].operands[int(i.inside)], leaf, self.home[id(callers[0])])
        return None


def first_leaf(instruction, shapes):
    """Where the result of a get-tuple-element begins in its operand (whose element is not stated); of others 0."""
    if instruction.opcode != "get-tuple-element":
        return 0
    (index,) = [int(a[6:]) for a in instruction.attributes if a.startswith("index=")]
    return sum(len(e.leaves()) for e in shapes[instruction.operands[0]].elements[:index])


class Alone:
    """An instruction as a module: a parameter for every array of its operands, a flat tuple of its results."""

    def __init__(self, instruction, computation, known, constants):
        shapes = {i.name: i.shape for i in computation}
        bodies, names = [], []

        def need(i):
            for name in called(i, known):
                if name not in names:
                    for inner in known[name]:
                        need(inner)
                    if name in names:
                        continue
                    names.append(name)
                    inside = {j.name: j.shape for j in known[name]}
                    lines = []
                    for j in known[name]:
                        made = lines_of(j, inside)
                        lines += ["  " + line for line in made[:-1]]
                        lines.append(("  ROOT " if j.root else "  ") + made[-1])
                    bodies.append(name + " {\n" + "\n".join(lines) + "\n}\n")

        need(instruction)
        self.inputs = []  # shapes
        self.places = []  # (number of an operand, element of it, number of the input)
        self.fixed = {}  # input -> the value that the module gives it, which its maps assume
        lines, operands = [], []
        written = {}

        def assembled(shape, name):
            if shape.elements is None:
                lines.append(f"  {name} = {shape.text} parameter({len(self.inputs)})")
                self.inputs.append(shape)
                return name
            parts = [assembled(e, f"{name}.{k}") for k, e in enumerate(shape.elements)]
            lines.append(f"  {name} = {shape.text} tuple({', '.join(parts)})")
            return name

        for number, operand in enumerate(instruction.operands):
            if operand not in written:
                first = len(self.inputs)
                written[operand] = (assembled(shapes[operand], f"op{number}"), first)
            name, first = written[operand]
            operands.append(name)
            for element in range(len(shapes[operand].leaves())):
                self.places.append((number, element, first + element))
        if constants.loops(instruction):
            for number, element, k in self.places:
                value = constants.of(instruction.operands[number], element, computation)
                if value is not None and not self.inputs[k].dims:
                    self.fixed[k] = value
        result = instruction.shape
        shapes_here = dict(zip(instruction.operands, [shapes[o] for o in instruction.operands]))
        made = lines_of(instruction, shapes_here, operands)
        lines += ["  " + line for line in made]
        self.outputs = result.leaves()
        if result.elements is None:
            lines[-1] = "  ROOT " + lines[-1].strip()
        else:
            flat = []

            def flatten(shape, name):
                if shape.elements is None:
                    flat.append(name)
                    return
                for k, e in enumerate(shape.elements):
                    lines.append(f"  {name}.o{k} = {e.text} get-tuple-element({name}), index={k}")
                    flatten(e, f"{name}.o{k}")

            flatten(result, instruction.name)
            kinds = ", ".join(leaf.text for leaf in self.outputs)
            lines.append(f"  ROOT flat = ({kinds}) tuple({', '.join(flat)})")
        self.text = "HloModule alone\n\n" + "\n".join(bodies) + "\nENTRY alone_entry {\n" + "\n".join(lines) + "\n}\n"

    def key(self):
        """The same for instructions that differ in names only."""
        numbers = {}
        words = re.split(r'("(?:[^"\\]|\\.)*"|[A-Za-z_%][\w.%-]*)', self.text)
        defined = set(re.findall(r"^\s*(?:ROOT |ENTRY )?%?([\w.-]+) (?:=|\{)", self.text, re.M))
        return str(self.fixed) + "".join(
            f"n{numbers.setdefault(w.lstrip('%'), len(numbers))}" if w.lstrip("%") in defined else w for w in words
        )


class IndexingMap:
    """`(d0, d1)[s0]{rt0} -> (d0 floordiv 2, s0 + rt0), domain: d0 in [0, 3], ...`, for all points at once.

    >>> IndexingMap("(d0)[s0] -> (d0 * 2 + s0), domain: d0 in [0, 1], s0 in [0, 1]").points({})
    ({'d0': array([0, 0, 1, 1]), 's0': array([0, 1, 0, 1])}, [array([0, 1, 2, 3])])
    """

    def __init__(self, text):
        head, _, domain = text.partition(", domain: ")
        variables, results = head.split(" -> ")
        self.d = re.findall(r"\w+", re.match(r"\(([^)]*)\)", variables)[1])
        s = re.search(r"\[([^\]]*)\]", variables)
        rt = re.search(r"\{([^}]*)\}", variables)
        self.s = re.findall(r"\w+", s[1]) if s else []
        self.rt = re.findall(r"\w+", rt[1]) if rt else []
        self.results = [python(e) for e in split(results[1:-1])]
        self.bounds, self.guards = {}, []
        for part in re.findall(r"(.*?) in \[(-?\d+), (-?\d+)\](?:, |$)", domain):
            low, high = int(part[1]), int(part[2])
            if part[0] in self.d + self.s + self.rt:
                self.bounds[part[0]] = (low, high)
            else:
                self.guards.append((python(part[0]), low, high))

    def count(self):
        total = 1
        for low, high in self.bounds.values():
            total *= max(0, high - low + 1)
        return total

    def points(self, values):
        """Variables and results. `values`: functions from the variables to a run-time value; others take all values."""
        free = [v for v in self.d + self.s + self.rt if v not in values]
        ranges = [np.arange(self.bounds[v][0], self.bounds[v][1] + 1) for v in free]
        grid = [g.ravel() for g in np.meshgrid(*ranges, indexing="ij")] if ranges else []
        size = grid[0].size if grid else 1
        at = dict(zip(free, grid))
        for name in self.rt:
            if name in values:  # XLA clamps what would leave the array
                at[name] = np.broadcast_to(np.clip(values[name](at, size), *self.bounds[name]), (size,))
        inside = np.ones(size, bool)
        for expression, low, high in self.guards:
            value = eval(expression, {}, at)  # noqa: S307: of our own engine's text
            inside &= (low <= value) & (value <= high)
        at = {name: value[inside] for name, value in at.items()}
        kept = int(inside.sum())
        return at, [np.broadcast_to(eval(e, {}, at), (kept,)) for e in self.results]  # noqa: S307


def python(expression):
    return expression.replace("floordiv", "//").replace("mod", "%")
