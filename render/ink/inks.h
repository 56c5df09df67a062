// The inks, one function per format; ink.cpp has the table of their names.
#pragma once

#include <string>

#include "core/base/result.h"
#include "render/figure/figure.h"
#include "render/ink/ink.h"

namespace tessera {

[[nodiscard]] Result<std::string> inkSvg(const Figure& figure, const InkOptions& options);
[[nodiscard]] Result<std::string> inkPng(const Figure& figure, const InkOptions& options);
[[nodiscard]] Result<std::string> inkPdf(const Figure& figure, const InkOptions& options);
[[nodiscard]] Result<std::string> inkTex(const Figure& figure, const InkOptions& options);
[[nodiscard]] Result<std::string> inkTxt(const Figure& figure, const InkOptions& options);
[[nodiscard]] Result<std::string> inkCsv(const Figure& figure, const InkOptions& options);
[[nodiscard]] Result<std::string> inkJson(const Figure& figure, const InkOptions& options);

}  // namespace tessera
