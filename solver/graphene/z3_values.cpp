// By Z3: was it written before (O7), and is it what the specification says (O8).
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>

#include "solver/graphene/z3_kernel.h"

namespace tessera::graphene {

using prover::Answer;
using prover::Goal;

namespace {

Goal equals(const Expr& a, const Expr& b) { return {a, b, 0, 0}; }

std::vector<int> commonLoops(const Site& a, const Site& b) {
  std::vector<int> out;
  for (std::size_t k = 0; k < std::min(a.loops.size(), b.loops.size()) && a.loops[k] == b.loops[k]; ++k)
    out.push_back(a.loops[k]);
  return out;
}

// ---- O7

// Axes that name the storage's instance and the place in it: sizes, block, thread of a register, shared loops, location.
std::vector<Expr> nameOf(const Box& box, const Place& at, Memory memory, const std::vector<int>& loops) {
  std::vector<Expr> axes;
  for (int s = 0; s < box.sizes(); ++s) axes.push_back(Expr::digit(s));
  axes.insert(axes.end(), at.copy.blockDigits.begin(), at.copy.blockDigits.end());
  if (memory == Memory::Register) axes.push_back(at.copy.thread);
  for (const int loop : loops)
    for (const auto& [variable, digit] : at.copy.loopDigits)
      if (variable == loop) axes.push_back(digit);
  axes.insert(axes.end(), at.coordinate.begin(), at.coordinate.end());
  return axes;
}

// Is every place that `reader` reads written before by `writer`, in the same iteration of the loops around both?
Answer writtenBy(const Z3Kernel& kernel, const Site& reader, const Access& read, const Site& writer,
                 const Access& write) {
  const Storage& storage = kernel.sites().of(read);
  const std::vector<int> loops = commonLoops(reader, writer);
  Box from(kernel.sites(), kernel.kernel()), box(kernel.sites(), kernel.kernel());
  const Place w = kernel.place(from, writer, write), r = kernel.place(box, reader, read);
  const std::vector<Expr> axes = nameOf(from, w, storage.declared.memory, loops);
  const std::vector<Expr> places = nameOf(box, r, storage.declared.memory, loops);
  std::vector<Axis> all;
  for (const Expr& a : axes) {
    const std::size_t k = all.size(), located = axes.size() - w.coordinate.size();
    i64 extent = a.op() == Op::Digit ? from.digits[static_cast<std::size_t>(a.index())].extent : 1;
    if (k >= located) {
      const Expr& e = storage.declared.extents[k - located];
      if (!e.isConstant()) return prover::unknown("z3", "a temporary of symbolic size");
      extent = e.value();
    }
    all.push_back({fmt::format("p{}", k), a, extent});
  }
  const auto map = Map::create(from.digits, all, from.assumed);
  if (!map) return prover::unknown("z3", map.error().message);
  const auto digits = writerOf(*map);
  if (!digits) return prover::unknown("z3", "the writer of a place is not named by its digits");
  const auto there = [&](const Expr& e) { return substitute(substitute(e, digits->digits), places); };
  std::vector<Goal> goals;
  for (const Goal& g : digits->goals)
    goals.push_back(
        {substitute(g.left, places), g.right ? std::optional(substitute(*g.right, places)) : std::nullopt, g.lo, g.hi});
  if (writer.position < reader.position || storage.declared.memory == Memory::Register) {
    std::vector<Goal> same = goals;
    same.push_back(equals(there(w.copy.thread), r.copy.thread));
    if (writer.position < reader.position)
      if (const Answer answer = kernel.ask(box, same); answer.truth == Truth::Proved) return answer;
  }
  if (!writer.phase || !reader.phase)
    return prover::unknown("z3", "how many barriers a thread has passed depends on a condition");
  goals.push_back({box.in(r.copy, *reader.phase) - there(from.in(w.copy, *writer.phase)), std::nullopt, 1, Box::kFar});
  return kernel.ask(box, goals);
}

}  // namespace

ObligationVerdict z3Definedness(const Z3Kernel& kernel) {
  if (kernel.sites().hasAsync)
    return verdict(Obligation::Definedness, Standing::Unknown, "asynchronous copies are decided by running");
  i64 reads = 0;
  for (const Site* reader : kernel.own())
    for (const Access& read : reader->accesses) {
      const Storage& storage = kernel.sites().of(read);
      if (!read.read || storage.operand) continue;
      ++reads;
      Answer last = prover::unknown("z3", "nothing writes it");
      for (const Site* writer : kernel.writers(read.storage)) {
        if (writer == reader) continue;
        last = writtenBy(kernel, *reader, read, *writer, *kernel.accessOf(*writer, read.storage, true));
        if (last.truth == Truth::Proved) break;
      }
      if (last.truth == Truth::Refuted) last.detail = "the writer that the digits name is not there or not before";
      if (last.truth != Truth::Proved) return unknownBy(Obligation::Definedness, last, "%" + storage.declared.name);
    }
  return verdict(
      Obligation::Definedness, Standing::Proved,
      reads == 0 ? "no temporaries are read" : fmt::format("{} reads of temporaries, each after its writer", reads));
}

namespace {

// ---- O8

// What reaches a place, over the digits of a box: an element of an input, a constant, an operation on such.
struct Value {
  enum class Kind : unsigned char { Input, Constant, Operation } kind = Kind::Constant;
  std::optional<Place> input;
  std::string name;  // of the constant or the operation
  std::vector<Value> arguments;
};

// Goes back from a place to the inputs; each choice of writers on the way is told on its own.
class Provenance {
 public:
  using Done = std::function<bool(const Box&, const Value&)>;  // false: stop

