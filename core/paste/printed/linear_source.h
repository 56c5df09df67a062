// LinearSource: the constructors of linear layouts in the source of Triton, C++ and Python.
//
//     auto tile = LinearLayout({{kRegister, {{0, 1}}}, {kLane, {{1, 0}, {2, 0}}}}, {outDims[order[0]], S("dim1")});
//     LinearLayout::identity1D(4, S("register"), S("dim0")) * LinearLayout::zeros1D(2, kLane, S("dim0"))
//     LinearLayout.from_bases([("lane", [[0, 1]])], ["dim0", "dim1"], [1, 2])
//
// A coordinate is an integer expression; names in it, and `order`, come from --let, else they are questions. kLane and
// S("lane") are "lane"; outDimNames[k] and dims[k] are "dimK".
// It is not an interpreter of C++: what is neither a constructor nor a product of constructors is skipped.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/cursor.h"
#include "core/notation/linear/layout.h"
#include "core/paste/paste.h"

namespace tessera::paste {

struct NamedLinear {
  std::string name;  // of its declaration; "" if there is none
  linear::Layout layout;
  Span span;
};

class LinearSource {
 public:
  LinearSource(std::string_view text, const Given& given)
      : in_(text, {.nameAlso = "", .scopes = true, .lineComments = true, .blockComments = true, .hex = true}),
        given_(given) {}

  // Every layout of the text in order.
  [[nodiscard]] Result<std::vector<NamedLinear>> read();
  [[nodiscard]] const std::vector<Question>& questions() const { return questions_; }

 private:
  [[nodiscard]] bool atConstructor();
  [[nodiscard]] std::string declaredName(std::size_t begin) const;
  Result<linear::Layout> product();
  Result<linear::Layout> factor();
  Result<linear::Layout> bases(char close);
  Result<linear::Layout> oneDimension(std::string_view kind);
  Result<std::vector<linear::In>> inputs();
  Result<linear::In> input();
  Result<std::vector<linear::Basis>> basisList();
  Result<linear::Basis> basis();
  Result<std::vector<linear::Out>> outputs(bool& sized);
  Result<std::vector<i64>> integers();
  Result<std::string> dimension();
  Result<std::string> indexedDimension(std::string_view array);
  Result<i64> sum();
  Result<i64> term();
  Result<i64> number();
  Result<i64> given(std::string_view name, Span span, std::optional<i64> index);
  [[nodiscard]] bool open(char& close);
  Result<void> shut(char close);
  void ask(std::string_view name, std::string asks, std::string_view example, Span span);

  Cursor in_;
  const Given& given_;
  std::vector<Question> questions_;
};

}  // namespace tessera::paste
