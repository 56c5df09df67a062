// Rows of 64 numbers pass through three stages with one mbarrier each for full and empty. Threads take the rows that
// one thread of the next warp keeps copying.
#pragma once

#include <string>
#include <utility>

namespace tessera::testing {

// takers: 32 or 64 threads, each of which takes 64/takers numbers of a row. The first of 32 further threads copies.
inline std::string barrierRing(int rows, int takers) {
  std::string text = R"(%x:[ROWS,64:64,1].fp16.GL  %y:[ROWS,64:64,1].fp16.GL
#grid:[1].block  #cta:[ALL].thread
%y <- Move<<<#grid,#cta>>>(%x) {
  %s:[3,64:64,1].fp16.SH
  %full:[3].mbarrier.SH  %empty:[3].mbarrier.SH
  @t = #cta.indices()
  #one = #cta.scalar()
  if (@t == 0) {
    for (st = 0; st < 3; st += 1) {
      %f = %full[st]  %e = %empty[st]
      mbarrier.init %f, 1
      mbarrier.init %e, TAKERS
    }
    fence.async
  }
  sync
  if (@t < TAKERS) {
    for (k = 0; k < ROWS; k += 1) {
      %f = %full[k%3]  %e = %empty[k%3]
      mbarrier.wait %f, (k/3)
      %from = %s.tile([1:1],[EACH:1])[k%3,@t]
      %to = %y.tile([1:1],[EACH:1])[k,@t]
      %r:[EACH].fp16.RF
      %r <- Move<<<#grid,#one>>>(%from)
      mbarrier.arrive %e
      %to <- Move<<<#grid,#one>>>(%r)
    }
  } else {
    if (@t == TAKERS) {
      for (k = 0; k < ROWS; k += 1) {
        %f = %full[k%3]  %e = %empty[k%3]
        mbarrier.wait %e, (k/3 - 1)
        %g = %x.tile([1:1],[64:1])[k,0]  %box = %s.tile([1:1],[64:1])[k%3,0]
        mbarrier.expect %f, %box
        %box <- Move<bulk %f><<<#grid,#one>>>(%g)
      }
    }
  }
}
)";
  const std::pair<std::string, int> numbers[] = {
      {"ROWS", rows}, {"TAKERS", takers}, {"EACH", 64 / takers}, {"ALL", takers + 32}};
  for (const auto& [name, value] : numbers)
    for (std::size_t at = 0; (at = text.find(name, at)) != std::string::npos;)
      text.replace(at, name.size(), std::to_string(value));
  return text;
}

}  // namespace tessera::testing
