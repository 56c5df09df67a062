// Cells: the state of a tensor's places, apart from their values: the last accesses to each, whether a copy to it is in
// flight, and whether it was ever written. They are independent of the program: a tag identifies who accesses, and
// when.
//
//     noteWrite(clocks, cells, 33, thread1, /*flies=*/false, report);
//     noteRead(clocks, cells, 33, thread40, report);     report(Race, &thread1, "reads while another thread writes")
//     clocks.meet({1, 40});                              or, without clocks, thread40 of a later phase
//     noteRead(clocks, cells, 33, thread40, report);     reports nothing
//
// Order is given by the clocks if they are active, otherwise by the phases and epochs of the tags.
// Requires: cells.tracked, for all functions.
#pragma once

#include <memory>
#include <vector>

#include "core/base/types.h"
#include "solver/emulate/memory/clocks.h"

namespace tessera::graphene {

// Shadow: the last accesses to a place in memory, to decide whether the next one is ordered after them.
//
//     thread 1 writes %s[33], phase 0        write = thread 1
//     thread 40 reads %s[33], phase 0        not ordered: a race
//     thread 40 reads %s[33], phase 1        a barrier is between them: ordered
//
// Two accesses by different threads are ordered by a barrier of their block (phases differ) or, within a warp, by a
// syncwarp (epochs differ). Accesses of two blocks are never ordered. Lockstep execution orders nothing.
//
// One write and two reads per place suffice: an access ordered after them is ordered after all accesses they replaced
// (tests/emulate compares this with the list of all accesses).

// With barriers that count arrivals, order is given by Clocks (clocks.h): `phase` is then the clock, and `epoch` the
// barrier + 1 of the copy that `thread` has issued.
struct Tag {
  std::int32_t leaf = -1;  // -1: none
  std::uint32_t block = 0, phase = 0;
  std::uint16_t thread = 0, epoch = 0;
  std::uint32_t moment = 0;  // index of the loop values
};

[[nodiscard]] inline bool sameWarp(const Tag& a, const Tag& b) {
  return a.block == b.block && a.thread / 32 == b.thread / 32;
}
// Symmetric in the two accesses.
[[nodiscard]] inline bool unordered(const Tag& a, const Tag& b) {
  if (a.leaf < 0 || b.leaf < 0) return false;
  if (a.block != b.block) return true;
  return a.thread != b.thread && a.phase == b.phase && !(sameWarp(a, b) && a.epoch != b.epoch);
}

struct Shadow {
  Tag write, read, other;      // `other`: a read not covered by `read`
  bool flying = false;         // the write is a copy not yet waited for
  bool plain = false;          // an ordinary write whose thread has not passed a fence.async since
  std::uint16_t products = 0;  // pending products that read it
  std::uint32_t copies = 0;    // pending cp.async that read it

  // The conflicting access that `me` is not ordered after, or null.
  [[nodiscard]] const Tag* readClash(const Tag& me) const { return unordered(write, me) ? &write : nullptr; }
  [[nodiscard]] const Tag* writeClash(const Tag& me) const {
    if (unordered(write, me)) return &write;
    if (unordered(read, me)) return &read;
    return unordered(other, me) ? &other : nullptr;
  }
  void noteRead(const Tag& me);
  void noteWrite(const Tag& me) { write = me; }
};

// Shadows of a tensor's places, allocated on first access.
class ShadowMap {
 public:
  static constexpr i64 kPage = 256;

  void resize(i64 places) { pages_.resize(static_cast<std::size_t>((places + kPage - 1) / kPage)); }
  [[nodiscard]] Shadow& at(i64 place) {
    auto& page = pages_[place / kPage];
    if (!page) {
      page = std::make_unique<Shadow[]>(kPage);
      ++made_;
    }
    return page[place % kPage];
  }
  void clear() {
    for (auto& page : pages_) page.reset();
    made_ = 0;
  }
  [[nodiscard]] std::size_t made() const { return made_; }  // pages

 private:
  std::vector<std::unique_ptr<Shadow[]>> pages_;
  std::size_t made_ = 0;
};

// With clocks: the unordered readers of each place since its last write.
class ReaderMap {
 public:
  [[nodiscard]] std::vector<Tag>& at(i64 place) {
    const auto number = static_cast<std::size_t>(place / ShadowMap::kPage);
    if (number >= pages_.size()) pages_.resize(number + 1);
    auto& page = pages_[number];
    if (!page) page = std::make_unique<std::vector<Tag>[]>(ShadowMap::kPage);
    return page[place % ShadowMap::kPage];
  }
  void clear() { pages_.clear(); }

