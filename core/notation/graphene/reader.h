// Reader: the recursive descent over Graphene's text, one function a construct; each leaves the cursor behind it or
// returns a Diag with the bytes that are wrong. The symbols of what it has read are shared: M is one M.
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
  // Of one number, with those of the values that its names stand for: its tree is walked by recursion.
  static constexpr int kMaxOperators = 2000;
  static constexpr std::size_t kMaxLevels = 32;  // of a tensor: each operation copies them

  explicit Reader(std::string_view text, Order order = Order::Row, std::size_t at = 0)
      : cursor_(text, {.lineComments = true, .blockComments = true}, at), order_(order) {}

  Cursor& cursor() { return cursor_; }
  void know(Names symbols) { symbols_ = std::move(symbols); }  // of a tensor that was read before
  // What a name stands for; without it every new name is a new symbol.
  using Meaning = std::function<Result<Expr>(const std::string& name)>;
  void resolve(Meaning meaning) { meaning_ = std::move(meaning); }
  // What `as NAME OPERAND` means; without it only layouts are read.
  void fragments(FragmentOf fragments) { fragments_ = std::move(fragments); }
  [[nodiscard]] const Names& symbols() const { return symbols_; }

  Result<Tensor> declaration();              // %A:[4,8:1,4].fp32.GL
  Result<Tensor> operations(Tensor tensor);  // {.tile(..) | .reshape(..) | .scalar() | [..]}
  Result<Expr> number();                     // 128*@bm + 8
  Expr symbol(const std::string& name);      // the param of that name, a new one if need be
  // Of the last declaration, a level each: no strides were written.
  [[nodiscard]] const std::vector<bool>& plainLevels() const { return plain_; }
  // The operations that were read, as they are printed: ".tile([8:1],_)[@m,0]".
  [[nodiscard]] const std::string& trail() const { return trail_; }

 private:
  struct Shape {
    std::vector<std::vector<Expr>> sizes, strides;  // by dimension and mode
    bool plain = false;                             // no strides were written
    std::size_t begin = 0;
  };

  struct Inside {  // counts the numbers around one while it is read
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
  // Places what an operation refuses at its own text.
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
  int numbers_ = 0, operators_ = 0;  // numbers that are being read, one in the other; operators of the outermost
};

}  // namespace tessera::graphene
