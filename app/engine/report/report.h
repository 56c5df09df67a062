// report: a whole sheet as Markdown or as one HTML file: its comments as text, its statements as code, and below each
// statement its value, verdict, error and picture.
//
//     // # Swizzles                          # Swizzles
//     S = Sw<3,3,3> o (64,64):(64,1)         ```
//     prove injective(S)                     S = Sw<3,3,3> o (64,64):(64,1)
//     show S as grid                         ```
//                                            ...
//                                            **proved** `injective(S)` (F2 rank)
//                                            ![S as grid](sheet_pictures/1-s-as-grid.svg)
//
// Laws: every statement and every comment of the sheet is in the report, in order. Every picture of an outcome is in
// `pictures` and is linked once. Prints no times, so the same sheet gives the same report.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/engine/engine.h"

namespace tessera {

// A part of a report, in the order of the sheet.
struct ReportPart {
  enum class Kind : unsigned char {
    Prose,
    Code,
    Pending,
    Error,
    Verdict,
    Task,
    Value,
    Holds,
    Picture
  } kind = Kind::Prose;
  // Prose: light Markdown; Code: statements; Error: the message; Task: its title; Value.
  std::string text = {};
  std::optional<Verdict> verdict = {};        // Verdict; Task: of its claim
  bool solved = false;                        // Task
  std::shared_ptr<const Figure> figure = {};  // Picture
};

struct ReportInput {
  std::string text;                                      // of the sheet
  std::vector<std::shared_ptr<const Outcome>> outcomes;  // of its statements, with the figures as seen
  std::string folder;                                    // of the pictures, relative to the report
};

struct ReportPicture {
  std::string file;  // "sheet_pictures/1-s-as-grid.svg"
  Figure figure;
};

struct Report {
  std::string markdown;
  std::vector<ReportPicture> pictures;
};

// The counterexample of a refutation, else the detail of the verdict.
[[nodiscard]] const std::string& whyOf(const Verdict& verdict);
[[nodiscard]] std::vector<ReportPart> partsOf(const ReportInput& input);
[[nodiscard]] Report reportOf(const ReportInput& input);
// One HTML file that needs nothing else: pictures with linked hover, pan and zoom, in the reader's theme, readable and
// printable without its script (app/engine/report/page.h).
[[nodiscard]] std::string htmlOf(const std::string& title, const std::vector<ReportPart>& parts);
[[nodiscard]] bool isPage(std::string_view file);  // its name ends in .html
// The first heading, else the name of the file without its ending.
[[nodiscard]] std::string titleOf(const std::vector<ReportPart>& parts, const std::string& file);

// "S as grid" -> "s-as-grid": letters, digits and hyphens, at most 40.
[[nodiscard]] std::string fileNameOf(std::string_view title);

}  // namespace tessera
