#include "core/base/csv.h"

#include <charconv>

#include "core/base/chars.h"

namespace tessera {
namespace {

// -3, +2.5, -1e-9
bool isNumber(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  if (text.empty() || (!isDigit(text[0]) && text[0] != '.')) return false;  // no second sign, inf or nan
  double value = 0;
  const char* const end = text.data() + text.size();
  return std::from_chars(text.data(), end, value).ptr == end;
}

bool startsFormula(std::string_view text) {
  return !text.empty() && std::string_view("=+-@\t\r").find(text.front()) != std::string_view::npos;
}

}  // namespace

std::string csvField(std::string_view text) {
  std::string_view bare = text;
  while (bare.starts_with('\'')) bare.remove_prefix(1);
  const bool defused = startsFormula(bare) && (bare.size() < text.size() || !isNumber(text));
  std::string out = defused ? "'" : "";
  if (text.find_first_of(",\"\n\r") == std::string_view::npos) return out.append(text);
  out.insert(0, 1, '"');
  for (const char c : text) out.append(c == '"' ? 2 : 1, c);
  return out + '"';
}

std::string csvLine(const std::vector<std::string>& fields, std::string_view end) {
  std::string out;
  for (std::size_t k = 0; k < fields.size(); ++k) out += (k == 0 ? "" : ",") + csvField(fields[k]);
  return out.append(end);
}

}  // namespace tessera
