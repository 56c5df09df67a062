#include "app/cli/io/report.h"

#include <fmt/format.h>

namespace tessera {

void Complaints::at(const Diag& diag, std::string_view text, const LineIndex& index) const {
  if (json_)
    (void)out_.line(jsonOf(diag, index, JsonPlace{}));
  else
    complain("error: " + printDiag(diag, text, index));
}

void Complaints::say(const Diag& diag) const {
  if (json_)
    (void)out_.line(jsonOf(diag, LineIndex(""), JsonPlace{}));
  else
    complain("tessera: " + printDiag(diag, ""));
}

void Complaints::in(const std::string& file, const Diag& diag, std::string_view text) const {
  const LineIndex index(text);
  if (json_)
    (void)out_.line(jsonOf(diag, index, JsonPlace{file, 0}));
  else
    complain(fmt::format("tessera: '{}': {}", file, printDiag(diag, text, index)));
}

void Complaints::verdict(const Outcome& outcome, const LineIndex& index) const {
  if (json_)
    (void)out_.line(jsonOf(outcome, index, JsonPlace{}));
  else
    complain(textOf(*outcome.verdict));
}

}  // namespace tessera
