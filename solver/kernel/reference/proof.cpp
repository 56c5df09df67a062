#include "solver/kernel/reference/proof.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/work_budget.h"
#include "solver/emulate/equality/same_value.h"
#include "solver/kernel/reference/buffers.h"
#include "solver/kernel/reference/check.h"
#include "solver/kernel/reference/evaluate.h"
#include "solver/kernel/reference/symbols.h"
#include "solver/kernel/symbolic/symbolic.h"

namespace tessera::kernel::reference {

using ptx::Type;

namespace {

using graphene::Terms;

constexpr i64 kMostOpen = 16;  // elements that are neither equal nor different, after which the rest is not compared

// The type of a buffer's elements as an instruction has it; None: they are no symbols.
Type typeOf(const Element& e) {
  if (e.kind == Element::Kind::Float && e.name != "tfloat32") {
    const bool e4m3 = e.name == "float8_e4m3fn", e5m2 = e.name == "float8_e5m2", bf16 = e.name == "bfloat16";
    return e4m3           ? Type::E4M3
           : e5m2         ? Type::E5M2
           : bf16         ? Type::BF16
           : e.bytes == 2 ? Type::F16
           : e.bytes == 4 ? Type::F32
                          : Type::F64;
  }
  if (e.name == "tfloat32") return Type::F32;
  if (e.kind == Element::Kind::Signed) return e.bytes == 8 ? Type::S64 : e.bytes == 4 ? Type::S32 : Type::None;
  if (e.kind == Element::Kind::Unsigned) return e.bytes == 8 ? Type::U64 : e.bytes == 4 ? Type::U32 : Type::None;
  return Type::None;
}
// All elements have one value: that of an accumulator, and not an input's.
bool filled(const Argument& a, int width) {
  const auto n = static_cast<std::size_t>(width);
  for (std::size_t k = n; k < a.bytes.size(); ++k)
    if (a.bytes[k] != a.bytes[k - n]) return false;
  return a.bytes.size() > n;
}
bool isInteger(Type t) { return t == Type::S32 || t == Type::S64 || t == Type::U32 || t == Type::U64; }

// One run with symbols.
class SymbolicCheck {
 public:
  SymbolicCheck(const ptx::Module& module, const Launch& launch, std::string_view text, const std::vector<Given>& given,
                bool integers)
      : module_(module), launch_(launch), text_(text), given_(given) {
    for (std::size_t k = 0; k < given.size(); ++k) {
      const Argument& a = given[k].argument;
      const Element* const e = numbersOf(given[k]);
      const Type type = e != nullptr ? reference::typeOf(*e) : Type::None;
      const bool dense = a.kind == Argument::Kind::Buffer ||
                         (a.kind == Argument::Kind::TensorMap && a.map->buffer < 0 && countOf(a.shape) &&
                          *countOf(a.shape) * e->bytes == static_cast<i64>(a.bytes.size()));
      if (type == Type::None || !dense) continue;
      if ((isInteger(type) && !integers) || (given[k].filled || filled(a, e->bytes))) {
        kept_.push_back(k);
        continue;
      }
      inputs_[static_cast<int>(k)] = type;
      if (isInteger(type))
        if (const auto format = graphene::numberFormat(e->name)) terms_.describe(static_cast<int>(k), *format);
    }
  }

  [[nodiscard]] bool hasIntegers() const {
    return std::any_of(inputs_.begin(), inputs_.end(), [](const auto& i) { return isInteger(i.second); });
  }
  [[nodiscard]] bool hasSymbols() const { return !inputs_.empty(); }
  [[nodiscard]] const std::string& obstacle() const { return obstacle_; }

  Result<std::vector<Proof>> run() {
    Symbolic symbolic(terms_, inputs_);
    Result<std::vector<Proof>> out = std::vector<Proof>{};
    TESSERA_TRY(const Report report, runSymbolic(module_, launch_, symbolic, [&] { out = compare(symbolic); }));
    if (report.stopped) return Diag{report.reason};
    return out;
  }

 private:
  [[nodiscard]] std::string covered() const {
    std::string names;
    std::size_t left = inputs_.size();
    for (const auto& [k, type] : inputs_) {
      names += (names.empty() ? "" : left == 1 ? " and " : ", ") + given_[static_cast<std::size_t>(k)].name;
      --left;
    }
    if (names.empty()) return "the given arguments";
    std::string kept;
    for (const std::size_t k : kept_) kept += (kept.empty() ? "" : ", ") + given_[k].name;
    return "every value of " + names + (kept.empty() ? "" : ", with the given " + kept);
  }