  explicit Provenance(const Z3Kernel& kernel) : kernel_(kernel) {}

  // What the writer at `out` writes there.
  bool written(Box& box, const Place& out, const Done& done, int depth = 0) {
    const Site& site = *out.site;
    if (!site.atom || site.atom->lanes != 1 || depth > 12)
      return fail(site.atom && site.atom->lanes != 1
                      ? fmt::format("{} exchanges values between threads: decided by running", site.atom->name)
                      : "the way back is too long");
    switch (site.atom->function) {
      case AtomFunction::Constant:
        return done(box, {Value::Kind::Constant, std::nullopt, site.atom->operation, {}});
      case AtomFunction::Copy:
        return operand(box, out, 0, done, depth);
      case AtomFunction::Unary:
        return operand(
            box, out, 0,
            [&](const Box& b, const Value& a) {
              return done(b, {Value::Kind::Operation, std::nullopt, site.atom->operation, {a}});
            },
            depth);
      case AtomFunction::Binary:
        return operand(
            box, out, 0,
            [&](const Box& b, const Value& x) {
              Box next = b;
              return operand(
                  next, out, 1,
                  [&](const Box& c, const Value& y) {
                    return done(c, {Value::Kind::Operation, std::nullopt, site.atom->operation, {x, y}});
                  },
                  depth);
            },
            depth);
      case AtomFunction::MultiplyAdd:
        return fail("sums in temporaries are decided by running");
    }
    return false;
  }

  [[nodiscard]] const std::string& reason() const { return reason_; }
  // Every place that was followed has one writer: a refutation stands.
  [[nodiscard]] bool exact() const { return exact_; }

 private:
  bool fail(std::string reason) {
    reason_ = std::move(reason);
    return false;
  }

  // Input `k` of the scalar atom at the slot that `out` is.
  bool operand(Box& box, const Place& out, int k, const Done& done, int depth) {
    const int number = static_cast<int>(out.site->spec->outputs.size()) + k;
    const auto access = std::find_if(out.site->accesses.begin(), out.site->accesses.end(),
                                     [&](const Access& a) { return a.operand == number; });
    if (access == out.site->accesses.end()) return fail("an operand is missing");
    const auto& terms = out.site->atom->terms;
    for (std::size_t s = 0; s < terms.size(); ++s)
      if (terms[s].size() != 1 || (k == 0 ? terms[s][0].a : terms[s][0].b) != static_cast<int>(s))
        return fail("an instruction that permutes its values");
    const Place in = kernel_.placeAt(box, out, *access);
    box.equal(box.slotNumber(access->view, in.slots), box.slotNumber(out.access->view, out.slots));
    return read(box, in, done, depth);
  }

