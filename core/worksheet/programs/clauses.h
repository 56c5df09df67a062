// Clauses: the parts after `run NAME` and `equal(A, B)`. Each begins with a word and occurs once, in any order.
//
//     Clauses clauses("run", {"with", "on"}, "with M=8, on sm_80");
//     clauses.next(in)     of `with M=8, K=2 on sm_80`: "with"; a Diag for an unknown word, or one given before
//     givenValue(in)       {"M", "8"} and its place
//
// Law: each word is returned at most once.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "core/base/cursor.h"

namespace tessera {

class Clauses {
 public:
  Clauses(std::string statement, std::vector<std::string> words, std::string example)
      : statement_(std::move(statement)), words_(std::move(words)), example_(std::move(example)) {}
  [[nodiscard]] Result<std::string> next(Cursor& in);

 private:
  std::string statement_;
  std::vector<std::string> words_;
  std::string example_;
  std::set<std::string> said_;
};

// The value of a size or parameter: M=8, order=col.
struct GivenValue {
  std::string name, text;
  Span place = {};
};
[[nodiscard]] Result<GivenValue> givenValue(Cursor& in);
// Whether another one follows without a comma.
[[nodiscard]] bool givenValueFollows(const Cursor& in);

}  // namespace tessera
