// Backend config: the settings that XLA's backends attach to an instruction, as JSON, read by path.
//
//     backend_config={"known_trip_count":{"n":"10"}}        at({"known_trip_count", "n"})      "10"
//     backend_config="{\"known_trip_count\":{\"n\":\"10\"}}"   the same, as older dumps write it
//     backend_config={attn_heads = 64 : i64, mask_type = 3 : i64}    at({"attn_heads"}) "64": MLIR's attributes
//
// Laws: a path that is not there, or text that is not of these forms, gives nullopt; nesting is limited.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/types.h"
#include "core/hlo/text/module.h"

namespace tessera::hlo {

class BackendConfig {
 public:
  explicit BackendConfig(const Instruction& instruction);
  explicit BackendConfig(std::string text);

  // The value at the path, without quotes; an object or list as its text.
  [[nodiscard]] std::optional<std::string> at(std::initializer_list<std::string_view> path) const;
  // The value of the first member of that name, at any depth.
  [[nodiscard]] std::optional<std::string> find(std::string_view name) const;
  // The value at the path as a whole number, or a list of whole numbers (each may be quoted).
  [[nodiscard]] std::optional<i64> number(std::initializer_list<std::string_view> path) const;
  [[nodiscard]] std::optional<std::vector<i64>> numbers(std::initializer_list<std::string_view> path) const;

 private:
  std::string text_;
};

// The items of a JSON list's text, as texts; empty: it is no list.
[[nodiscard]] std::vector<std::string> itemsOf(std::string_view list);
// ["1","2"] or [1,2]; nullopt: anything else.
[[nodiscard]] std::optional<std::vector<i64>> numbersIn(std::string_view list);

// How often a while loop runs, from known_trip_count; nullopt: the dump does not state it.
[[nodiscard]] std::optional<i64> knownTripCount(const Instruction& loop);

}  // namespace tessera::hlo
