// tessera draw: writes the picture of an expression, or of every show of a worksheet, to files. OUT's extension selects
// the ink.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <tuple>

#include "app/cli/commands.h"
#include "app/cli/commands/draw_program.h"
#include "app/cli/commands/draw_report.h"
#include "app/cli/io/module_input.h"
#include "app/cli/io/report.h"
#include "app/engine/engine.h"
#include "app/engine/json.h"
#include "app/engine/paste/pasted.h"
#include "core/paste/blocks.h"
#include "core/worksheet/language/place.h"
#include "render/figure/compared.h"
#include "render/ink/ink.h"

namespace tessera {
namespace {

// The figures of all shows; without one, the picture of the last value.
Drawn figuresOf(std::string_view text, const DrawCommandOptions& options, const Complaints& wrong) {
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
      wrong.at(*outcome.diag, text, index);
      drawn.failed = true;
    }
    if (outcome.verdict && outcome.verdict->truth != Truth::Proved) {
      wrong.verdict(outcome, index);
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
    if (!drawn.failed) wrong.say("nothing to draw: there is no expression and no show");
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
    wrong.at(diag, text, index);
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

// A file, standard input, or the statements themselves; read once.
struct DrawInput {
  std::string name, text;
  bool isFile = false;
  [[nodiscard]] bool module() const { return isFile && isModuleFile(name, text); }
  [[nodiscard]] bool program() const { return isProgramInput(isFile ? name : "", text); }
};

// nullopt after reporting that it cannot be read.
std::optional<DrawInput> readInput(const std::string& input, const Complaints& wrong) {
  const bool isFile = namesFile(input);
  auto text = isFile ? readFile(input) : Result<std::string>(input);
  if (text) return DrawInput{input, *std::move(text), isFile};
  wrong.say(text.error());
  return std::nullopt;
}

// The text of a worksheet, or another tool's text as one; nullopt after reporting that it cannot be read.
std::optional<std::string> sheetOf(const DrawInput& input, const Complaints& wrong) {
  if (input.name.ends_with(".tess")) return input.text;
  auto sheet = asWorksheet(input.text, {});
  if (sheet) return std::move(sheet->text);
  wrong.at(sheet.error(), input.text, LineIndex(input.text));
  return std::nullopt;
}

// nullopt after reporting that the input cannot be read.
std::optional<Drawn> picturesOf(const DrawInput& input, const DrawCommandOptions& options, const Complaints& wrong) {
  const bool module = input.module();
  if (!module && !options.instruction.empty()) {
    wrong.say("--instruction is for .hlo files");
    return std::nullopt;
  }
  if (module && options.settings.empty()) return drawModuleText(input.name, input.text, options, wrong);
  if (input.program()) return drawProgramText(input.name, input.text, options, wrong);
  if (!options.settings.empty()) {
    wrong.say("--set is for .graphene programs");
    return std::nullopt;
  }
  const auto sheet = sheetOf(input, wrong);
  if (!sheet) return std::nullopt;
  return figuresOf(*sheet, options, wrong);
}

// Replaces each picture by the comparison with its counterpart. Returns false, with a message, if the numbers of
// pictures differ.
bool compareWith(Drawn& drawn, const Drawn& other, const std::string& format, const Complaints& wrong) {
  drawn.failed |= other.failed;
  if (drawn.figures.size() != other.figures.size() && !drawn.failed) {
    wrong.say(fmt::format("cannot compare {} pictures with {}", drawn.figures.size(), other.figures.size()));
    return false;
  }
  drawn.figures.resize(std::min(drawn.figures.size(), other.figures.size()));
  for (std::size_t k = 0; k < drawn.figures.size(); ++k)
    drawn.figures[k] = comparisonFor(format, drawn.figures[k], other.figures[k]);
  return true;
}

// Options of pictures.
std::vector<const char*> pictureOptions(const DrawCommandOptions& options) {
  std::vector<const char*> out;
  if (!options.view.empty()) out.push_back("--as");
  if (!options.against.empty()) out.push_back("--against");
  if (!options.instruction.empty()) out.push_back("--instruction");
  if (!options.settings.empty()) out.push_back("--set");
  return out;
}

// The whole worksheet as Markdown, or as HTML.
int reportOn(const DrawInput& input, const DrawCommandOptions& options, const Complaints& wrong, Output& out) {
  const auto refused = [&](std::string message, const char* hint) {
    wrong.say(Diag{std::move(message), "a worksheet", hint});
    return kExitUnreadable;
  };
  for (const char* name : pictureOptions(options))
    return refused(fmt::format("a report has no {}", name), "show X as VIEW in the worksheet");
  if (input.module()) return refused("a report is of a worksheet, not of a module", "hlo NAME { ... } in a .tess file");
  if (input.program())
    return refused("a report is of a worksheet, not of a program", "graphene NAME { ... } in a .tess file");
  const auto sheet = sheetOf(input, wrong);
  return sheet ? drawReport(*sheet, options, wrong, out) : kExitUnreadable;
}

}  // namespace

int runDraw(const DrawCommandOptions& options, Output& out) {
  std::string ending = std::filesystem::path(options.output).extension().string();
  if (!ending.empty()) ending.erase(0, 1);
  const Complaints wrong(options.common.json, out);
  const auto input = readInput(options.input, wrong);
  if (!input) return kExitUnreadable;
  const bool page = isPage(options.output);
  const bool sheet = pictureOptions(options).empty() && !input->module() && !input->program();
  if (ending == "md" || (page && sheet)) return reportOn(*input, options, wrong, out);
  auto drawn = picturesOf(*input, options, wrong);
  if (!drawn) return kExitUnreadable;
  if (!options.against.empty()) {
    const auto against = readInput(options.against, wrong);
    const auto other = against ? picturesOf(*against, options, wrong) : std::nullopt;
    if (!other || !compareWith(*drawn, *other, ending, wrong)) return kExitUnreadable;
  }
  if (page) {
    std::vector<ReportPart> parts;
    for (Figure& figure : drawn->figures) {
      parts.push_back({.kind = ReportPart::Kind::Picture});
      parts.back().figure = std::make_shared<const Figure>(std::move(figure));
    }
    const int written = writePage(titleOf({}, options.output), parts, options, wrong, out);
    return written == kExitOk && drawn->failed ? kExitFailed : written;
  }
  InkOptions inkOptions;
  inkOptions.theme = options.dark ? Theme::Dark : Theme::Light;
  inkOptions.scale = options.scale;
  inkOptions.transparent = options.transparent;
  for (std::size_t k = 0; k < drawn->figures.size() && !interrupted().load(); ++k) {
    const auto bytes = ink(drawn->figures[k], ending, inkOptions);
    const std::string file = numbered(options.output, k, drawn->figures.size());
    const auto written = bytes ? writeFile(file, *bytes) : Result<void>(bytes.error());
    if (!written) {
      wrong.say(written.error());
      return kExitUnreadable;
    }
    if (options.common.json) {
      (void)out.line(jsonOfPicture(bytes->size()));
    } else if (drawn->figures.size() > 1) {
      (void)out.line(file);
    }
  }
  return drawn->failed ? kExitFailed : kExitOk;
}

}  // namespace tessera
