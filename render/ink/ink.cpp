#include "render/ink/ink.h"

#include <fmt/format.h>

#include <string>

#include "render/ink/inks.h"

namespace tessera {
namespace {

struct Ink {
  std::string_view format;
  Result<std::string> (*print)(const Figure&, const InkOptions&);
};

constexpr Ink kInks[] = {
    {"svg", inkSvg}, {"png", inkPng}, {"pdf", inkPdf},   {"tex", inkTex},
    {"txt", inkTxt}, {"csv", inkCsv}, {"json", inkJson},
};

}  // namespace

Result<std::string> ink(const Figure& figure, std::string_view format, const InkOptions& options) {
  std::string known;
  for (const Ink& i : kInks) {
    if (i.format == format) return i.print(figure, options);
    known += (known.empty() ? "" : ", ") + std::string(i.format);
  }
  return Diag{fmt::format("no ink writes \"{}\"", format), "one of " + known};
}

}  // namespace tessera
