#include "app/cli/io/module_input.h"

#include <fmt/format.h>

#include <filesystem>

#include "app/cli/io/report.h"
#include "core/hlo/notation.h"
#include "core/paste/blocks.h"
#include "core/worksheet/value.h"

namespace tessera {

bool isModuleInput(const std::string& word) {
  if (word.ends_with(".hlo")) return namesFile(word);
  std::error_code ignored;
  if (!word.ends_with(".txt") || !std::filesystem::is_regular_file(word, ignored)) return false;
  const auto text = readFile(word);
  return text && isModuleFile(word, *text);
}

std::optional<hlo::Listing> readModuleInput(const std::string& file, std::string text, bool& wrong,
                                            const Complaints& complaints) {
  const std::string whole = text;
  auto listing = withinBudget(
      kReadSeconds, [&] { return hlo::readListing(blockNameOf(file), std::move(text)); }, "a smaller dump");
  if (!listing) {
    complaints.in(file, listing.error(), whole);
    return std::nullopt;
  }
  for (const hlo::Problem& p : listing->module->problems) {
    if (complaints.json())
      complaints.in(file, p.diag, whole);
    else
      complaints.say(fmt::format("'{}': {}", file, textOf(p)));
  }
  wrong = wrong || !listing->module->problems.empty();
  return *std::move(listing);
}

std::optional<Drawn> drawModuleText(const std::string& file, const std::string& text, const DrawCommandOptions& options,
                                    const Complaints& wrong) {
  Drawn drawn;
  const auto listing = readModuleInput(file, text, drawn.failed, wrong);
  if (!listing) return std::nullopt;
  ShowRequest show;
  show.name = listing->name;
  show.value = Value(Layout(*listing));
  if (!options.instruction.empty()) {
    const auto part = hlo::findPart(*listing, options.instruction);
    if (!part) {
      wrong.say(hlo::noSuchPart(*listing, options.instruction));
      return std::nullopt;
    }
    show.name = fmt::format("{}.%{}", listing->name, part->name());
    show.value = Value(Layout(*part));
  }
  (void)drawShow(std::move(show), options, wrong, drawn);
  return drawn;
}

}  // namespace tessera
