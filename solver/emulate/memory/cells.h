// Cells: what is known of the places of one tensor beside their values: who touched each last, whether a copy is on its
// way to it, and whether it is written at all. They know no program: a tag (shadow.h) says who does what and when.
//
//     noteWrite(clocks, cells, 33, thread1, /*flies=*/false, report);
//     noteRead(clocks, cells, 33, thread40, report);     report(Race, &thread1, "reads while another thread writes")
//     clocks.meet({1, 40});                              or, without clocks, thread40 of a later phase
//     noteRead(clocks, cells, 33, thread40, report);     reports nothing
//
// Order is given by the clocks if they are active, otherwise by the phases and epochs of the tags.
// Requires: cells.tracked, for all functions.
#pragma once

#include <string_view>
#include <unordered_map>
#include <vector>

#include "solver/emulate/memory/clocks.h"
#include "solver/emulate/memory/shadow.h"

namespace tessera::graphene {

struct Cells {
  std::vector<std::uint32_t> defined;  // by place: the instance of the declaration that wrote it; empty: always defined
  bool tracked = false;                // races are possible
  ShadowMap shadow;
  std::unordered_map<i64, std::vector<Tag>> readers;  // with clocks: the unordered readers since the last write
  std::vector<std::uint8_t> writes;                   // for outputs of this kernel: 1 if written
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

enum class Disorder : unsigned char { Race, Unfinished };  // Unfinished: of the thread's own copy

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

// Returns false if the value is still on its way.
template <class Report>
bool noteRead(const Clocks& clocks, Cells& cells, i64 place, const Tag& me, Report report) {
  const Shadow& shadow = cells.shadow.at(place);
  const Tag& write = shadow.write;
  if (shadow.flying) {
    if (write.block == me.block && write.thread == me.thread)
      report(Disorder::Unfinished, &write, "reads what its own copy may not have brought yet:");
    else
      report(Disorder::Race, &write, "reads what a copy is bringing to");
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
    report(Disorder::Race, &shadow.write, "writes where a copy is on its way:");
  } else if (const Tag* other = clash(clocks, cells, place, me)) {
    report(Disorder::Race, other,
           other == &shadow.write ? "writes while another thread writes" : "writes while another thread reads");
  }
  if (shadow.products != 0)
    report(Disorder::Race, &shadow.read,
           "writes what a product of a warpgroup may still read (no wgmma.wait yet, or no barrier after it):");
  if (shadow.copies != 0)
    report(Disorder::Race, &shadow.read,
           "writes what a copy on its way may still read (its thread has not waited for it):");
  shadow.noteWrite(me);
  shadow.flying = flies;
}

// The place of a copy by the asynchronous proxy (TMA), which arrives at a barrier.
template <class Report>
void noteCopy(const Clocks& clocks, Cells& cells, i64 place, const Tag& me, Report report) {
  Shadow& shadow = cells.shadow.at(place);
  const Tag& last = shadow.write;
  if (shadow.flying) {
    report(Disorder::Race, &last, "copies to where a copy is on its way:");
  } else if (const Tag* other = clash(clocks, cells, place, me)) {
    report(Disorder::Race, other,
           other == &last ? "copies to what another thread writes:" : "copies to what another thread still reads:");
  } else if (last.leaf >= 0 && last.epoch == 0 && !clocks.knowsAsync(me.thread, last.thread, last.phase)) {
    report(Disorder::Race, &last, "copies to what ordinary instructions wrote, and there is no fence.async between:");
  }
  if (shadow.products != 0) report(Disorder::Race, nullptr, "copies to what a product of a warpgroup may still read:");
  shadow.noteWrite(me);
  shadow.flying = true;
}

}  // namespace tessera::graphene
