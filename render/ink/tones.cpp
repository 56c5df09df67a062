#include "render/ink/tones.h"

#include <fmt/format.h>

namespace tessera {
namespace {

std::string hexOf(Rgba c) {
  if (c.r % 17 == 0 && c.g % 17 == 0 && c.b % 17 == 0)
    return fmt::format("#{:x}{:x}{:x}", c.r / 17, c.g / 17, c.b / 17);
  return fmt::format("#{:02x}{:02x}{:02x}", c.r, c.g, c.b);
}

}  // namespace

std::string Tones::name(Tone tone) {
  if (light_ == dark_) return hexOf(tone.light);
  tone.light.a = tone.dark.a = 255;
  const auto [at, made] = numbers_.try_emplace(tone.key(), tones_.size());
  if (made) tones_.push_back(tone);
  return fmt::format("var(--c{})", at->second);
}

std::string Tones::rules(bool dark) const {
  std::string out;
  for (std::size_t k = 0; k < tones_.size(); ++k)
    out += fmt::format("--c{}:{};", k, hexOf(dark ? tones_[k].dark : tones_[k].light));
  return out;
}

}  // namespace tessera
