// The functions and methods of a reference: a row each, with NumPy's names and arguments.
//
//     np.sum(x, axis=1)   x.sum(1)   softmax(x)   np.where(c, x, y)   np.arange(4)   x.astype(np.float16)
//
// A method is the function with the array as its first argument.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "solver/kernel/reference/array.h"

namespace tessera::kernel::reference {

// A value of the language: an array, a tuple or list, a name (np.float32, None), or a text.
struct Value {
  enum class Kind : unsigned char { Array, Tuple, Name };
  Kind kind = Kind::Array;
  Array array;
  std::vector<Value> items;
  std::string name;
};

[[nodiscard]] Value valueOf(Array array);
// A list of numbers or arrays becomes an array with one more axis.
[[nodiscard]] Result<Array> arrayOf(const Value& value);
[[nodiscard]] Result<i64> integerOf(const Value& value, std::string_view what);

struct CallArguments {
  std::vector<Value> given;
  std::map<std::string, Value, std::less<>> named;
};

[[nodiscard]] bool isFunction(std::string_view name);
[[nodiscard]] std::vector<std::string> functionNames();
[[nodiscard]] Result<Value> call(std::string_view name, const CallArguments& arguments);

}  // namespace tessera::kernel::reference
