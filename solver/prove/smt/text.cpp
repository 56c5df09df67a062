#include "solver/prove/smt/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "core/base/check.h"

namespace tessera::prover::smt {
namespace {

constexpr std::string_view kEnd = "(check-sat)\n";
constexpr int kMostNested = 48;  // levels of a term without a name

struct Operation {
  TermKind kind;
  std::string_view integers, bits;  // also of truth values
};
constexpr std::array<Operation, 16> kOperations = {{
    {TermKind::Sum, "+", "bvadd"},
    {TermKind::Product, "*", "bvmul"},
    {TermKind::Negated, "-", "bvneg"},
    {TermKind::Xor, "", "bvxor"},
    {TermKind::ShiftRight, "", "bvashr"},
    {TermKind::Divided, "", "bvudiv"},
    {TermKind::Widened, "", ""},
    {TermKind::AtMost, "<=", "bvsle"},
    {TermKind::Below, "<", "bvslt"},
    {TermKind::UnsignedAtMost, "", "bvule"},
    {TermKind::Equal, "=", "="},
    {TermKind::Differ, "distinct", "distinct"},
    {TermKind::Choice, "ite", "ite"},
    {TermKind::All, "and", "and"},
    {TermKind::Any, "or", "or"},
    {TermKind::Not, "not", "not"},
}};

bool isLeaf(TermKind kind) { return kind == TermKind::Variable || kind == TermKind::Number || kind == TermKind::Truth; }

class Writer {
 public:
  Writer(const Terms& terms, const Question& question, std::size_t most)
      : terms_(terms), question_(question), most_(most), uses_(static_cast<std::size_t>(terms.size()), 0) {}

  std::string text() {
    findNames();
    if (!question_.ifSat.empty()) out_ += comment("sat: " + question_.ifSat);
    if (!question_.ifUnsat.empty()) out_ += comment("unsat: " + question_.ifUnsat);
    static constexpr std::array<const char*, 3> kStatus = {"sat", "unsat", "unknown"};
    out_ += fmt::format("(set-info :smt-lib-version 2.6)\n(set-logic {})\n(set-info :status {})\n", question_.logic,
                        kStatus[static_cast<std::size_t>(question_.status)]);
    for (int k = 0; k < terms_.size() && !full(); ++k) introduce({k});
    for (std::size_t k = 0; k < question_.conditions.size() && !full(); ++k) {
      out_ += "(assert ";
      write(question_.conditions[k]);
      out_ += ")\n";
    }
    if (full()) return notWritten(most_);
    return std::move(out_ += kEnd);
  }

 private:
  [[nodiscard]] bool full() const { return out_.size() > most_; }
  [[nodiscard]] std::size_t at(Term t) const { return static_cast<std::size_t>(t.index); }

  // Which terms are used, and which of them have a name.
  void findNames() {
    for (const Term t : question_.conditions) ++uses_[at(t)];
    for (int k = terms_.size(); k-- > 0;)
      if (uses_[at({k})] > 0)
        for (const Term t : terms_.operands({k})) ++uses_[at(t)];
    named_.resize(uses_.size(), false);
    std::vector<int> nested(uses_.size(), 0);
    for (int k = 0; k < terms_.size(); ++k) {
      const Term t{k};
      if (uses_[at(t)] == 0 || isLeaf(terms_.kind(t))) continue;
      for (const Term of : terms_.operands(t))
        nested[at(t)] = std::max(nested[at(t)], named_[at(of)] ? 0 : nested[at(of)] + 1);
      named_[at(t)] = uses_[at(t)] > 1 || nested[at(t)] >= kMostNested;
    }
  }

  [[nodiscard]] std::string sortOf(Term t) const {
    const Sort s = terms_.sort(t);
    return s.isTruth() ? "Bool" : s.isBits() ? fmt::format("(_ BitVec {})", s.width()) : "Int";
  }

  // Declares a variable, or defines a name.
  void introduce(Term t) {
    if (uses_[at(t)] == 0) return;
    if (terms_.kind(t) == TermKind::Variable) {
      out_ += fmt::format("(declare-fun {} () {})\n", terms_.name(t), sortOf(t));
    } else if (named_[at(t)]) {
      out_ += fmt::format("(define-fun t!{} () {} ", t.index, sortOf(t));
      apply(t);
      out_ += ")\n";
    }
  }

  void write(Term t) {
    if (named_[at(t)]) {
      out_ += fmt::format("t!{}", t.index);
      return;
    }
    switch (terms_.kind(t)) {
      case TermKind::Variable:
        out_ += terms_.name(t);
        break;
      case TermKind::Number:
        number(t);
        break;
      case TermKind::Truth:
        out_ += terms_.value(t) != 0 ? "true" : "false";
        break;
      default:
        apply(t);
    }
  }

  void number(Term t) {
    const i128 value = terms_.value(t);
    const int width = terms_.sort(t).width();
    out_ += width > 0    ? fmt::format("(_ bv{} {})", value, width)
            : value >= 0 ? fmt::format("{}", value)
                         : fmt::format("(- {})", -value);
  }

  void apply(Term t) {
    if (full()) return;
    const auto operands = terms_.operands(t);
    const auto row = std::find_if(kOperations.begin(), kOperations.end(),
                                  [&](const Operation& o) { return o.kind == terms_.kind(t); });
    LAYOUT_CHECK(row != kOperations.end() && !operands.empty(), "each operation has a row");
    if (terms_.kind(t) == TermKind::Widened) {
      out_ += fmt::format("((_ zero_extend {})", terms_.value(t));
    } else {
      out_ += fmt::format("({}", terms_.sort(operands.back()).isBits() ? row->bits : row->integers);
    }
    for (const Term of : operands) {
      if (full()) return;
      out_ += ' ';
      write(of);
    }
    out_ += ')';
  }

  const Terms& terms_;
  const Question& question_;
  std::size_t most_;
  std::vector<int> uses_;  // by term: in the conditions and in the terms that they use
  std::vector<bool> named_;
  std::string out_;
};

}  // namespace

std::string comment(std::string_view text) {
  constexpr std::size_t kMost = 200;
  if (text.empty()) return "";
  std::string out = "; ";
  for (const char c : text.substr(0, kMost)) out += c >= ' ' && c <= '~' ? c : '?';
  return out + (text.size() > kMost ? " ...\n" : "\n");
}

std::string smtText(const Terms& terms, const Question& question, std::size_t most) {
  return Writer(terms, question, most).text();
}

bool isWritten(const std::string& text) {
  return text.size() >= kEnd.size() && std::string_view(text).substr(text.size() - kEnd.size()) == kEnd;
}

std::string notWritten(std::size_t most) {
  return fmt::format("; This question is not written, because its text exceeds the limit of {} bytes.\n", most);
}

}  // namespace tessera::prover::smt
