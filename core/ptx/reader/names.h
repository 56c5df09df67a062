// Names: the registers that are visible at a place of a function, and the sizes of elements of its variables.
//
//     names.declare({"%r", Type::B32, 1, 3, 0});      %r0 %r1 %r2
//     names.find("%r2")                               2
//     names.open(); names.declare({"p", Type::Pred, 1, 0, 3});  names.find("p") 3; names.close();
//
// Law: find(name) is the register of the innermost block that declares it. The texts of registers' names must outlive
// this.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/ptx/module.h"

namespace tessera::ptx {

class Names {
 public:
  Names() : scopes_(1) {}
  void open() { scopes_.emplace_back(); }
  void close() { scopes_.pop_back(); }
  [[nodiscard]] std::size_t depth() const { return scopes_.size(); }

  void declare(std::string_view name, int count, int first);
  [[nodiscard]] int find(std::string_view name) const;  // -1: none
  void variable(const Variable& v) { scopes_.back().elements[v.name] = i64{bitsOf(v.type)} * v.vector / 8; }
  [[nodiscard]] i64 elementBytes(std::string_view name) const;  // 0: no such variable
  // The prefixes and names that a misspelt register may have meant.
  [[nodiscard]] std::vector<std::string> all() const;

 private:
  struct Range {
    int first = -1, count = 0;  // of "%r<5>"
    int single = -1;            // of "%r"
  };
  struct Scope {
    std::unordered_map<std::string_view, Range> registers;
    std::unordered_map<std::string, i64> elements;
  };
  std::vector<Scope> scopes_;
};

// "%tid", "%clock64", "%envreg3": a special register of PTX.
[[nodiscard]] bool isSpecial(std::string_view name);

}  // namespace tessera::ptx
