// value: a card for values without a picture of their own (a text, a tiler, places and coordinates): the kind, and the
// text line by line, readable and exportable.
//
//     show wavefronts(S, ldmatrix.x4, fp16)      a text
//                                                {wavefronts: 64, ideal: 64, excess: 0}
#include <algorithm>

#include "app/show/show.h"
#include "render/draw/grid/layouts.h"
#include "render/draw/grid/modes.h"

namespace tessera {
namespace {

constexpr double kWidth = 640;
constexpr std::size_t kMostLines = 200;

}  // namespace

Result<Figure> drawCard(const Value& value, const DrawOptions& options) {
  TESSERA_CHECKED(expectNoWords(options.arguments, "value"));
  const std::string noun(nounOf(value));
  Figure figure = titledFigure(options.name.empty() || options.name.size() > 60 ? noun : options.name, noun);
  const std::string whole = print(value);
  figure.table = {{"kind", "value"}, {kindOf(value), whole}};
  double y = 12;
  std::size_t lines = 0;
  for (std::size_t from = 0; from <= whole.size() && lines < kMostLines; ++lines) {
    const std::size_t end = std::min(whole.find('\n', from), whole.size());
    y = addParagraph(figure, 0, y, whole.substr(from, std::min<std::size_t>(end - from, 4096)),
                     {kWidth, 22, 14, Face::Mono, Role::Text});
    from = end + 1;
  }
  fitSize(figure);
  return figure;
}

}  // namespace tessera
