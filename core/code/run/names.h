// Names: what the names of index code that its text does not define mean: coordinates, constants, or a question.
//
//     As[row * BK + col] over (row = 128, col = 32) with BK = 32
//     row, col     coordinates 0 and 1        BK    the constant 32
//
// threadIdx, blockIdx, blockDim and gridDim are unsigned; blockDim.x is the extent of threadIdx.x if it is not given.
// In a survey, an unknown name is recorded and becomes a number of a wide range, so that one pass finds all of them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/code/run/arithmetic.h"
#include "core/code/run/value.h"

namespace tessera::code {

// A name that is neither defined nor given.
struct Missing {
  std::string name;
  Span span;
  int parameter = -1;         // of the function that is called; -1: none
  bool isConstant = false;    // an array extent, a size, a name in capitals
  std::optional<i64> extent;  // of a coordinate, if the text has it: tl.arange(0, 64)
};

class Names {
 public:
  Names(const Given& given, Arithmetic& arithmetic, bool survey);

  [[nodiscard]] const Given& given() const { return given_; }
  [[nodiscard]] const std::vector<Missing>& missing() const { return missing_; }
  [[nodiscard]] bool isSurvey() const { return survey_; }
  void setParameters(std::vector<std::string> names) { parameters_ = std::move(names); }
  // The given meaning of this text; nullopt: none.
  [[nodiscard]] std::optional<Value> known(const std::string& text, const Type& type);
  [[nodiscard]] bool isCoordinate(const std::string& text) const;
  // The extent of a coordinate that the text itself defines.
  void setExtent(const std::string& name, i64 extent) { extents_.insert_or_assign(name, extent); }
  [[nodiscard]] std::optional<i64> extentOf(const std::string& name) const;
  // The number of an unbound name.
  [[nodiscard]] Result<Number> number(const Value& unbound, bool constant = false);

 private:
  [[nodiscard]] std::optional<i64> builtIn(const std::string& text) const;
  [[nodiscard]] Number typed(Expr value, const std::string& text, const Type& type) const;

  const Given& given_;
  Arithmetic& arithmetic_;
  bool survey_;
  std::vector<std::string> parameters_;
  std::vector<Missing> missing_;
  std::map<std::string, i64, std::less<>> extents_;
  std::map<std::string, Value, std::less<>> found_;  // of a survey
};

// Whether a name is written like a constant: BLOCK_M, kStages, Traits::kN.
[[nodiscard]] bool looksConstant(std::string_view name);

}  // namespace tessera::code