  bool read(Box& box, const Place& in, const Done& done, int depth) {
    const Storage& storage = kernel_.sites().of(*in.access);
    if (storage.operand) {
      if (kernel_.isOutput(in.access->storage)) return fail("it reads what it writes");
      return done(box, {Value::Kind::Input, in, "", {}});
    }
    const std::vector<const Site*> writers = kernel_.writers(in.access->storage);
    if (writers.empty()) return fail("nothing writes a temporary");
    if (writers.size() > 1 || !once(*writers[0], *kernel_.accessOf(*writers[0], in.access->storage, true)))
      exact_ = false;
    for (const Site* writer : writers) {
      Box next = box;
      const Share share{true, storage.declared.memory == Memory::Register, storage.loops};
      const Place w =
          kernel_.place(next, *writer, *kernel_.accessOf(*writer, in.access->storage, true), &in.copy, share);
      for (std::size_t d = 0; d < w.location.size(); ++d) next.equal(w.location[d], in.location[d]);
      if (!written(next, w, done, depth + 1)) return false;
    }
    return true;
  }

  // One instance of the site writes a place of one storage.
  bool once(const Site& site, const Access& access) {
    Box box(kernel_.sites(), kernel_.kernel());
    const Place at = kernel_.place(box, site, access);
    return kernel_
               .distinct(box,
                         nameOf(box, at, kernel_.sites().of(access).declared.memory, kernel_.sites().of(access).loops))
               .truth == Truth::Proved;
  }

  const Z3Kernel& kernel_;
  std::string reason_;
  bool exact_ = true;
};

// Goals that say: `value` is what the specification puts at `out`. nullopt: the shape of the term is another one.
class Expected {
 public:
  Expected(const Z3Kernel& kernel, const Box& box, const Place& out) : kernel_(kernel), box_(box), out_(out) {}

  std::optional<std::vector<Goal>> of(const Value& value) const {
    const Spec& spec = *kernel_.kernel().spec;
    switch (functionOf(spec)) {
      case SpecKind::Move:
        return input(value, 0);
      case SpecKind::Init:
        if (value.kind == Value::Kind::Constant && value.name == spec.attribute) return std::vector<Goal>{};
        return std::nullopt;
      case SpecKind::UnaryPointwise:
        if (!operation(value, spec.attribute, 1)) return std::nullopt;
        return input(value.arguments[0], 0);
      case SpecKind::BinaryPointwise: {
        if (!operation(value, spec.attribute, 2)) return std::nullopt;
        auto a = input(value.arguments[0], 0), b = input(value.arguments[1], 1);
        if (!a || !b) return std::nullopt;
        a->insert(a->end(), b->begin(), b->end());
        return a;
      }
      default:
        return std::nullopt;
    }
  }

 private:
  static bool operation(const Value& v, const std::string& op, std::size_t arguments) {
    return v.kind == Value::Kind::Operation && v.name == op && v.arguments.size() == arguments;
  }

  // The element of input k with the logical index of the output's place.
  std::optional<std::vector<Goal>> input(const Value& v, std::size_t k) const {
    if (v.kind != Value::Kind::Input || k >= kernel_.kernel().inputs.size()) return std::nullopt;
    const int node = kernel_.kernel().inputs[k];
    if (node < 0 || kernel_.sites().nodes[static_cast<std::size_t>(node)].storage != v.input->access->storage)
      return std::nullopt;
    const std::vector<Expr> a = extents(v.input->access->storage), b = extents(out_.access->storage);
    const std::vector<Expr>&from = v.input->coordinate, &to = out_.coordinate;
    std::vector<Goal> goals;
    if (a == b) {
      for (std::size_t d = 0; d < from.size(); ++d) goals.push_back(equals(from[d], to[d]));
    } else {
      goals.push_back(equals(flat(from, a), flat(to, b)));
    }
    return goals;
  }
  [[nodiscard]] std::vector<Expr> extents(int storage) const {
    std::vector<Expr> out;
    for (const Expr& e : kernel_.sites().storage[static_cast<std::size_t>(storage)].declared.extents)
      out.push_back(box_.in(out_.copy, e));
    return out;
  }
  static Expr flat(const std::vector<Expr>& coordinate, const std::vector<Expr>& extents) {
    Expr out = Expr::constant(0);
    for (std::size_t d = 0; d < coordinate.size(); ++d) out = out * extents[d] + coordinate[d];
    return out;
  }

