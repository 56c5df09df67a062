#include "core/hlo/text/replica_groups.h"

#include <algorithm>

#include "core/base/arith.h"
#include "core/hlo/text/attributes.h"

namespace tessera::hlo {
namespace {

// The comma-separated pieces inside the first such bracket after `from`.
std::vector<std::string_view> piecesIn(std::string_view text, char open, char close, std::size_t from) {
  const std::size_t begin = text.find(open, from), end = text.find(close, begin);
  std::vector<std::string_view> pieces;
  if (begin == std::string_view::npos || end == std::string_view::npos) return pieces;
  for (std::size_t at = begin + 1; at <= end;) {
    const std::size_t next = std::min(text.find(',', at), end);
    std::string_view piece = text.substr(at, next - at);
    while (!piece.empty() && piece.front() == ' ') piece.remove_prefix(1);
    while (!piece.empty() && piece.back() == ' ') piece.remove_suffix(1);
    if (!piece.empty()) pieces.push_back(piece);
    at = next + 1;
  }
  return pieces;
}

// The length of the mesh axis x ('x'=4), or of a part of it: x:(2)2 has length 2.
std::optional<i64> lengthOf(std::string_view axis, const std::vector<std::string_view>& mesh) {
  if (const std::size_t part = axis.rfind(":("); part != std::string_view::npos) {
    const std::size_t close = axis.find(')', part);
    return close == std::string_view::npos ? std::nullopt : wholeNumber(axis.substr(close + 1));
  }
  for (const std::string_view m : mesh)
    if (const std::size_t is = m.rfind('='); is != std::string_view::npos && m.substr(0, is) == axis)
      return wholeNumber(m.substr(is + 1));
  return std::nullopt;
}

std::optional<i64> alongAxes(std::string_view text) {
  const std::vector<std::string_view> mesh = piecesIn(text, '[', ']', 0);
  const std::vector<std::string_view> axes = piecesIn(text, '{', '}', text.rfind('{'));
  std::optional<i64> size = 1;
  for (const std::string_view axis : axes) {
    const auto length = lengthOf(axis, mesh);
    size = size && length && *length > 0 ? checkedMul(*size, *length) : std::nullopt;
  }
  return axes.empty() ? std::nullopt : size;
}

// The number of participants, if the module's head gives replica_count or num_partitions; a missing one counts as 1.
std::optional<i64> everybody(const Module& module, const Instruction& instruction) {
  std::optional<i64> replicas = 1, partitions = 1;
  bool said = false;
  for (const Attribute& a : module.attributes) {
    if (a.name != "replica_count" && a.name != "num_partitions") continue;
    said = true;
    (a.name == "replica_count" ? replicas : partitions) = wholeNumber(a.value);
  }
  if (instruction.find("channel_id") == nullptr) partitions = 1;
  if (!said || !replicas || !partitions || *replicas < 1 || *partitions < 1) return std::nullopt;
  return checkedMul(*replicas, *partitions);
}

}  // namespace

std::optional<i64> groupSize(const Module& module, const Instruction& instruction) {
  const std::string_view text = instruction.value("replica_groups", "{}");
  if (std::all_of(text.begin(), text.end(), [](char c) { return c == '{' || c == '}' || c == ' '; }))
    return everybody(module, instruction);
  if (text.starts_with("mesh")) return alongAxes(text);
  const std::size_t open = text.find_last_of("[{", text.find_first_of("]}"));
  const std::size_t close = text.find_first_of("]}");
  if (open == std::string_view::npos || close == std::string_view::npos || open > close) return std::nullopt;
  const auto first = numbers("{" + std::string(text.substr(open + 1, close - open - 1)) + "}");
  if (!first || first->empty()) return std::nullopt;
  return text.front() == '[' ? first->back() : static_cast<i64>(first->size());
}

std::string groupsText(const Instruction& instruction) {
  std::string out;
  for (const std::string_view name : {"replica_groups", "use_global_device_ids", "source_target_pairs"})
    if (const Attribute* const a = instruction.find(name)) out += std::string(name) + "=" + std::string(a->value) + " ";
  if (instruction.find("channel_id") != nullptr) out += "by channel";
  return out;
}

}  // namespace tessera::hlo
