#include "solver/kernel/launch/shape.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/cursor.h"

namespace tessera::kernel {

namespace {

std::optional<Extents> numbersOf(std::string_view text) {
  Extents out{1, 1, 1};
  Cursor in(text);
  for (std::size_t k = 0; k < 3; ++k) {
    const auto n = in.integer();
    if (!n || *n < 1 || *n > INT32_MAX) return std::nullopt;
    out[k] = static_cast<std::uint32_t>(*n);
    if (in.atEnd()) return out;
    if (!in.accept(',')) return std::nullopt;
  }
  return std::nullopt;
}

// The extents of ".reqntid 128, 1, 1"; nullopt if the entry has no such directive.
std::optional<Extents> directive(const ptx::Function& entry, std::string_view word) {
  for (const std::string& d : entry.directives)
    if (d.starts_with(word) && d.size() > word.size() && d[word.size()] == ' ')
      return numbersOf(std::string_view(d).substr(word.size()));
  return std::nullopt;
}

std::string textOf(const Extents& x) { return fmt::format("{}", fmt::join(x, ",")); }

}  // namespace

Result<Extents> readExtents(std::string_view text, std::string_view option) {
  if (const auto out = numbersOf(text)) return *out;
  return Diag{fmt::format("{} '{}' is not an extent", option, text.substr(0, 60)),
              fmt::format("{} X,Y,Z with numbers from 1", option)};
}

Result<void> completeShape(const ptx::Function& entry, const GivenShape& given, Launch& launch) {
  const auto required = directive(entry, ".reqntid"), most = directive(entry, ".maxntid"),
             cluster = directive(entry, ".reqnctapercluster");
  launch.block = given.block.value_or(required.value_or(Extents{1, 1, 1}));
  launch.cluster = given.cluster.value_or(cluster.value_or(Extents{1, 1, 1}));
  const auto threads = [](const Extents& x) { return u64{x[0]} * x[1] * x[2]; };
  if (required && launch.block != *required)
    return Diag{fmt::format("{} was compiled for blocks of {} threads (.reqntid)", entry.name, textOf(*required)),
                "--block " + textOf(*required)};
  if (most && threads(launch.block) > threads(*most))
    return Diag{fmt::format("{} was compiled for at most {} threads a block (.maxntid)", entry.name, threads(*most)),
                "a smaller --block"};
  if (cluster && launch.cluster != *cluster)
    return Diag{fmt::format("{} was compiled for clusters of {} blocks", entry.name, textOf(*cluster)),
                "--cluster " + textOf(*cluster)};
  for (std::size_t k = 0; k < 3; ++k)
    if (launch.grid[k] % launch.cluster[k] != 0)
      return Diag{fmt::format("a grid of {} blocks is not divided by clusters of {}", textOf(launch.grid),
                              textOf(launch.cluster)),
                  "a --grid that is a multiple of the cluster"};
  return {};
}

}  // namespace tessera::kernel
