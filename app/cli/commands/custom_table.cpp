#include "app/cli/commands/custom_table.h"

#include "app/cli/commands.h"

namespace tessera {

std::optional<hlo::CustomCalls> customCallsIn(const std::string& file, const Complaints& wrong) {
  if (file.empty()) return hlo::CustomCalls();
  const auto text = readFile(file);
  if (!text) {
    wrong.say(text.error(), file);
    return std::nullopt;
  }
  auto calls = hlo::CustomCalls::parse(*text);
  if (calls) return *std::move(calls);
  wrong.in(file, calls.error(), *text);
  return std::nullopt;
}

}  // namespace tessera