 private:
  std::vector<std::unique_ptr<std::vector<Tag>[]>> pages_;
};

struct Cells {
  std::vector<std::uint32_t> defined;  // by place: the instance of the declaration that wrote it; empty: always defined
  bool tracked = false;                // races are possible
  ShadowMap shadow;
  ReaderMap readers;
  std::vector<std::uint8_t> writes;  // for outputs of this kernel: 1 if written
  // For registers of warpgroup products (wgmma): kTouched, kFenced, the group of the pending product that writes it, or
  // kReading plus the group of the pending product that reads it.
  std::vector<i64> sums;

  void forgetAccesses() {
    shadow.clear();
    readers.clear();
  }
  void define(i64 place, std::uint32_t instance) {
    if (!defined.empty()) defined[place] = instance;
  }
};

inline constexpr i64 kTouched = -2, kFenced = -1, kReading = i64{1} << 40;

enum class Disorder : unsigned char { Race, Unfinished };  // Unfinished: the thread's own copy is in flight

// `other` is not ordered before what the thread of `me` does now.
[[nodiscard]] inline bool apart(const Clocks& clocks, const Tag& other, const Tag& me) {
  if (!clocks.active()) return unordered(other, me);
  if (other.leaf < 0) return false;
  if (other.block != me.block) return true;
  const std::size_t agent = other.epoch == 0 ? std::size_t{other.thread} : clocks.agentOf(other.epoch - std::size_t{1});
  return !clocks.knows(me.thread, agent, other.phase);
}
// The access that a write is not ordered after, or null.
[[nodiscard]] const Tag* clash(const Clocks& clocks, Cells& cells, i64 place, const Tag& me);
void noteReader(const Clocks& clocks, Cells& cells, i64 place, const Tag& me);

// Returns false if the value has not arrived yet.
template <class Report>
bool noteRead(const Clocks& clocks, Cells& cells, i64 place, const Tag& me, Report report) {
  const Shadow& shadow = cells.shadow.at(place);
  const Tag& write = shadow.write;
  if (shadow.flying) {
    if (write.block == me.block && write.thread == me.thread)
      report(Disorder::Unfinished, &write, "reads what its own copy may not have written yet:");
    else
      report(Disorder::Race, &write, "reads what a copy is still writing to");
    return false;
  }
  if (apart(clocks, write, me)) report(Disorder::Race, &write, "reads while another thread writes");
  noteReader(clocks, cells, place, me);
  return true;
}

// `flies`: a copy, which arrives later.
template <class Report>
void noteWrite(const Clocks& clocks, Cells& cells, i64 place, const Tag& me, bool flies, Report report) {
  Shadow& shadow = cells.shadow.at(place);
  if (shadow.flying) {
    report(Disorder::Race, &shadow.write, "writes where a copy is in flight:");
  } else if (const Tag* other = clash(clocks, cells, place, me)) {
    report(Disorder::Race, other,
           other == &shadow.write ? "writes while another thread writes" : "writes while another thread reads");
  }
  if (shadow.products != 0)
    report(Disorder::Race, &shadow.read,
           "writes what a product of a warpgroup may still read (no wgmma.wait yet, or no barrier after it):");
  if (shadow.copies != 0)
    report(Disorder::Race, &shadow.read,
           "writes what a copy in flight may still read (its thread has not waited for it):");
  shadow.noteWrite(me);
  shadow.flying = flies;
}

// A copy by the asynchronous proxy (TMA) writes the place; it arrives at a barrier.
template <class Report>
void noteCopy(const Clocks& clocks, Cells& cells, i64 place, const Tag& me, Report report) {
  Shadow& shadow = cells.shadow.at(place);
  const Tag& last = shadow.write;
  if (shadow.flying) {
    report(Disorder::Race, &last, "copies to where another copy is in flight:");
  } else if (const Tag* other = clash(clocks, cells, place, me)) {
    report(Disorder::Race, other,
           other == &last ? "copies to what another thread writes:" : "copies to what another thread still reads:");
  } else if (last.leaf >= 0 && last.epoch == 0 && !clocks.knowsAsync(me.thread, last.thread, last.phase)) {
    report(Disorder::Race, &last, "copies to what ordinary instructions wrote, with no fence.async in between:");
  }
  if (shadow.products != 0) report(Disorder::Race, nullptr, "copies to what a product of a warpgroup may still read:");
  shadow.noteWrite(me);
  shadow.flying = true;
}

}  // namespace tessera::graphene