  Result<std::vector<Proof>> compare(Symbolic& symbolic) {
    obstacle_ = symbolic.obstacle();
    const Symbols symbols(symbolic.values());
    std::map<std::string, Array, std::less<>> names = arraysOf(given_);
    for (const auto& [k, type] : inputs_) {
      const auto at = static_cast<std::size_t>(k);
      Array& a = names[given_[at].name];
      for (std::size_t i = 0; i < a.data.size(); ++i)
        a.data[i] = Symbols::element(terms_.input(k, 0, static_cast<i64>(i)));
      names[fmt::format("arg{}", k)] = a;
    }
    // Read on numbers before (check.h), so that a failure here is about symbols.
    const auto evaluated = evaluate(text_, names);
    if (!evaluated) {
      Proof open;
      open.name = "the reference";
      open.covers = covered();
      open.how = obstacle_.empty() ? evaluated.error().message : obstacle_;
      return std::vector{open};
    }
    const std::vector<Assigned>& assigned = *evaluated;
    std::vector<Proof> out;
    for (const Assigned& one : assigned) {
      const std::size_t at = parameterNamed(one.name, given_);
      if (at == given_.size()) continue;
      TESSERA_TRY(const Array want, asBuffer(one.value, given_[at], one.name));
      out.push_back(compare(symbolic, one.name, at, want));
    }
    return out;
  }

  Proof compare(Symbolic& symbolic, const std::string& name, std::size_t at, const Array& want) {
    Proof proof{name, Proof::Answer::Unknown, want.count(), {}, covered()};
    if (!obstacle_.empty()) {
      proof.how = obstacle_;
      return proof;
    }
    const Type type = reference::typeOf(*numbersOf(given_[at]));
    if (type == Type::None) {
      proof.how = fmt::format("elements of type {} have no terms", given_[at].argument.element);
      return proof;
    }
    Symbols& symbols = *Symbols::current();
    graphene::SameValue same(terms_);
    const auto pairOf = [&](std::size_t k) {
      return std::pair(symbols.term(want.data[k]), symbolic.element(static_cast<int>(at), static_cast<i64>(k), type));
    };
    // Refutation first: a few elements, spread over the buffer.
    const std::size_t count = want.data.size(), stride = std::max<std::size_t>(count / 8, 1) + 1;
    for (std::size_t k = 0; k < count; k += stride) {
      const auto [expected, actual] = pairOf(k);
      if (actual == Terms::undefined()) continue;
      if (const auto d = same.differ(expected, actual, 1); d && refuted(name, k, want.shape, *d, proof)) return proof;
    }
    i64 open = 0;
    bool moved = true;
    std::string reason;
    for (std::size_t k = 0; k < count && open < kMostOpen; ++k) {
      spend(16);
      const auto [expected, actual] = pairOf(k);
      if (actual == Terms::undefined()) {
        if (reason.empty()) reason = fmt::format("{} holds parts of several values", elementText(name, k, want.shape));
        ++open;
        continue;
      }
      moved = moved && isMoved(actual, type);
      if (same.equal(expected, actual)) continue;
      if (const auto d = same.differ(expected, actual); d && refuted(name, k, want.shape, *d, proof)) return proof;
      if (reason.empty())
        reason = fmt::format("no law shows that {} is the reference's{}", elementText(name, k, want.shape),
                             same.algebraGone() ? "; the algebra grew too large" : "");
      ++open;
    }
    if (open > 0) {
      proof.how = symbolic.firstOpaque().empty() ? reason : symbolic.firstOpaque() + " has no terms";
      return proof;
    }
    proof.answer = Proof::Answer::Proved;
    const std::string laws = same.laws();
    proof.how = moved ? "to the last bit" : "over the real numbers" + (laws.empty() ? "" : " (" + laws + ")");
    return proof;
  }

  // An element of an input of the same type, or a number.
  [[nodiscard]] bool isMoved(Terms::Value v, Type type) const {
    const Terms::Node& n = terms_.node(v);
    if (n.kind == Terms::Kind::Constant) return true;
    const auto input = n.kind == Terms::Kind::Input ? inputs_.find(n.operation) : inputs_.end();
    return input != inputs_.end() && input->second == type;
  }

