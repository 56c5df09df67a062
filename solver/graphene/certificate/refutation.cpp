#include "solver/graphene/certificate/refutation.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <functional>
#include <map>
#include <numeric>
#include <set>

#include "core/base/arith.h"
#include "core/base/work.h"

namespace tessera::graphene {
namespace {

constexpr int kDeepestSplit = 24, kMostPivots = 4000, kFirstNodes = 30;

i128 gcdOf(i128 a, i128 b) {
  if (a < 0) a = -a;
  while (b != 0) {
    const i128 r = a % b;
    a = b;
    b = r < 0 ? -r : r;
  }
  return a;
}

// A fraction in lowest terms, denominator > 0. After an overflow `ok` is false, and the search ends.
class Fraction {
 public:
  Fraction() = default;
  explicit Fraction(i128 n) : n_(n) {}
  Fraction(i128 n, i128 d) : n_(n), d_(d) {
    const i128 g = gcdOf(n_, d_);
    if (g > 1) {
      n_ /= g;
      d_ /= g;
    }
  }
  [[nodiscard]] i128 top() const { return n_; }
  [[nodiscard]] i128 bottom() const { return d_; }
  [[nodiscard]] int sign() const { return n_ > 0 ? 1 : n_ < 0 ? -1 : 0; }

  static Fraction product(const Fraction& a, const Fraction& b, bool& ok) {
    const i128 g = std::max<i128>(1, gcdOf(a.n_, b.d_)), h = std::max<i128>(1, gcdOf(b.n_, a.d_));
    Fraction out;
    ok = !__builtin_mul_overflow(a.n_ / g, b.n_ / h, &out.n_) && !__builtin_mul_overflow(a.d_ / h, b.d_ / g, &out.d_) &&
         ok;
    return out;
  }
  // a - b
  static Fraction difference(const Fraction& a, const Fraction& b, bool& ok) {
    i128 x = 0, y = 0, n = 0, d = 1;
    ok = !__builtin_mul_overflow(a.n_, b.d_, &x) && !__builtin_mul_overflow(b.n_, a.d_, &y) &&
         !__builtin_sub_overflow(x, y, &n) && !__builtin_mul_overflow(a.d_, b.d_, &d) && ok;
    return ok ? Fraction(n, d) : Fraction();
  }
  static Fraction quotient(const Fraction& a, const Fraction& b, bool& ok) {
    return product(a, b.n_ < 0 ? Fraction(-b.d_, -b.n_) : Fraction(b.d_, b.n_), ok);
  }
  [[nodiscard]] Fraction negative() const {
    Fraction out = *this;
    out.n_ = -out.n_;
    return out;
  }

 private:
  i128 n_ = 0, d_ = 1;
};

// Multipliers y >= 0 with sum y_i a_i = 0 and sum y_i b_i = -1, for inequalities a_i x + b_i >= 0; or a point x.
struct Tried {
  std::vector<std::pair<std::size_t, Fraction>> multipliers;
  std::map<Monomial, Fraction> point;  // if there are no multipliers
};

class Simplex {
 public:
  explicit Simplex(const std::vector<LinearForm>& forms) : columns_(forms.size()) {
    std::map<Monomial, std::size_t> row;
    for (const LinearForm& f : forms)
      for (const auto& [monomial, coefficient] : f.terms)
        if (!monomial.empty() && row.try_emplace(monomial, row.size()).second) monomials_.push_back(monomial);
    rows_ = row.size() + 1;
    // Columns: the multipliers, one artificial variable per row, the right side.
    table_.assign(rows_ + 1, std::vector<Fraction>(columns_ + rows_ + 1));
    for (std::size_t i = 0; i < columns_; ++i)
      for (const auto& [monomial, coefficient] : forms[i].terms)
        table_[monomial.empty() ? rows_ - 1 : row[monomial]][i] =
            Fraction(monomial.empty() ? -static_cast<i128>(coefficient) : coefficient);
    table_[rows_ - 1].back() = Fraction(1);
    for (std::size_t r = 0; r < rows_; ++r) {
      table_[r][columns_ + r] = Fraction(1);
      basis_.push_back(columns_ + r);
    }
    // The last row is the cost: minus the sum of the rows, so that the artificial variables cost 0 in it.
    for (std::size_t r = 0; r < rows_; ++r)
      for (std::size_t c = 0; c <= columns_ + rows_; ++c)
        if (c < columns_ || c == columns_ + rows_)
          table_[rows_][c] = Fraction::difference(table_[rows_][c], table_[r][c], ok_);
  }

