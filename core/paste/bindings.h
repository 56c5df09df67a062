// Bindings: the statements of a reading, under names that the worksheet can bind.
//
//     bind("%copy.40488", "s32[8,4]{1,0} copy(%x)")       copy_40488 = s32[8,4]{1,0} copy(%x)
//     bind("size", "(4,8):(8,1)")                         size_ = (4,8):(8,1); `size` would hide the function
//     bind("", "zN<2>(32, 48)")                           X = zN<2>(32, 48)
//     formula("S", {"i", "j"}, "i * 8 + j", {4, 8})       S(i, j) = i * 8 + j over (4, 8)
//
// Law: no two statements have the same name; line ends inside an expression become blanks, those of a block stay.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/paste/paste.h"

namespace tessera::paste {

class Bindings {
 public:
  explicit Bindings(const Given& given) : given_(&given) {}

  // These return the name that is bound.
  std::string bind(std::string_view name, std::string_view expression, Span span);
  std::string formula(std::string_view name, std::span<const std::string> parameters, std::string_view body,
                      std::span<const i64> extents, Span span);
  // WORD NAME { inside }: a module.
  std::string block(std::string_view word, std::string_view name, std::string_view inside, Span span);

  // Each note is kept once.
  void note(std::string text);
  void ask(Question question);

  // The value that --let gives for the name as an integer. Without a usable value: a question, and nullopt.
  [[nodiscard]] std::optional<i64> number(std::string_view name, std::string_view asks, std::string_view example,
                                          Span span);
  [[nodiscard]] const Given& given() const { return *given_; }
  [[nodiscard]] bool empty() const { return statements_.empty(); }
  [[nodiscard]] bool asked() const { return !questions_.empty(); }

  // The reading; the last statement has the name of --name, if there is one. A Diag: nothing was bound or asked.
  [[nodiscard]] Result<Reading> reading(std::string_view dialect) const;

 private:
  struct Row {
    std::string head, name, tail;  // "", "S", "(i, j) = ..."; "hlo ", "m", " {...}"
    Span span;
    bool unnamed = false;  // called X if it is the last
  };
  std::string add(std::string head, std::string_view name, std::string tail, Span span);

  const Given* given_;
  std::set<std::string, std::less<>> names_;
  std::vector<Row> statements_;
  std::vector<std::string> notes_;
  std::vector<Question> questions_;
};

// The text as a name: letters, digits and _; "X" if nothing is left. Not yet unique.
[[nodiscard]] std::string worksheetName(std::string_view text);
// A decimal or hexadecimal integer, and nothing else.
[[nodiscard]] std::optional<i64> integerText(std::string_view text);

}  // namespace tessera::paste
