// Describes a position in a worksheet as text: an error with its hint, a name with its kind, value and binding line, a
// function's signature, an instruction's shape. Pure; displayed by the hover card.
//
//     S = Sw<3,3,3> o A        at A:      A   layout, line 1   = (8,64):(64,1)
//     composition(A, B)        at the c:  composition(A, B)    R(c) = A(B(c))
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/engine/engine.h"

namespace tessera {

struct HoverInfo {
  std::string title;               // as code
  std::vector<std::string> lines;  // description
  std::string value;               // complete, as printed; may be long
  std::string copies;              // text of the copy button if there is no value
  bool isError = false;
};

using Outcomes = std::span<const std::shared_ptr<const Outcome>>;

// outcomes: of this text.
[[nodiscard]] std::optional<HoverInfo> hoverInfo(std::string_view text, std::size_t byte, Outcomes outcomes);
// The value of the statement that starts on that line.
[[nodiscard]] std::optional<HoverInfo> valueInfo(Outcomes outcomes, int line);

}  // namespace tessera