  std::optional<Tried> run() {
    for (int pivots = 0; pivots < kMostPivots && ok_; ++pivots) {
      std::size_t enters = columns_;
      for (std::size_t c = 0; c < columns_ && enters == columns_; ++c)
        if (table_[rows_][c].sign() < 0) enters = c;
      if (enters == columns_) return result();
      std::size_t leaves = rows_;
      Fraction least;
      for (std::size_t r = 0; r < rows_; ++r) {
        if (table_[r][enters].sign() <= 0) continue;
        const Fraction ratio = Fraction::quotient(table_[r].back(), table_[r][enters], ok_);
        const int order = leaves == rows_ ? -1 : Fraction::difference(ratio, least, ok_).sign();
        if (order > 0 || (order == 0 && basis_[r] > basis_[leaves])) continue;
        leaves = r;
        least = ratio;
      }
      if (leaves == rows_) return std::nullopt;  // the cost is bounded by 0, so this does not happen
      pivot(leaves, enters);
    }
    return std::nullopt;
  }

 private:
  void pivot(std::size_t r, std::size_t c) {
    const std::size_t width = columns_ + rows_ + 1;
    spend(width * rows_);
    const Fraction by = table_[r][c];
    for (std::size_t k = 0; k < width; ++k)
      if (table_[r][k].sign() != 0) table_[r][k] = Fraction::quotient(table_[r][k], by, ok_);
    for (std::size_t other = 0; other <= rows_ && ok_; ++other) {
      const Fraction factor = table_[other][c];
      if (other == r || factor.sign() == 0) continue;
      for (std::size_t k = 0; k < width && ok_; ++k)
        if (table_[r][k].sign() != 0)
          table_[other][k] = Fraction::difference(table_[other][k], Fraction::product(factor, table_[r][k], ok_), ok_);
    }
    basis_[r] = c;
  }

  std::optional<Tried> result() {
    if (!ok_) return std::nullopt;
    Tried out;
    if (table_[rows_].back().sign() == 0) {
      for (std::size_t r = 0; r < rows_; ++r)
        if (basis_[r] < columns_ && table_[r].back().sign() > 0)
          out.multipliers.emplace_back(basis_[r], table_[r].back());
      return out;
    }
    // Dual values: 1 - the cost of the artificial variable of the row. With those of the rows as x and t of the last
    // one, a_i x - b_i t <= 0 for all i and t > 0: the point is -x / t.
    const auto dual = [&](std::size_t r) {
      return Fraction::difference(Fraction(1), table_[rows_][columns_ + r], ok_);
    };
    const Fraction t = dual(rows_ - 1);
    if (t.sign() <= 0) return std::nullopt;
    for (std::size_t k = 0; k + 1 < rows_; ++k)
      out.point.emplace(monomials_[k], Fraction::quotient(dual(k), t, ok_).negative());
    return ok_ ? std::optional(std::move(out)) : std::nullopt;
  }

