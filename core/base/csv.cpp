#include "core/base/csv.h"

#include "core/base/chars.h"

namespace tessera {
namespace {

// -3, +2.5, -1e-9
bool isNumber(std::string_view text) {
  std::size_t i = text.starts_with('-') || text.starts_with('+') ? 1 : 0, digits = 0;
  const auto pass = [&] {
    while (i < text.size() && isDigit(text[i])) ++i, ++digits;
  };
  pass();
  if (i < text.size() && text[i] == '.') {
    ++i;
    pass();
  }
  if (digits == 0) return false;
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    ++i;
    if (i < text.size() && (text[i] == '-' || text[i] == '+')) ++i;
    digits = 0;
    pass();
  }
  return digits > 0 && i == text.size();
}

bool startsFormula(std::string_view text) {
  return !text.empty() && std::string_view("=+-@\t\r").find(text.front()) != std::string_view::npos;
}

std::string_view withoutApostrophes(std::string_view text) {
  while (text.starts_with('\'')) text.remove_prefix(1);
  return text;
}

}  // namespace

std::string csvField(std::string_view text) {
  const bool defused =
      text.starts_with('\'') ? startsFormula(withoutApostrophes(text)) : startsFormula(text) && !isNumber(text);
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
