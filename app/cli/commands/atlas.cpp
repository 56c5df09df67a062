// tessera atlas: lists the table of instructions, or prints one row as text, JSON or a picture.
#include "core/atlas/atlas.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "app/cli/commands.h"
#include "app/cli/io/report.h"
#include "app/show/show.h"
#include "core/base/chars.h"
#include "core/worksheet/value.h"
#include "render/ink/ink.h"

namespace tessera {
namespace {

bool matches(const AtlasRow& row, const AtlasOptions& options) {
  if (!options.architecture.empty() && !runsOn(row.architecture, options.architecture)) return false;
  const std::string part = lowerCase(options.name);
  const auto has = [&](const std::string& text) { return lowerCase(text).find(part) != std::string::npos; };
  return has(row.name) || name(row.family) == part || std::ranges::any_of(row.aliases, has);
}

// One line per row, in columns, with the family as a heading.
int list(const std::vector<const AtlasRow*>& rows, const AtlasOptions& options, Output& out) {
  std::size_t width = 0;
  for (const AtlasRow* row : rows) width = std::max(width, row->name.size());
  const AtlasRow* before = nullptr;
  for (const AtlasRow* row : rows) {
    if (options.json) {
      if (!out.line(jsonOf(*row))) break;
      continue;
    }
    if (before == nullptr || before->family != row->family) {
      if (!out.line(fmt::format("{}{}", before == nullptr ? "" : "\n", name(row->family)))) break;
    }
    before = row;
    std::string operands;
    for (const AtlasOperand& o : row->operands) operands += (operands.empty() ? "" : " ") + o.name;
    if (!out.line(
            fmt::format("  {:{}}  {:<22}  {:<18}  {}", row->name, width, row->shape, row->architecture, operands)))
      break;
  }
  return kExitOk;
}

void describe(const AtlasRow& row, Output& out) {
  (void)out.line(
      fmt::format("{}\n  {}, {}, {}\n  {}", row.name, name(row.family), row.architecture, row.shape, row.ptx));
  for (const AtlasOperand& o : row.operands) {
    (void)out.line(fmt::format("  {:<4} {:>4} x {:<4} {:<5} {}", o.name, o.rows, o.columns, o.element, o.layout));
  }
  for (const AtlasOperand& o : row.operands) {
    if (o.access) (void)out.line(fmt::format("  access: {} {}", o.name, print(*o.access)));
  }
  if (!row.aliases.empty()) (void)out.line(fmt::format("  also {}", fmt::join(row.aliases, ", ")));
  (void)out.line("  " + row.source);
  if (!row.note.empty()) (void)out.line("  " + row.note);
}

int refuse(const Diag& diag, const AtlasOptions& options, Output& out, int exit = kExitUnreadable) {
  Complaints(options.json, out).say(diag);
  return exit;
}

int drawRow(const AtlasRow& row, const AtlasOptions& options, Output& out) {
  std::string ending = std::filesystem::path(options.output).extension().string();
  if (!ending.empty()) ending.erase(0, 1);
  const auto figure = draw(Value(row), "instruction");
  if (!figure) return refuse(figure.error(), options, out, kExitFailed);
  InkOptions ink;
  ink.scale = 2;
  const auto bytes = tessera::ink(*figure, ending, ink);
  const auto written = bytes ? writeFile(options.output, *bytes) : Result<void>(bytes.error());
  if (!written) return refuse(written.error(), options, out);
  if (options.json) (void)out.line(jsonOfPicture(bytes->size()));
  return kExitOk;
}

}  // namespace

int runAtlas(const AtlasOptions& options, Output& out) {
  std::vector<const AtlasRow*> found;
  for (const AtlasRow& row : atlas())
    if (matches(row, options)) found.push_back(&row);
  if (!options.name.empty()) {
    const auto exact = options.architecture.empty() ? findInstruction(options.name)
                                                    : findInstruction(options.name, options.architecture);
    if (exact && !options.output.empty()) return drawRow(*exact, options, out);
    if (exact) {
      if (options.json) {
        (void)out.line(jsonOf(*exact));
      } else {
        describe(*exact, out);
      }
      return kExitOk;
    }
    if (!found.empty() && options.output.empty()) return list(found, options, out);
    return refuse(exact.error(), options, out);
  }
  if (!options.output.empty())
    return refuse({"-o draws one instruction: tessera atlas NAME -o OUT", "a name", "", {}}, options, out);
  if (!found.empty()) return list(found, options, out);
  return refuse(
      {fmt::format("no instruction runs on '{}'; sm_70 to sm_120a, gfx908 to gfx1250 are known", options.architecture),
       "an architecture such as sm_90a",
       "",
       {}},
      options, out);
}

}  // namespace tessera