  // Whether a run with the numbers of the difference has another value than the reference, too.
  bool refuted(const std::string& name, std::size_t k, const std::vector<i64>& shape,
               const graphene::SameValue::Difference& difference, Proof& proof) {
    constexpr int kMostReplays = 2;
    if (replays_ >= kMostReplays) return false;
    ++replays_;
    // The inputs that SameValue tries: near 0, far above, far below.
    for (const double middle : {0.0, 1e5, -1e5})
      if (replayed(name, k, shape, middle, difference, proof)) return true;
    return false;
  }

  bool replayed(const std::string& name, std::size_t k, const std::vector<i64>& shape, double middle,
                const graphene::SameValue::Difference& difference, Proof& proof) {
    Launch launch = launch_;
    launch.layouts = false;
    std::vector<Given> given = given_;
    graphene::TermNumbers numbers({.seed = 1, .middle = middle});
    for (const auto& [p, type] : inputs_) {
      const auto index = static_cast<std::size_t>(p);
      const Element& e = *numbersOf(given_[index]);
      Argument& a = given[index].argument;
      for (std::size_t i = 0; (i + 1) * static_cast<std::size_t>(e.bytes) <= a.bytes.size(); ++i) {
        const double value = numbers.of(terms_, terms_.input(p, 0, static_cast<i64>(i)));
        const u64 bits = e.kind == Element::Kind::Float ? encoded(e, value) : static_cast<u64>(static_cast<i64>(value));
        for (int b = 0; b < e.bytes; ++b)
          a.bytes[i * static_cast<std::size_t>(e.bytes) + static_cast<std::size_t>(b)] =
              static_cast<std::byte>(bits >> 8 * b);
      }
      launch.arguments[index] = a;
    }
    auto ran = kernel::run(module_, launch);
    if (!ran) return false;
    const Symbols::Hidden numeric;
    const auto compared = check(text_, given, 0, *ran);
    if (!compared) return false;
    for (const Compared& c : *compared)
      if (c.name == name && c.wrong > 0) {
        proof.answer = Proof::Answer::Refuted;
        proof.how =
            fmt::format("{} is {:.6g}, and the reference gives {:.6g}, with {}; a run with these values differs, too",
                        elementText(name, k, shape), difference.got, difference.wanted, difference.inputs);
        return true;
      }
    return false;
  }

  const ptx::Module& module_;
  const Launch& launch_;
  std::string_view text_;
  const std::vector<Given>& given_;
  std::map<int, Type> inputs_;
  std::vector<std::size_t> kept_;  // buffers that have the given numbers
  Terms terms_;
  std::string obstacle_;
  int replays_ = 0;
};

}  // namespace

std::string_view nameOf(Proof::Answer answer) {
  return answer == Proof::Answer::Proved ? "proved" : answer == Proof::Answer::Refuted ? "refuted" : "unknown";
}

std::string textOf(const Proof& p) {
  if (p.answer == Proof::Answer::Proved)
    return fmt::format("{}: proved for {}, {}: {} elements equal the reference", p.name, p.covers, p.how, p.elements);
  return fmt::format("{}: {}: {}", p.name, nameOf(p.answer), p.how);
}

Result<std::vector<Proof>> prove(const ptx::Module& module, const Launch& launch, std::string_view text,
                                 const std::vector<Given>& given) {
  try {
    SymbolicCheck all(module, launch, text, given, true);
    TESSERA_TRY(std::vector<Proof> out, all.run());
    if (all.obstacle().empty() || !all.hasIntegers()) return out;
    SymbolicCheck floats(module, launch, text, given, false);
    if (!floats.hasSymbols()) return out;
    return floats.run();
  } catch (const OutOfBudget& end) {
    if (!end.counted()) throw;
    Proof open;
    open.name = "the reference";
    open.how = end.what();
    return std::vector{open};
  }
}

void judge(const std::vector<Proof>& proofs, Report& report) {
  for (const Proof& p : proofs) {
    if (p.answer == Proof::Answer::Proved) continue;
    const bool wrong = p.answer == Proof::Answer::Refuted;
    if (wrong) {
      Finding f;
      f.kind = Verdict::Wrong;
      f.space = ptx::Space::Global;
      f.message = p.how;
      report.findings.push_back(std::move(f));
    }
    report.verdict = std::min(report.verdict, wrong ? Verdict::Wrong : Verdict::Unknown);
    if (!wrong && report.reason.empty()) report.reason = textOf(p);
  }
}

}  // namespace tessera::kernel::reference
