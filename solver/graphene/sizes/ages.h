// Ages: whether a value of a run on terms depends on inputs of the steps before a cut, of those after it, or of both.
//
//     %A[i,k] * %B[k,j], k < 64, cut at k = 64      Early
//     %A[i,k] * %B[k,j], k >= 64                    Late
//     both                                          Mixed
//     what the loop carries over the cut, if it is opaque, and tensors that do not move      Neither
//
// Law: if of(v) is not Early and not Mixed, v is a function of opaque values, of late inputs and of tensors that do not
// move.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "solver/emulate/terms.h"

namespace tessera::graphene {

enum class Age : unsigned char { Neither, Early, Late, Mixed };
[[nodiscard]] constexpr Age both(Age a, Age b) {
  return a == b || b == Age::Neither ? a : a == Age::Neither ? b : Age::Mixed;
}
using AgeOfInput = std::function<Age(const Terms::Node&)>;

// Values whose parts are not looked at, also as operands, where a sum is replaced by its representative. A sum is over
// one if its lists of factors begin with those of the other.
struct Opaque {
  std::unordered_set<Terms::Value> values;
  std::map<std::array<std::uint32_t, 3>, Terms::Value> sums;  // by base and lists; kAnyBase: 0, another may be added
  static constexpr Terms::Value kAnyBase = ~Terms::Value{0};
  void insert(const Terms& terms, Terms::Value v);
};

// The parts of a sum of lists that is over an opaque one: the rows of factors after it.
struct SumParts {
  SumParts(const Terms& terms, const Terms::Node& sum, const Opaque& over);
  std::vector<Terms::Value> values;
  std::vector<std::pair<Dots::Row, Dots::Row>> rows;
  Terms::Value over = Terms::absent();  // the opaque sum; absent: none
};

class Ages {
 public:
  Ages(const Terms& terms, AgeOfInput input, const Opaque& over)
      : terms_(terms), input_(std::move(input)), over_(over) {}
  // Consumes budget.
  [[nodiscard]] Age of(Terms::Value v);

 private:
  const Terms& terms_;
  AgeOfInput input_;
  const Opaque& over_;
  std::unordered_map<Terms::Value, Age> values_;
  std::unordered_map<Dots::Row, Age> rows_;
};

}  // namespace tessera::graphene
