#include "app/cli/commands/draw_report.h"

#include <algorithm>

#include "app/engine/report/report.h"
#include "app/files/report_file.h"
#include "core/worksheet/language/place.h"
#include "render/ink/ink.h"

namespace tessera {
int writePage(const std::string& title, const std::vector<ReportPart>& parts, const DrawCommandOptions& options,
              const Complaints& wrong, Output& out) {
  const std::string page = htmlOf(title, parts);
  if (const auto written = writeFile(options.output, page); !written) {
    wrong.say(written.error());
    return kExitUnreadable;
  }
  const auto pictures =
      std::ranges::count_if(parts, [](const ReportPart& p) { return p.kind == ReportPart::Kind::Picture; });
  if (options.common.json) (void)out.line(jsonOfReport(page.size(), static_cast<std::size_t>(pictures)));
  return kExitOk;
}

int drawReport(std::string_view sheet, const DrawCommandOptions& options, const Complaints& wrong, Output& out) {
  const LineIndex index(sheet);
  EngineOptions engine;
  engine.prove.budgetSeconds = options.common.budgetSeconds;
  engine.prove.cancel = &interrupted();
  engine.figures = EngineOptions::Figures::Bare;  // as in the window
  ReportInput input{std::string(sheet), {}, pictureFolderOf(options.output)};
  bool failed = false;
  Scope scope;
  for (const Statement& statement : splitStatements(sheet)) {
    if (interrupted().load()) return kExitFailed;
    const auto outcome = std::make_shared<const Outcome>(runStatement(statement, scope, engine));
    if (outcome->diag) wrong.at(*outcome->diag, sheet, index);
    const bool open = outcome->verdict && outcome->verdict->truth != Truth::Proved;
    if (open) wrong.verdict(*outcome, index);
    failed = failed || outcome->diag || open;
    input.outcomes.push_back(outcome);
  }
  if (partsOf(input).empty()) {
    wrong.say("nothing to report: there is no statement and no comment");
    return kExitFailed;
  }
  if (isPage(options.output)) {
    const std::vector<ReportPart> parts = partsOf(input);
    const int written = writePage(titleOf(parts, options.output), parts, options, wrong, out);
    return written == kExitOk && failed ? kExitFailed : written;
  }
  const Report report = reportOf(input);
  InkOptions look;
  look.theme = options.dark ? Theme::Dark : Theme::Light;
  look.transparent = options.transparent;
  std::vector<ReportFile> pictures;
  for (const ReportPicture& picture : report.pictures) {
    auto bytes = ink(picture.figure, "svg", look);
    if (!bytes) {
      wrong.say(bytes.error());
      return kExitUnreadable;
    }
    pictures.push_back({picture.file, *std::move(bytes)});
  }
  if (const auto written = writeReport(options.output, report.markdown, pictures); !written) {
    wrong.say(written.error());
    return kExitUnreadable;
  }
  for (const ReportFile& picture : pictures)
    if (options.common.json) (void)out.line(jsonOfPicture(picture.bytes.size()));
  if (options.common.json) (void)out.line(jsonOfReport(report.markdown.size(), pictures.size()));
  return failed ? kExitFailed : kExitOk;
}

}  // namespace tessera