  const Z3Kernel& kernel_;
  const Box& box_;
  const Place& out_;
};

std::string told(const Z3Kernel& kernel, const Value& value, const std::vector<i64>& point) {
  if (value.kind == Value::Kind::Constant) return value.name;
  if (value.kind == Value::Kind::Operation) {
    std::vector<std::string> arguments;
    for (const Value& a : value.arguments) arguments.push_back(told(kernel, a, point));
    return fmt::format("{}({})", value.name, fmt::join(arguments, ", "));
  }
  std::vector<i64> at;
  for (const Expr& c : value.input->coordinate) at.push_back(evaluate(c, point));
  return kernel.element(value.input->access->storage, at);
}

// The element of the first input that belongs there, in words.
std::string wanted(const Z3Kernel& kernel, const Box& box, const Place& out, const std::vector<i64>& point) {
  const Spec& spec = *kernel.kernel().spec;
  if (spec.kind == SpecKind::Init) return spec.attribute;
  const int node = kernel.kernel().inputs.empty() ? -1 : kernel.kernel().inputs[0];
  if (node < 0) return "";
  const int storage = kernel.sites().nodes[static_cast<std::size_t>(node)].storage;
  const auto extents = [&](int s) {
    std::vector<i64> values;
    for (const Expr& e : kernel.sites().storage[static_cast<std::size_t>(s)].declared.extents)
      values.push_back(std::max<i64>(1, evaluate(box.in(out.copy, e), point)));
    return values;
  };
  std::vector<i64> at;
  for (const Expr& c : out.coordinate) at.push_back(evaluate(c, point));
  const std::vector<i64> to = extents(storage);
  const i64 flat = linearize(at, extents(out.access->storage), LinearOrder::Lex);
  const std::string element = kernel.element(storage, delinearize(flat, to, LinearOrder::Lex));
  return spec.attribute.empty()
             ? element
             : fmt::format("{}({}{})", spec.attribute, element, spec.inputs.size() > 1 ? ", ..." : "");
}

ObligationVerdict wrongValue(const Z3Kernel& kernel, const Box& box, const Place& out, const Value& value,
                             const std::vector<i64>& point) {
  ObligationVerdict v = verdict(Obligation::Value, Standing::Refuted, "");
  Finding f = kernel.finding(Obligation::Value, box, out, point);
  f.expected = wanted(kernel, box, out, point);
  f.actual = told(kernel, value, point);
  f.message =
      fmt::format("{} gets {} in place of {}", kernel.element(out.access->storage, f.coordinate), f.actual, f.expected);
  v.reason = f.message;
  v.finding = std::move(f);
  return v;
}

// One statement that writes an output.
std::optional<ObligationVerdict> valueOf(const Z3Kernel& kernel, const Site& site, const Access& access) {
  Provenance provenance(kernel);
  std::optional<ObligationVerdict> wrong;
  Box start(kernel.sites(), kernel.kernel());
  const Place out = kernel.place(start, site, access);
  const bool finished = provenance.written(start, out, [&](const Box& box, const Value& value) {
    const auto goals = Expected(kernel, box, out).of(value);
    const Answer answer = kernel.ask(box, goals ? *goals : std::vector<Goal>{{Expr::constant(0), std::nullopt, 1, 1}});
    if (answer.truth == Truth::Proved) return true;
    wrong = answer.truth == Truth::Refuted ? wrongValue(kernel, box, out, value, answer.points.front())
                                           : unknownBy(Obligation::Value, answer, "%" + access.view.name);
    return false;
  });
  if (wrong && wrong->standing == Standing::Refuted && !provenance.exact())
    return verdict(Obligation::Value, Standing::Unknown,
                   "several statements write a temporary, the last one is not known");
  if (wrong) return wrong;
  if (!finished) return verdict(Obligation::Value, Standing::Unknown, provenance.reason());
  return std::nullopt;
}

// m, n of the output are those of the factors, and both have one k.
std::optional<ObligationVerdict> productOf(const Z3Kernel& kernel, const Site& site) {
  Box box(kernel.sites(), kernel.kernel());
  const auto c = contribution(kernel, box, site);
  if (!c)
    return verdict(Obligation::Value, Standing::Unknown,
                   "the product is not accumulated in place by scalar instructions");
  const auto &m = c->out.coordinate, &a = c->a.coordinate, &b = c->b.coordinate;
  const auto storageOf = [&](int node) {
    return node < 0 ? -1 : kernel.sites().nodes[static_cast<std::size_t>(node)].storage;
  };
  const bool right = kernel.kernel().inputs.size() == 2 &&
                     storageOf(kernel.kernel().inputs[0]) == c->a.access->storage &&
                     storageOf(kernel.kernel().inputs[1]) == c->b.access->storage;
  std::vector<Goal> goals = {equals(a[0], m[0]), equals(a[1], b[0]), equals(b[1], m[1])};
  if (!right) goals = {{Expr::constant(0), std::nullopt, 1, 1}};
  const Answer answer = kernel.ask(box, goals);
  if (answer.truth == Truth::Proved) return std::nullopt;
  if (answer.truth == Truth::Unknown) return unknownBy(Obligation::Value, answer, "contributions");
  const auto& point = answer.points.front();
  const auto at = [&](const Place& p) {
    std::vector<i64> values;
    for (const Expr& e : p.coordinate) values.push_back(evaluate(e, point));
    return values;
  };
  ObligationVerdict v = verdict(Obligation::Value, Standing::Refuted, "");
  Finding f = kernel.finding(Obligation::Value, box, c->out, point);
  const auto mn = at(c->out), mk = at(c->a);
  f.expected = fmt::format("A[{},k] * B[k,{}]", mn[0], mn[1]);
  f.actual =
      fmt::format("{} * {}", kernel.element(c->a.access->storage, mk), kernel.element(c->b.access->storage, at(c->b)));
  f.message = fmt::format("{} gets the product {}", kernel.element(c->out.access->storage, mn), f.actual);
  v.reason = f.message;
  v.finding = std::move(f);
  return v;
}

}  // namespace

ObligationVerdict z3Value(const Z3Kernel& kernel) {
  const SpecKind function = functionOf(*kernel.kernel().spec);
  if (kernel.kernel().spec->meaning)
    return verdict(Obligation::Value, Standing::Unknown, "what equations say is decided by running");
  if (function == SpecKind::Generic || function == SpecKind::Allocate)
    return verdict(Obligation::Value, Standing::NotStated, "the specification has no function of its own");
  if (kernel.sites().hasAsync)
    return verdict(Obligation::Value, Standing::Unknown, "asynchronous copies are decided by running");
  if (function == SpecKind::Reduction || function == SpecKind::Shfl)
    return verdict(Obligation::Value, Standing::Unknown, fmt::format("{} is decided by running", name(function)));
  if (const std::string view = kernel.partial(/*outputsOnly=*/false); !view.empty())
    return verdict(Obligation::Value, Standing::Unknown, view + " is a view: decided by running");
  i64 statements = 0;
  for (const int storage : kernel.outputs()) {
    const Storage& out = kernel.sites().storage[static_cast<std::size_t>(storage)];
    if (out.declared.memory == Memory::Register) {
      if (out.declared.holds)
        return verdict(Obligation::Value, Standing::Unknown, "a declared distribution is decided by running");
      return verdict(
          Obligation::Value, Standing::NotStated,
          fmt::format("%{} does not say what its registers hold (`holds` behind its type would)", out.declared.name));
    }
    for (const Site* site : kernel.writers(storage)) {
      ++statements;
      if (auto v = function == SpecKind::MatMul ? productOf(kernel, *site)
                                                : valueOf(kernel, *site, *kernel.accessOf(*site, storage, true)))
        return *std::move(v);
    }
  }
  return verdict(
      Obligation::Value, Standing::Proved,
      fmt::format("{} statement{} that write outputs, back to the inputs", statements, statements == 1 ? "" : "s"));
}

}  // namespace tessera::graphene
