// The literals of the language: one row a notation, in the order in which they are tried.
//
//     {"xla", xla::extent, readXla}      where it ends, and its value
//
// A new notation is a folder (core/notation/NAME) and a line in kRows. extent() judges nothing; read() is the notation's
// own parser, its Diag's spans count from the literal's first byte.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/worksheet/language/syntax.h"
#include "core/worksheet/value.h"

namespace tessera {

// What an earlier line binds to a name (#mma), or nullptr.
using NameLookup = std::function<const Value*(const std::string&)>;

struct LiteralRow {
  std::string_view notation;
  std::optional<LiteralExtent> (*extent)(std::string_view text, std::size_t from);
  Result<Value> (*read)(std::string_view text, const NameLookup& names);
};
[[nodiscard]] std::span<const LiteralRow> literalRows();

// A literal node's value. Spans of the Diag count from the node's first byte; notes say what is odd but legal.
[[nodiscard]] Result<Value> literalValue(const Node& node, const NameLookup& names, std::vector<Diag>& notes);

}  // namespace tessera
