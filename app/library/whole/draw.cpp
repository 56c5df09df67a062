#include <tuple>

#include "app/library/whole/inside.h"
#include "app/show/show.h"
#include "core/worksheet/value.h"
#include "render/ink/ink.h"

namespace tessera::api {
namespace {

tessera::Result<std::string> inked(const Figure& figure, const Picture& picture) {
  InkOptions how;
  how.theme = picture.dark ? Theme::Dark : Theme::Light;
  how.scale = picture.scale;
  how.frame = picture.frame;
  how.transparent = picture.transparent;
  return ink(figure, picture.format, how);
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
  DrawOptions how;
  how.name = last->statement.kind == StatementKind::Bind && picture.name.empty() ? last->statement.name : picture.name;
  std::string view;
  std::tie(view, how.arguments) = viewWords(picture.view);
  TESSERA_TRY(const Figure figure, drawOutcome(*last, view, how));
  return inked(figure, picture);
}

}  // namespace

Result<std::string> draw(const Layout& layout, const Picture& picture, const Options& options) {
  return guarded<std::string>(options, {}, [&]() -> tessera::Result<std::string> {
    DrawOptions how;
    how.name = picture.name;
    std::string view;
    std::tie(view, how.arguments) = viewWords(picture.view);
    TESSERA_TRY(const Figure figure, tessera::draw(Value(Access::valueOf(layout)), view, how));
    return inked(figure, picture);
  });
}

Result<std::string> draw(std::string_view worksheet, const Picture& picture, const Options& options) {
  return guarded<std::string>(options, worksheet, [&] { return lastPicture(worksheet, picture, options); });
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
