// A question as SMT-LIB 2 text, which any solver reads.
//
//     smtText(terms, {.logic = "QF_LIA", .conditions = {2*d0_1 = 3, 0 <= d0_1 <= 3}, .status = Status::Unsat})
//
//     (set-info :smt-lib-version 2.6)
//     (set-logic QF_LIA)
//     (set-info :status unsat)
//     (declare-fun d0_1 () Int)
//     (assert (= (* 2 d0_1) 3))
//     (assert (and (<= 0 d0_1) (<= d0_1 3)))
//     (check-sat)
//
// A term that is used more than once, or that nests deeply, gets a name: (define-fun t!7 () Int (* 2 d0_1)). So the
// text grows like the number of terms, not like the number of paths through them.
// Law: a solver that reads the text answers whether all conditions hold together for some values of the variables
// (tests/prove/smt_text_test.cpp: Z3 reads each term back as the one that it was given).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "solver/prove/smt/terms.h"

namespace tessera::prover::smt {

enum class Status : unsigned char { Sat, Unsat, Unknown };

struct Question {
  std::string logic;
  std::vector<Term> conditions = {};
  Status status = Status::Unknown;
  // What each answer says about the claim: comments, at most one line each; none if empty.
  std::string ifSat = {}, ifUnsat = {};
};

// Bytes of a question, and of all questions of a claim. A larger one becomes a comment that says so. A million bytes
// are about 100,000 terms.
inline constexpr std::size_t kMostText = std::size_t{1} << 20, kMostTexts = 2 * kMostText;

// The text; it needs about one step of work per term. No work is spent here, so that a question can be written after a
// solver has used up the budget.
[[nodiscard]] std::string smtText(const Terms& terms, const Question& question, std::size_t most = kMostText);
// "; this\n": any text on one line, cut after 200 bytes; "" if it is empty.
[[nodiscard]] std::string comment(std::string_view text);
// Whether the text holds the question.
[[nodiscard]] bool isWritten(const std::string& text);
// The comment in the place of a text that has more than this many bytes, or would make a claim's texts longer.
[[nodiscard]] std::string notWritten(std::size_t most);

}  // namespace tessera::prover::smt
