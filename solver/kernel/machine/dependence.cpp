#include "solver/kernel/machine/dependence.h"

#include <algorithm>
#include <cstring>

namespace tessera::kernel {

using ptx::Space;

namespace {

// What it reads depends on the order of the threads, in a program without races too.
bool orderMatters(const Step& s) {
  return (s.kind == Step::Kind::Atomic && !s.outs.empty()) || (s.kind == Step::Kind::Load && s.strong) ||
         std::find(s.ins.begin(), s.ins.end(), Place{kClock}) != s.ins.end();
}

}  // namespace

Dependence::Dependence(const Program& program, const Memories& memories)
    : program_(program),
      memories_(memories),
      tracks_(memories.arbitrary() || std::any_of(program.steps.begin(), program.steps.end(), orderMatters)) {}

bool Dependence::any(const Warp& w, int lane, const Target& t, int width) const {
  const auto any = [&](const std::uint8_t* at) {
    return std::memchr(at, 1, static_cast<std::size_t>(width)) != nullptr;
  };
  if (t.space == Space::Param) {
    return std::any_of(
        memories_.arbitraryParameters().begin(), memories_.arbitraryParameters().end(),
        [&](const std::pair<i64, i64>& p) { return t.offset < p.first + p.second && p.first < t.offset + width; });
  }
  if (t.space == Space::Local) return any(w.localDepends.data() + lane * program_.localBytes + t.offset);
  return !t.chunk->depends.empty() && any(t.chunk->depends.data() + Region::within(t.offset));
}

void Dependence::set(Warp& w, int lane, const Target& t, int width, bool value) {
  const auto set = [&](std::uint8_t* at) { std::memset(at, value ? 1 : 0, static_cast<std::size_t>(width)); };
  if (t.space == Space::Local) return set(w.localDepends.data() + lane * program_.localBytes + t.offset);
  if (t.chunk == nullptr) return;
  if (t.chunk->depends.empty()) {
    if (!value) return;
    t.chunk->depends.assign(kChunkBytes, 0);
  }
  set(t.chunk->depends.data() + Region::within(t.offset));
}

void Dependence::results(Warp& w, const Step& s, Mask mask) const {
  if (!tracks_) return;
  for (const Place p : s.outs)
    if (p != kNoPlace && p >= 0) w.depends[static_cast<std::size_t>(p)] |= mask;
}

void Dependence::carry(Warp& w, int lane, const Target* from, const Target& to, int width) {
  if (tracks_) set(w, lane, to, width, from == nullptr || any(w, lane, *from, width));
}

}  // namespace tessera::kernel
