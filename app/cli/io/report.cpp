#include "app/cli/io/report.h"

namespace tessera {

void Complaints::report(const std::string& lead, const Diag& diag, std::string_view text, const LineIndex& index,
                        const std::string& file) const {
  if (json_)
    (void)out_.line(jsonOf(diag, index, JsonPlace{file, 0}));
  else
    complain(lead + printDiag(diag, text, index));
}

void Complaints::verdict(const Outcome& outcome, const LineIndex& index) const {
  if (json_)
    (void)out_.line(jsonOf(outcome, index, JsonPlace{}));
  else
    complain(textOf(*outcome.verdict));
}

}  // namespace tessera
