// The part of MLIR's attribute syntax that layouts use, as a tree with places: integers, booleans, words, lists,
// dictionaries, interval:+padding pairs, and attributes #dialect.name<...>.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/base/types.h"

namespace tessera::mlir_text {

struct Node {
  enum class Kind : unsigned char { Integer, Boolean, List, Dictionary, Padding, Attribute };
  Kind kind = Kind::Integer;
  Span span;
  i64 integer = 0;                                    // Integer, Boolean; Padding: the interval
  i64 second = 0;                                     // Padding
  std::string name;                                   // Attribute: "#ttg.blocked", "#alias"
  std::vector<Node> items;                            // List; Attribute: what stands between < and >
  std::vector<std::pair<std::string, Node>> entries;  // Dictionary; Attribute with `key = value` between < and >
};

class Reader {
 public:
  explicit Reader(std::string_view text, std::size_t at = 0) : text_(text), at_(at) {}
  void skipBlanks();  // and // comments
  [[nodiscard]] bool atEnd();
  [[nodiscard]] std::size_t position() const { return at_; }
  void seek(std::size_t at) { at_ = at; }
  [[nodiscard]] bool accept(std::string_view token);
  [[nodiscard]] Result<void> expect(std::string_view token, std::string_view where);
  [[nodiscard]] Result<Node> node(int depth = 0);       // any value
  [[nodiscard]] Result<Node> attribute(int depth = 0);  // #name or #name<...>
  [[nodiscard]] Result<std::string> word();
  [[nodiscard]] Diag fail(std::string message, std::string expected = {});
  [[nodiscard]] std::string_view text() const { return text_; }

 private:
  [[nodiscard]] Result<Node> number();
  [[nodiscard]] Result<void> entriesInto(Node& node, std::string_view close, int depth);
  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace tessera::mlir_text