  std::size_t columns_, rows_ = 0;
  std::vector<Monomial> monomials_;  // by row
  std::vector<std::vector<Fraction>> table_;
  std::vector<std::size_t> basis_;
  bool ok_ = true;
};

std::optional<Refutation> leafOf(const Tried& tried) {
  i128 scale = 1;
  for (const auto& [number, y] : tried.multipliers) {
    scale = scale / gcdOf(scale, y.bottom()) * y.bottom();
    if (!fits64(scale)) return std::nullopt;
  }
  Refutation out;
  i128 common = 0;
  std::vector<i128> whole;
  for (const auto& [number, y] : tried.multipliers) {
    i128 n = 0;
    if (__builtin_mul_overflow(y.top(), scale / y.bottom(), &n) || !fits64(n)) return std::nullopt;
    whole.push_back(n);
    common = gcdOf(common, n);
  }
  for (std::size_t k = 0; k < whole.size(); ++k)
    out.multipliers.emplace_back(tried.multipliers[k].first, static_cast<i64>(whole[k] / common));
  return out;
}

// Quotients whose value is a sum of smaller ones, because the parts of the dividend are digits with a small remainder.
//
//     0 <= x < 32, 0 <= y < 8:  floor((4*x - 16*floor(x/4) + floor(y/2) ...)/16)
//
// Of a variable, k1*floor(x/p1) + k2*floor(x/p2) + ... with p1 | p2 | ... is w1*d1 + w2*d2 + ..., where dj is the digit
// floor(x/pj) mod p(j+1)/pj, w1 = k1 and w(j+1) = k(j+1) + wj*p(j+1)/pj. If the sum of (wj mod d)*dj is below d, then
// floor(sum/d) is the sum of (wj div d)*dj.
class KnownFloors {
 public:
  explicit KnownFloors(const std::vector<LinearForm>& forms) {
    for (const LinearForm& form : forms) {
      if (form.terms.size() == 2 && form.terms.begin()->first.empty() && form.terms.rbegin()->first.size() == 1 &&
          form.terms.rbegin()->second == -1)
        most_[form.terms.rbegin()->first.front()] = form.constant();
      for (const auto& [monomial, by] : form.terms) {
        if (by > -2 || monomial.size() != 1 || !monomial.front().starts_with("floor(")) continue;
        LinearForm inner = form;
        inner.terms.erase(monomial);
        if (monomial.front() != "floor((" + print(inner) + ")/" + std::to_string(-by) + ")") continue;
        const auto& [variable, coefficient] = *inner.terms.begin();
        if (inner.terms.size() == 1 && coefficient == 1 && variable.size() == 1)
          quotients_[monomial.front()] = {variable.front(), -by};
        floors_[monomial.front()] = {std::move(inner), -by};
      }
    }
  }

  // Forms that are 0 at every integer solution.
  [[nodiscard]] std::vector<LinearForm> zeros() const {
    std::vector<LinearForm> out;
    for (const auto& [name, floor] : floors_)
      if (auto value = valueOf(floor.of, floor.by)) {
        for (auto& [monomial, coefficient] : value->terms) coefficient = -coefficient;
        value->terms[{name}] = 1;
        out.push_back(*std::move(value));
      }
    std::ranges::stable_sort(out, {}, [](const LinearForm& form) { return print(form).size(); });
    return out;
  }

  // Of each variable among the atoms: x - 4*floor(x/4), floor(x/4) - 2*floor(x/8), floor(x/8).
  [[nodiscard]] std::vector<LinearForm> digits(const std::set<std::string>& atoms) const {
    std::map<std::string, std::set<i64>> divisors;
    for (const std::string& atom : atoms)
      if (!atom.starts_with("floor(")) divisors[atom].insert(1);
    for (const auto& [name, quotient] : quotients_) divisors[quotient.first].insert(quotient.second);
    std::vector<LinearForm> out;
    for (const auto& [variable, all] : divisors)
      for (auto by = all.begin(); by != all.end(); ++by) {
        LinearForm digit;
        addTo(digit, atomOf(variable, *by), 1);
        const auto next = std::find_if(std::next(by), all.end(), [&](i64 n) { return n % *by == 0; });
        if (next != all.end()) addTo(digit, atomOf(variable, *next), -(*next / *by));
        out.push_back(std::move(digit));
      }
    return out;
  }

