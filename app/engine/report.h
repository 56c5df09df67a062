// report: a whole sheet as Markdown: its comments as text, its statements as code, and below each statement its value,
// verdict, error and picture.
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
#include <string>
#include <vector>

#include "app/engine/engine.h"

namespace tessera {

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

[[nodiscard]] Report reportOf(const ReportInput& input);

// "S as grid" -> "s-as-grid": letters, digits and hyphens, at most 40.
[[nodiscard]] std::string fileNameOf(std::string_view title);

}  // namespace tessera
