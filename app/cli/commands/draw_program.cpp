#include "app/cli/commands/draw_program.h"

#include <algorithm>
#include <tuple>

#include "app/engine/answers.h"
#include "app/engine/program/check_graphene.h"
#include "app/engine/program/check_program.h"
#include "core/graphene/reader/parameters.h"
#include "core/paste/blocks.h"
#include "core/worksheet/language/place.h"
#include "core/worksheet/value.h"

namespace tessera {

bool isProgramInput(std::string_view file, std::string_view text) {
  return file.ends_with(".graphene") || isProgram(text);
}

Outcome drawShow(ShowRequest show, const DrawCommandOptions& options, const Complaints& wrong, Drawn& drawn) {
  std::tie(show.view, show.arguments) = viewWords(options.view);
  Started started;
  started.outcome.statement.kind = StatementKind::Show;
  started.request = std::move(show);
  EngineOptions engine;
  engine.prove.budgetSeconds = options.common.budgetSeconds;
  engine.prove.cancel = &interrupted();
  Outcome outcome = answered(std::move(started), engine, JobContext{&interrupted()});
  if (outcome.diag) {
    wrong.at(*outcome.diag, "", LineIndex(""));
    drawn.failed = true;
  }
  if (outcome.figure) drawn.figures.push_back(*std::move(outcome.figure));
  return outcome;
}

std::optional<Drawn> drawProgramText(const std::string& file, const std::string& document,
                                     const DrawCommandOptions& options, const Complaints& wrong) {
  const auto changed = graphene::withSettingWords(document, options.settings);
  if (!changed) {
    wrong.at(changed.error(), document, LineIndex(document));
    return std::nullopt;
  }
  const std::string& text = *changed;
  const bool named = file.ends_with(".graphene");
  Result<graphene::Listing> listing = withinBudget(
      options.common.budgetSeconds, [&] { return graphene::readListing(named ? blockNameOf(file) : "program", text); });
  if (!listing) {
    wrong.at(listing.error(), text, LineIndex(text));
    return std::nullopt;
  }
  ShowRequest show;
  show.name = listing->name;
  show.value = Value(*std::move(listing));
  Drawn drawn;
  const Outcome outcome = drawShow(std::move(show), options, wrong, drawn);
  if (outcome.program.checked) {
    const auto& specs = outcome.program.checked->specs;
    if (std::ranges::any_of(specs, [](const auto& s) { return truthOf(s) != Truth::Proved; })) {
      wrong.say(countsOf(*outcome.program.checked));
      drawn.failed = true;
    }
  }
  return drawn;
}

}  // namespace tessera