 private:
  struct Floor {
    LinearForm of;
    i64 by = 1;
  };
  // floor(e/d), unless it is the quotient of a variable itself.
  [[nodiscard]] std::optional<LinearForm> valueOf(const LinearForm& e, i64 d) const {
    std::map<std::string, std::map<i64, i64>> weights;  // variable, divisor
    for (const auto& [monomial, coefficient] : e.terms) {
      if (monomial.empty()) continue;
      if (monomial.size() != 1) return std::nullopt;
      const auto quotient = quotients_.find(monomial.front());
      if (quotient != quotients_.end())
        weights[quotient->second.first][quotient->second.second] = coefficient;
      else
        weights[monomial.front()][1] = coefficient;
    }
    if (weights.size() == 1 && e.terms.size() == 1) return std::nullopt;
    for (const auto& [name, quotient] : quotients_) {
      const auto variable = weights.find(quotient.first);
      if (variable == weights.end()) continue;
      const auto nests = [by = quotient.second](const auto& part) {
        return by % part.first == 0 || part.first % by == 0;
      };
      if (std::ranges::all_of(variable->second, nests)) variable->second.try_emplace(quotient.second, 0);
    }
    LinearForm out;
    i128 rest = e.constant();
    for (const auto& [variable, parts] : weights) {
      i128 weight = 0;
      for (auto part = parts.begin(); part != parts.end(); ++part) {
        const auto next = std::next(part);
        weight += part->second;
        if (next != parts.end() && next->first % part->first != 0) return std::nullopt;
        const i64 radix = next != parts.end() ? next->first / part->first : 0;
        const i64 over = static_cast<i64>(wideFloorDiv(weight, d));
        const i128 left = weight - i128{over} * d;
        if (left != 0 && radix == 0 && most_.count(variable) == 0) return std::nullopt;
        if (left != 0) rest += left * (radix != 0 ? radix - 1 : most_.at(variable) / part->first);
        addTo(out, atomOf(variable, part->first), over);
        if (radix != 0) addTo(out, atomOf(variable, next->first), -over * radix);
        weight *= radix;
        if (weight > i128{1} << 60 || rest >= d) return std::nullopt;
      }
    }
    return rest < d ? std::optional(std::move(out)) : std::nullopt;
  }
  static std::string atomOf(const std::string& variable, i64 by) {
    return by == 1 ? variable : "floor((1*" + variable + ")/" + std::to_string(by) + ")";
  }
  static void addTo(LinearForm& to, const std::string& atom, i64 coefficient) {
    const i64 made = (to.terms[{atom}] += coefficient);
    if (made == 0) to.terms.erase({atom});
  }

  std::map<std::string, Floor> floors_;
  std::map<std::string, std::pair<std::string, i64>> quotients_;  // those of a variable itself
  std::map<std::string, i64> most_;
};

class Search {
 public:
  // Which splits are tried before those on monomials: on sums of the question, or on differences of two copies.
  enum class First : unsigned char { Sums, Differences };
  Search(const std::vector<LinearForm>& forms, int most, First first) : most_(most) {
    if (first == First::Sums) sums_ = sumsOf(forms);
    const KnownFloors floors(forms);
    zeros_ = floors.zeros();
    if (first == First::Differences) differences_ = differencesOf(forms, floors);
  }
  std::optional<Refutation> run(std::vector<LinearForm>& forms, int depth) {
    if (++nodes_ > most_ || depth > kDeepestSplit) return std::nullopt;
    const auto tried = Simplex(forms).run();
    if (!tried) return std::nullopt;
    if (!tried->multipliers.empty()) return leafOf(*tried);
    const auto chosen = splitAt(tried->point, forms);
    if (!chosen) return std::nullopt;  // an integer solution, as far as products are opaque
    const i128 at = wideFloorDiv(chosen->second.top(), chosen->second.bottom());
    if (!fits64(at) || !fits64(at + 1)) return std::nullopt;
    Refutation out;
    out.split = chosen->first;
    out.at = static_cast<i64>(at);
    for (const bool above : {false, true}) {
      forms.push_back(branch(out.split, out.at, above));
      auto part = run(forms, depth + 1);
      forms.pop_back();
      if (!part) return std::nullopt;
      (above ? out.above : out.below) = std::make_unique<Refutation>(*std::move(part));
    }
    return out;
  }

