// tessera draw: an expression, or every show of a worksheet, as files. OUT's ending picks the ink.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <tuple>

#include "app/cli/commands.h"
#include "app/cli/draw_program.h"
#include "app/cli/json.h"
#include "app/cli/module_input.h"
#include "app/cli/report.h"
#include "app/engine/engine.h"
#include "app/engine/pasted_module.h"
#include "core/worksheet/language/place.h"
#include "render/figure/beside.h"
#include "render/ink/ink.h"

namespace tessera {
namespace {

void complainAt(const Diag& diag, std::string_view text, const LineIndex& index) {
  complain("error: " + printDiag(diag, text, index));
}

// The figures of all shows; without one, the picture of the last value.
Drawn figuresOf(std::string_view text, const DrawCommandOptions& options) {
  Drawn drawn;
  const LineIndex index(text);
  EngineOptions engine;
  engine.prove.budgetSeconds = options.common.budgetSeconds;
  engine.prove.cancel = &interrupted();
  Scope scope;
  std::optional<Outcome> last;
  for (const Statement& statement : splitStatements(text)) {
    if (interrupted().load()) break;
    Outcome outcome = runStatement(statement, scope, engine);
    if (outcome.diag) {
      complainAt(*outcome.diag, text, index);
      drawn.failed = true;
    }
    if (outcome.verdict && outcome.verdict->truth != Truth::Proved) {
      complain(textOf(*outcome.verdict));
      drawn.failed = true;
    }
    if ((statement.kind == StatementKind::Show || statement.kind == StatementKind::Run) && outcome.figure) {
      drawn.figures.push_back(*std::move(outcome.figure));
    } else if (outcome.value || outcome.verdict || outcome.operation) {
      last = std::move(outcome);
    }
  }
  if (!drawn.figures.empty()) return drawn;
  if (!last) {
    if (!drawn.failed) complain("tessera: there is nothing to draw: no expression and no show");
    drawn.failed = true;
    return drawn;
  }
  DrawOptions how;
  how.name = last->statement.kind == StatementKind::Bind ? last->statement.name : "";
  std::string view;
  std::tie(view, how.arguments) = viewWords(options.view);
  if (auto figure = drawOutcome(*last, view, how)) {
    drawn.figures.push_back(*std::move(figure));
  } else if (!last->diag) {
    Diag diag = figure.error();
    diag.span = last->statement.span;
    complainAt(diag, text, index);
    drawn.failed = true;
  }
  return drawn;
}

std::string numbered(const std::string& output, std::size_t k, std::size_t count) {
  if (count == 1) return output;
  const std::filesystem::path path(output);
  return (path.parent_path() / (path.stem().string() + "-" + std::to_string(k + 1) + path.extension().string()))
      .string();
}

bool isFile(const std::string& input) {
  std::error_code ignored;
  return input == "-" || (input.size() < 4096 && std::filesystem::is_regular_file(input, ignored));
}

// A file's text, or the statements themselves; nothing when it cannot be read, and that was said.
std::optional<std::string> textOfInput(const std::string& input) {
  if (!isFile(input)) return input;
  auto document = readFile(input);
  if (!document) {
    complain("tessera: " + document.error().message);
    return std::nullopt;
  }
  return *std::move(document);
}

// The pictures of a file, of what comes in, or of the statements themselves; nothing when it cannot be read.
std::optional<Drawn> picturesOf(const std::string& input, const DrawCommandOptions& options) {
  const auto text = textOfInput(input);
  if (!text) return std::nullopt;
  const bool module = isFile(input) && isModuleFile(input, *text);
  if (!module && !options.instruction.empty()) {
    complain("tessera: --instruction is for .hlo files");
    return std::nullopt;
  }
  if (module && options.settings.empty()) return drawModuleText(input, *text, options);
  if (isProgramInput(isFile(input) ? input : "", *text)) return drawProgramText(input, *text, options);
  if (!options.settings.empty()) {
    complain("tessera: --set is for .graphene programs");
    return std::nullopt;
  }
  return figuresOf(*text, options);
}

// Each picture becomes the comparison with its counterpart; false when there are more of one kind, and that was said.
bool compareWith(Drawn& drawn, const Drawn& other, const std::string& format) {
  drawn.failed |= other.failed;
  if (drawn.figures.size() != other.figures.size() && !drawn.failed) {
    complain(fmt::format("tessera: there are {} pictures, and {} to compare them with", drawn.figures.size(),
                         other.figures.size()));
    return false;
  }
  drawn.figures.resize(std::min(drawn.figures.size(), other.figures.size()));
  for (std::size_t k = 0; k < drawn.figures.size(); ++k)
    drawn.figures[k] = comparisonFor(format, drawn.figures[k], other.figures[k]);
  return true;
}

}  // namespace

int runDraw(const DrawCommandOptions& options, Output& out) {
  std::string ending = std::filesystem::path(options.output).extension().string();
  if (!ending.empty()) ending.erase(0, 1);
  auto pictures = picturesOf(options.input, options);
  if (!pictures) return kExitUnreadable;
  Drawn drawn = *std::move(pictures);
  if (!options.against.empty()) {
    const auto other = picturesOf(options.against, options);
    if (!other || !compareWith(drawn, *other, ending)) return kExitUnreadable;
  }
  InkOptions inkOptions;
  inkOptions.theme = options.dark ? Theme::Dark : Theme::Light;
  inkOptions.scale = options.scale;
  inkOptions.transparent = options.transparent;
  for (std::size_t k = 0; k < drawn.figures.size() && !interrupted().load(); ++k) {
    auto bytes = ink(drawn.figures[k], ending, inkOptions);
    if (!bytes) {
      complain("tessera: " + printDiag(bytes.error(), ""));
      return kExitUnreadable;
    }
    const std::string file = numbered(options.output, k, drawn.figures.size());
    if (auto written = writeFile(file, *bytes); !written) {
      complain("tessera: " + written.error().message);
      return kExitUnreadable;
    }
    if (options.common.json) {
      (void)out.line(jsonOfPicture(bytes->size()));
    } else if (drawn.figures.size() > 1) {
      (void)out.line(file);
    }
  }
  return drawn.failed ? kExitFailed : kExitOk;
}

}  // namespace tessera
