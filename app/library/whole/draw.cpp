#include "app/engine/report/report.h"
#include "app/library/whole/inside.h"
#include "app/show/show.h"
#include "core/worksheet/value.h"
#include "render/ink/ink.h"

namespace tessera::api {
namespace {

tessera::Result<std::string> inked(const Figure& figure, const Picture& picture) {
  if (picture.format == "html") {
    ReportPart part{.kind = ReportPart::Kind::Picture};
    part.figure = std::make_shared<const Figure>(figure);
    return htmlOf(figure.title, {part});
  }
  const Theme theme = picture.dark ? Theme::Dark : Theme::Light;
  return ink(figure, picture.format, {theme, picture.scale, picture.frame, picture.transparent});
}

// The whole worksheet, with what is refuted or wrong in it.
tessera::Result<std::string> pageOf(std::string_view text, const Options& options) {
  EngineOptions engine = engineOptions(options, EngineOptions::Figures::Bare);
  ReportInput input;
  input.text = text;
  Scope scope;
  for (const Statement& statement : splitStatements(text))
    input.outcomes.push_back(std::make_shared<const Outcome>(runStatement(statement, scope, engine)));
  const std::vector<ReportPart> parts = partsOf(input);
  return htmlOf(titleOf(parts, "worksheet"), parts);
}

tessera::Result<std::string> lastPicture(std::string_view text, const Picture& picture, const Options& options) {
  const EngineOptions engine = engineOptions(options, EngineOptions::Figures::Asked);
  Scope scope;
  std::optional<Outcome> last;
  std::optional<Figure> shown;
  for (const Statement& statement : splitStatements(text)) {
    Outcome outcome = runStatement(statement, scope, engine);
    if (outcome.diag) return *std::move(outcome.diag);
    if (statement.kind == StatementKind::Show && outcome.figure) {
      shown = std::move(outcome.figure);
    } else if (outcome.value || outcome.verdict || outcome.operation) {
      last = std::move(outcome);
    }
  }
  if (shown) return inked(*shown, picture);
  if (!last) return Diag{"there is nothing to draw", "an expression or a show"};
  auto [view, words] = viewWords(picture.view);
  const bool bound = last->statement.kind == StatementKind::Bind && picture.name.empty();
  DrawOptions how;
  how.name = bound ? last->statement.name : picture.name;
  how.arguments = std::move(words);
  TESSERA_TRY(const Figure figure, drawOutcome(*last, view, how));
  return inked(figure, picture);
}

}  // namespace

Result<std::string> draw(const Layout& layout, const Picture& picture, const Options& options) {
  return guarded<std::string>(options, {}, [&]() -> tessera::Result<std::string> {
    auto [view, words] = viewWords(picture.view);
    DrawOptions how;
    how.name = picture.name;
    how.arguments = std::move(words);
    TESSERA_TRY(const Figure figure, tessera::draw(Value(Access::valueOf(layout)), view, how));
    return inked(figure, picture);
  });
}

Result<std::string> draw(std::string_view worksheet, const Picture& picture, const Options& options) {
  return guarded<std::string>(options, worksheet, [&] {
    return picture.format == "html" && picture.view.empty() ? pageOf(worksheet, options)
                                                            : lastPicture(worksheet, picture, options);
  });
}

std::vector<std::string> viewsOf(const Layout& layout) {
  return guarded<std::vector<std::string>>(
             {}, {},
             [&]() -> tessera::Result<std::vector<std::string>> {
               std::vector<std::string> out;
               for (const std::string_view view : viewsFor(Value(Access::valueOf(layout)))) out.emplace_back(view);
               return out;
             })
      .valueOr({});
}

}  // namespace tessera::api