 private:
  using Point = std::map<Monomial, Fraction>;
  using Split = std::pair<LinearForm, Fraction>;  // a form, and its value at the point

  // A form that is 0, and is not 0 here. Or one with a fractional value: a sum of the question, or a quotient, the
  // shortest, which has few values and of which others are built; or any monomial.
  std::optional<Split> splitAt(const Point& point, const std::vector<LinearForm>& forms) const {
    for (const LinearForm& form : zeros_) {
      const auto value = valueAt(form, point);
      if (!value || value->sign() == 0) continue;
      const i64 at = value->sign() > 0 ? 0 : -1;
      const auto done = [&](bool above) { return std::ranges::find(forms, branch(form, at, above)) != forms.end(); };
      if (!done(true) && !done(false)) return Split{form, Fraction(at)};
    }
    for (const LinearForm& form : differences_) {
      const auto value = valueAt(form, point);
      if (!value || value->sign() == 0) continue;
      const bool above = value->sign() > 0;
      std::vector<LinearForm> wrong = forms;
      wrong.push_back(branch(form, above ? 0 : -1, above));
      const auto tried = Simplex(wrong).run();  // it helps if one side is at once impossible
      if (tried && !tried->multipliers.empty()) return Split{form, Fraction(above ? 0 : -1)};
    }
    for (const LinearForm& form : sums_)
      if (const auto value = valueAt(form, point); value && value->bottom() != 1) return Split{form, *value};
    const auto least = std::ranges::min_element(point, {}, [](const auto& one) { return costOf(one); });
    if (least == point.end() || least->second.bottom() == 1) return std::nullopt;
    return Split{LinearForm{{{least->first, 1}}}, least->second};
  }
  // Of the digits of two copies: d - d'. They are 0 where the copies are one instance.
  static std::vector<LinearForm> differencesOf(const std::vector<LinearForm>& forms, const KnownFloors& floors) {
    std::set<std::string> atoms;
    for (const LinearForm& form : forms)
      for (const auto& [monomial, coefficient] : form.terms) atoms.insert(monomial.begin(), monomial.end());
    std::vector<LinearForm> out;
    for (const LinearForm& digit : floors.digits(atoms)) {
      LinearForm difference = digit;
      bool two = true;
      for (const auto& [monomial, coefficient] : digit.terms) {
        const std::string other = copied(monomial.front());
        two = two && other != monomial.front() && atoms.count(other) != 0;
        difference.terms[{other}] = -coefficient;
      }
      if (two) out.push_back(std::move(difference));
    }
    return out;
  }
  // "floor((1*$thread0')/4)" of "floor((1*$thread0)/4)"
  static std::string copied(const std::string& atom) {
    std::string out;
    bool inside = false;
    for (const char c : atom) {
      const bool word = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
      if (inside && !word) out += '\'';
      inside = c == '$' || (inside && word);
      out += c;
    }
    return inside ? out + '\'' : out;
  }
  static std::optional<Fraction> valueAt(const LinearForm& form, const Point& point) {
    bool ok = true;
    Fraction value;
    for (const auto& [monomial, coefficient] : form.terms) {
      const auto at = point.find(monomial);
      if (at == point.end()) continue;
      value = Fraction::difference(value, Fraction::product(at->second, Fraction(-i128{coefficient}), ok), ok);
    }
    return ok ? std::optional(value) : std::nullopt;
  }
  static std::pair<int, std::size_t> costOf(const std::pair<const Monomial, Fraction>& one) {
    const auto& [monomial, value] = one;
    const bool quotient = monomial.size() == 1 && monomial.front().starts_with("floor(");
    return {value.bottom() == 1 ? 2 : quotient ? 0 : 1, print(monomial).size()};
  }
  // The sums s of g*s + r, for each coefficient g of the question, then of the equations.
  static std::vector<LinearForm> sumsOf(const std::vector<LinearForm>& forms) {
    std::vector<LinearForm> out;
    const std::size_t most = 6;
    if (!forms.empty()) addSums(forms.front(), most, out);
    for (std::size_t k = 1; k + 1 < forms.size() && out.size() < 3 * most; ++k)
      if (forms[k + 1] == branch(forms[k], 0, false)) addSums(forms[k], out.size() + most, out);
    return out;
  }
  static void addSums(const LinearForm& form, std::size_t most, std::vector<LinearForm>& out) {
    std::set<i64, std::greater<>> steps;
    for (const auto& [monomial, coefficient] : form.terms)
      if (!monomial.empty() && coefficient != INT64_MIN && std::abs(coefficient) > 1)
        steps.insert(std::abs(coefficient));
    for (const i64 g : steps) {
      LinearForm sum;
      for (const auto& [monomial, coefficient] : form.terms)
        if (!monomial.empty() && coefficient % g == 0) sum.terms[monomial] = coefficient / g;
      if (sum.terms.size() > 1 && out.size() < most) out.push_back(std::move(sum));
    }
  }

