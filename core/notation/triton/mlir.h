// The subset of MLIR's attribute syntax that layouts use, as a tree with source locations: integers, booleans, lists,
// dictionaries, interval:+padding pairs, and attributes #dialect.name<...>.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/cursor.h"
#include "core/notation/triton/attr.h"

namespace tessera::triton::mlir {

struct Entry;

struct Node {
  enum class Kind : unsigned char { Integer, Boolean, List, Dictionary, Padding, Attribute };
  Kind kind = Kind::Integer;
  Span span;
  i64 integer = 0;             // Integer, Boolean; Padding: the interval
  i64 second = 0;              // Padding
  std::string name;            // Attribute: "#ttg.blocked", "#alias"
  std::vector<Node> items;     // List; Attribute: the items between < and >
  std::vector<Entry> entries;  // Dictionary; Attribute with `key = value` between < and >
};

struct Entry {
  std::string key;
  Node value;
};

// The cursor for MLIR text, and the productions.
class Reader : public Cursor {
 public:
  explicit Reader(std::string_view text, std::size_t at = 0)
      : Cursor(text, {.nameAlso = ".$", .lineComments = true, .plus = false}, at) {}
  [[nodiscard]] Result<Node> node();       // any value
  [[nodiscard]] Result<Node> attribute();  // #name or #name<...>

 private:
  [[nodiscard]] Result<Node> number();
  [[nodiscard]] Result<Node> word();  // true, false
  [[nodiscard]] Result<void> entriesInto(Node& node, std::string_view close);
};

}  // namespace tessera::triton::mlir

namespace tessera::triton::detail {

using Aliases = std::map<std::string, Encoding>;

// The encoding of an attribute tree, verified, with aliases resolved.
[[nodiscard]] Result<Encoding> encodingOf(const mlir::Node& node, const Aliases& aliases);
// An attribute as older compilers printed it (#triton_gpu., shared with hasLeadingOffset, unpacked ..), in today's
// spelling; others unchanged. A Diag if its values have no counterpart.
[[nodiscard]] Result<mlir::Node> todaysSpelling(mlir::Node node);

}  // namespace tessera::triton::detail
