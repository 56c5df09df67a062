#ifdef TESSERA_HAVE_Z3

#include "solver/prove/z3/z3_translate.h"

#include <fmt/format.h>

#include "core/base/check.h"

namespace tessera::prover {

using smt::TermKind;

const z3::expr& Z3Translation::of(smt::Term t) {
  while (static_cast<int>(done_.size()) <= t.index) done_.push_back(translated({static_cast<int>(done_.size())}));
  return done_[static_cast<std::size_t>(t.index)];
}

void Z3Translation::rewind(int size) {
  while (static_cast<int>(done_.size()) > size) done_.pop_back();
}

z3::expr Z3Translation::leaf(smt::Term t) const {
  const smt::Sort sort = terms_.sort(t);
  if (terms_.kind(t) == TermKind::Truth) return context_.bool_val(terms_.value(t) != 0);
  if (terms_.kind(t) == TermKind::Number) {
    const std::string text = fmt::format("{}", terms_.value(t));
    return sort.isBits() ? context_.bv_val(text.c_str(), static_cast<unsigned>(sort.width()))
                         : context_.int_val(text.c_str());
  }
  const char* const name = terms_.name(t).c_str();
  return sort.isBits()    ? context_.bv_const(name, static_cast<unsigned>(sort.width()))
         : sort.isTruth() ? context_.bool_const(name)
                          : context_.int_const(name);
}

z3::expr Z3Translation::list(smt::Term t) const {
  z3::expr_vector all(context_);
  for (const smt::Term of : terms_.operands(t)) all.push_back(done_[static_cast<std::size_t>(of.index)]);
  return terms_.kind(t) == TermKind::All   ? z3::mk_and(all)
         : terms_.kind(t) == TermKind::Any ? z3::mk_or(all)
                                           : z3::sum(all);
}

z3::expr Z3Translation::translated(smt::Term t) const {
  const auto operands = terms_.operands(t);
  const auto at = [&](std::size_t k) -> const z3::expr& { return done_[static_cast<std::size_t>(operands[k].index)]; };
  switch (terms_.kind(t)) {
    case TermKind::Variable:
    case TermKind::Number:
    case TermKind::Truth:
      return leaf(t);
    case TermKind::Sum:
      return operands.size() == 2 ? at(0) + at(1) : list(t);
    case TermKind::Product:
      return at(0) * at(1);
    case TermKind::Negated:
      return -at(0);
    case TermKind::Xor:
      return at(0) ^ at(1);
    case TermKind::ShiftRight:
      return z3::ashr(at(0), at(1));
    case TermKind::Divided:
      return z3::udiv(at(0), at(1));
    case TermKind::Widened:
      return z3::zext(at(0), static_cast<unsigned>(terms_.value(t)));
    case TermKind::AtMost:
      return at(0) <= at(1);
    case TermKind::Below:
      return at(0) < at(1);
    case TermKind::UnsignedAtMost:
      return z3::ule(at(0), at(1));
    case TermKind::Equal:
      return at(0) == at(1);
    case TermKind::Differ:
      return at(0) != at(1);
    case TermKind::Choice:
      return z3::ite(at(0), at(1), at(2));
    case TermKind::All:
    case TermKind::Any:
      return list(t);
    case TermKind::Not:
      return !at(0);
  }
  LAYOUT_CHECK(false, "each operation is translated");
}

}  // namespace tessera::prover

#endif
