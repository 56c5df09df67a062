// Reader: recursive descent over Graphene's text with one function per construct. Each leaves the cursor after the
// construct, or returns a Diag with the offending bytes. All tensors that it reads share their symbols: M is one M.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/cursor.h"
#include "core/notation/graphene/holds.h"
#include "core/notation/graphene/operations.h"

namespace tessera::graphene {

class Reader {
 public:
  // Per number, including the operators in the values of its names, because its tree is walked by recursion.
  static constexpr int kMaxOperators = 2000;
  static constexpr std::size_t kMaxLevels = 32;  // per tensor, because each operation copies them

  explicit Reader(std::string_view text, Order order = Order::Row, std::size_t at = 0)
      : cursor_(text, {.lineComments = true, .blockComments = true}, at), order_(order) {}

  Cursor& cursor() { return cursor_; }
  void know(Names symbols) { symbols_ = std::move(symbols); }  // of a previously read tensor
  // Resolves a name; by default every new name is a new symbol.
  using Meaning = std::function<Result<Expr>(const std::string& name)>;
  void resolve(Meaning meaning) { meaning_ = std::move(meaning); }
  // Resolves `as NAME OPERAND`; by default only layouts are read.
  void fragments(FragmentOf fragments) { fragments_ = std::move(fragments); }
  [[nodiscard]] const Names& symbols() const { return symbols_; }

  Result<Tensor> declaration();              // %A:[4,8:1,4].fp32.GL
  Result<Tensor> operations(Tensor tensor);  // {.tile(..) | .reshape(..) | .scalar() | [..]}
  Result<Expr> number();                     // 128*@bm + 8
  Expr symbol(const std::string& name);      // the param of that name, created if needed
  // For each level of the last declaration, whether it has no explicit strides.
  [[nodiscard]] const std::vector<bool>& plainLevels() const { return plain_; }
  // The operations read, in canonical form: ".tile([8:1],_)[@m,0]".
  [[nodiscard]] const std::string& trail() const { return trail_; }

 private:
  struct Shape {
    std::vector<std::vector<Expr>> sizes, strides;  // by dimension and mode
    bool plain = false;                             // no explicit strides
    std::size_t begin = 0;
  };

  struct Inside {  // tracks the nesting of numbers while they are read
    int& around;
    explicit Inside(int& numbers) : around(numbers) { ++around; }
    ~Inside() { --around; }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;
  };

  Result<void> oneMore(int operators = 1);
  Result<Expr> factor();
  Result<Expr> term();
  Result<std::vector<Expr>> modes();
  static bool listIn(Cursor in);
  Result<Shape> shape();
  static Level levelOf(const Shape& shape, std::vector<Expr>& extents);
  Result<void> type(Tensor& out);
  Result<void> swizzleBefore(Tensor& out);  // Sw<3,3,3> o
  Result<std::string> swizzleText(std::string_view written);
  Result<void> held(Tensor& out);  // holds [16,16] as LAYOUT
  Result<Distribution> layoutOfHolds(std::vector<i64> extents);
  [[nodiscard]] Diag tooDeep(std::size_t begin) const;
  static bool isOperation(std::string_view word);
  bool dotBefore(char c);
  Result<TileSize> tileSize();
  Result<std::vector<TileSize>> tileSizes();
  Result<std::vector<NewDim>> newDims();
  Result<std::vector<Coordinate>> coordinates();
  // Places the Diag of an operation at its own text.
  template <typename T>
  Result<T> placed(Result<T> result, std::size_t begin) const {
    if (!result && result.error().span.empty()) result.error().span = cursor_.spanFrom(begin);
    return result;
  }

  Cursor cursor_;
  Order order_;
  Names symbols_;
  Meaning meaning_;
  FragmentOf fragments_;
  std::vector<bool> plain_;
  std::string trail_;
  int numbers_ = 0, operators_ = 0;  // nesting of the numbers being read, and operators of the outermost one
};

}  // namespace tessera::graphene
