#include "app/cli/module_input.h"

#include <fmt/format.h>

#include <filesystem>
#include <tuple>

#include "app/cli/report.h"
#include "app/engine/answers.h"
#include "app/engine/pasted_module.h"
#include "app/engine/pasted_program.h"
#include "core/hlo/notation.h"
#include "core/worksheet/language/place.h"

namespace tessera {

bool isModuleInput(const std::string& word) {
  std::error_code ignored;
  if (word.size() > 4096 || !std::filesystem::is_regular_file(word, ignored)) return false;
  if (word.ends_with(".hlo")) return true;
  if (!word.ends_with(".txt")) return false;
  const auto text = readFile(word);
  return text && isModuleFile(word, *text);
}

std::optional<hlo::Listing> readModuleInput(const std::string& file, std::string text, bool& wrong) {
  const std::string whole = text;
  auto listing = hlo::readListing(blockNameOf(file), std::move(text));
  if (!listing) {
    complain(fmt::format("tessera: '{}': {}", file, printDiag(listing.error(), whole, LineIndex(whole))));
    return std::nullopt;
  }
  for (const hlo::Problem& p : listing->module->problems) complain(fmt::format("tessera: '{}': {}", file, textOf(p)));
  wrong = wrong || !listing->module->problems.empty();
  return *std::move(listing);
}

std::optional<Drawn> drawModuleText(const std::string& file, const std::string& text,
                                    const DrawCommandOptions& options) {
  Drawn drawn;
  const auto listing = readModuleInput(file, text, drawn.failed);
  if (!listing) return std::nullopt;
  ShowRequest show;
  show.name = listing->name;
  show.value = Value(Layout(*listing));
  if (!options.instruction.empty()) {
    const auto part = hlo::findPart(*listing, options.instruction);
    if (!part) {
      complain("tessera: " + printDiag(hlo::noSuchPart(*listing, options.instruction), ""));
      return std::nullopt;
    }
    show.name = fmt::format("{}.%{}", listing->name, part->name());
    show.value = Value(Layout(*part));
  }
  std::tie(show.view, show.arguments) = viewWords(options.view);
  Started started;
  started.outcome.statement.kind = StatementKind::Show;
  started.request = std::move(show);
  EngineOptions engine;
  engine.prove.budgetSeconds = options.common.budgetSeconds;
  engine.prove.cancel = &interrupted();
  Outcome outcome = answered(std::move(started), engine, JobContext{&interrupted(), {}});
  if (outcome.diag) {
    complain("error: " + printDiag(*outcome.diag, ""));
    drawn.failed = true;
  }
  if (outcome.figure) drawn.figures.push_back(*std::move(outcome.figure));
  return drawn;
}

}  // namespace tessera