  static LinearForm branch(const LinearForm& form, i64 at, bool above) {
    LinearForm out;
    for (const auto& [monomial, coefficient] : form.terms) out.terms[monomial] = above ? coefficient : -coefficient;
    if (const i64 constant = above ? -(at + 1) : at; constant != 0) out.terms[{}] = constant;
    return out;
  }

  std::vector<LinearForm> sums_, zeros_, differences_;
  int most_, nodes_ = 0;
};

void used(const Refutation& proof, std::size_t count, std::set<std::size_t>& out) {
  for (const auto& [number, multiplier] : proof.multipliers)
    if (number < count) out.insert(number);
  if (proof.below) used(*proof.below, count, out);
  if (proof.above) used(*proof.above, count, out);
}

void renumber(Refutation& proof, std::size_t count, const std::vector<std::size_t>& numbers) {
  for (auto& [number, multiplier] : proof.multipliers) {
    if (number >= count)
      number = number - count + numbers.size();
    else
      number = static_cast<std::size_t>(std::ranges::lower_bound(numbers, number) - numbers.begin());
  }
  if (proof.below) renumber(*proof.below, count, numbers);
  if (proof.above) renumber(*proof.above, count, numbers);
}

}  // namespace

std::optional<Refutation> refute(const std::vector<LinearForm>& forms, int nodes) {
  std::vector<LinearForm> all = forms;
  std::optional<Refutation> found;
  found = Search(forms, std::min(nodes, kFirstNodes), Search::First::Sums).run(all, 0);
  if (!found && nodes > 1) found = Search(forms, nodes, Search::First::Differences).run(all, 0);
  if (!found && nodes > kFirstNodes) found = Search(forms, nodes, Search::First::Sums).run(all, 0);
  return found;
}

SmallRefutation withoutUnused(const std::vector<LinearForm>& forms, Refutation proof) {
  std::set<std::size_t> numbers;
  used(proof, forms.size(), numbers);
  const std::vector<std::size_t> list(numbers.begin(), numbers.end());
  renumber(proof, forms.size(), list);
  SmallRefutation out{{}, std::move(proof)};
  for (const std::size_t n : list) out.uses.push_back(forms[n]);
  return out;
}

}  // namespace tessera::graphene
