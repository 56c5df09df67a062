#include "solver/prove/smt/terms.h"

#include <algorithm>
#include <utility>

#include "core/base/check.h"

namespace tessera::prover::smt {
namespace {

bool isLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool isNumeral(char c) { return c >= '0' && c <= '9'; }

bool isName(const std::string& name) {
  return !name.empty() && isLetter(name.front()) && std::any_of(name.begin(), name.end(), isNumeral) &&
         std::all_of(name.begin(), name.end(), [](char c) { return isLetter(c) || isNumeral(c) || c == '_'; });
}

}  // namespace

Term Terms::made(TermKind kind, Sort sort, std::span<const Term> operands, i128 value) {
  const std::size_t first = operands_.size();
  for (const Term t : operands) {
    LAYOUT_CHECK(t.index >= 0 && t.index < size(), "an operand is a term of these Terms");
    operands_.push_back(t);
  }
  nodes_.push_back({kind, sort, first, operands.size(), value});
  return {size() - 1};
}

Term Terms::made(TermKind kind, Sort sort, std::initializer_list<Term> operands, i128 value) {
  return made(kind, sort, std::span<const Term>(operands.begin(), operands.size()), value);
}

Term Terms::pair(TermKind kind, Sort sort, Term a, Term b) {
  LAYOUT_CHECK(this->sort(a) == this->sort(b), "both operands have one sort");
  return made(kind, sort, {a, b});
}

Term Terms::variable(std::string name, Sort sort) {
  LAYOUT_CHECK(isName(name), "the name is an SMT-LIB symbol");
  names_.push_back(std::move(name));
  return made(TermKind::Variable, sort, {}, static_cast<i128>(names_.size()) - 1);
}

Term Terms::number(i128 value, Sort sort) {
  LAYOUT_CHECK(!sort.isTruth() && sort.width() <= 126, "a number is an integer or has at most 126 bits");
  if (sort.isBits()) {
    const i128 modulus = i128{1} << sort.width();
    value %= modulus;
    if (value < 0) value += modulus;
  }
  return made(TermKind::Number, sort, {}, value);
}

Term Terms::truth(bool value) { return made(TermKind::Truth, Sort::truth(), {}, value ? 1 : 0); }

Term Terms::sum(std::vector<Term> terms) {
  LAYOUT_CHECK(!terms.empty() && (terms.size() <= 2 || !sort(terms.front()).isBits()), "bvadd takes two operands");
  if (terms.size() == 1) return terms.front();
  const Sort common = sort(terms.front());
  for (const Term t : terms) LAYOUT_CHECK(sort(t) == common && !common.isTruth(), "terms of a sum have one sort");
  return made(TermKind::Sum, common, terms);
}

Term Terms::product(Term a, Term b) { return pair(TermKind::Product, sort(a), a, b); }
Term Terms::negated(Term a) { return made(TermKind::Negated, sort(a), {a}); }

Term Terms::exclusiveOr(Term a, Term b) {
  LAYOUT_CHECK(sort(a).isBits(), "an xor is over bits");
  return pair(TermKind::Xor, sort(a), a, b);
}

Term Terms::shiftedRight(Term a, Term by) {
  LAYOUT_CHECK(sort(a).isBits(), "a shift is over bits");
  return pair(TermKind::ShiftRight, sort(a), a, by);
}

Term Terms::divided(Term a, Term b) {
  LAYOUT_CHECK(sort(a).isBits(), "an unsigned quotient is over bits");
  return pair(TermKind::Divided, sort(a), a, b);
}

Term Terms::widened(Term a, int width) {
  LAYOUT_CHECK(sort(a).isBits() && width >= sort(a).width(), "widening keeps all bits");
  return width == sort(a).width() ? a : made(TermKind::Widened, Sort::bits(width), {a}, width - sort(a).width());
}

Term Terms::atMost(Term a, Term b) { return pair(TermKind::AtMost, Sort::truth(), a, b); }
Term Terms::below(Term a, Term b) { return pair(TermKind::Below, Sort::truth(), a, b); }

Term Terms::unsignedAtMost(Term a, Term b) {
  LAYOUT_CHECK(sort(a).isBits(), "an unsigned comparison is over bits");
  return pair(TermKind::UnsignedAtMost, Sort::truth(), a, b);
}

Term Terms::equal(Term a, Term b) { return pair(TermKind::Equal, Sort::truth(), a, b); }
Term Terms::differ(Term a, Term b) { return pair(TermKind::Differ, Sort::truth(), a, b); }

Term Terms::choice(Term condition, Term a, Term b) {
  LAYOUT_CHECK(sort(condition).isTruth() && sort(a) == sort(b), "a choice takes a condition and two of one sort");
  return made(TermKind::Choice, sort(a), {condition, a, b});
}

Term Terms::all(std::vector<Term> conditions) {
  if (conditions.empty()) return truth(true);
  for (const Term t : conditions) LAYOUT_CHECK(sort(t).isTruth(), "conditions are truth values");
  return conditions.size() == 1 ? conditions.front() : made(TermKind::All, Sort::truth(), conditions);
}

Term Terms::any(std::vector<Term> conditions) {
  if (conditions.empty()) return truth(false);
  for (const Term t : conditions) LAYOUT_CHECK(sort(t).isTruth(), "conditions are truth values");
  return conditions.size() == 1 ? conditions.front() : made(TermKind::Any, Sort::truth(), conditions);
}

Term Terms::opposite(Term condition) {
  LAYOUT_CHECK(sort(condition).isTruth(), "only a condition has an opposite");
  return made(TermKind::Not, Sort::truth(), {condition});
}

std::span<const Term> Terms::operands(Term t) const { return {operands_.data() + at(t).first, at(t).count}; }

void Terms::rewind(int size) {
  while (this->size() > size) {
    operands_.resize(nodes_.back().first);
    if (nodes_.back().kind == TermKind::Variable) names_.pop_back();
    nodes_.pop_back();
  }
}

}  // namespace tessera::prover::smt
