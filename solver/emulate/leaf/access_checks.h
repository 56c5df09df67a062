// AccessChecks: the checks of a leaf that reads or writes one place, which do not depend on the value: order (O6),
// definedness (O7), the kernel's outputs (O3, O5), and the registers of pending products.
//
//     if (checks.read(at, spot)) value = ...;          false: reported, the value is undefined
//     if (checks.write(at, spot, flies)) ... = value;  false: reported, the write is dropped
#pragma once

#include <map>

#include "solver/emulate/machine/products.h"

namespace tessera::graphene {

// The cp.async copies of a block's warps: the places that they read until their wait, and their groups.
class CopyGroups {
 public:
  CopyGroups(Timeline& now, std::vector<Cells>& cells) : now_(now), cells_(cells) {}
  void begin(std::size_t warps) { warps_.assign(warps, {}); }
  // From now on a copy reads the place.
  void reads(const LeafAccess& at, const Spot& spot);
  // The group of a lane that its next commit closes.
  [[nodiscard]] i64 open(const Warp& w, int lane) const { return warps_[w.index].committed[lane]; }
  void commit(const Warp& w);
  // Whether the lane is active and a copy of group `group` (-1: not committed) is older than the `pending` newest ones.
  [[nodiscard]] bool arrived(const Warp& w, int lane, i64 group, int pending) const {
    return holds(w.mask, lane) && group >= 0 && group < open(w, lane) - pending;
  }
  // Their sources may now be overwritten: by their own threads, and by other threads after a barrier.
  void release(Warp& w, int pending);

 private:
  struct Source {
    int leaf = 0, lane = 0, root = 0;
    i64 group = -1;  // -1: not committed
    i64 place = 0;
  };
  struct OfWarp {
    LaneValues committed{};
    std::vector<Source> sources;
  };
  Timeline& now_;
  std::vector<Cells>& cells_;
  std::vector<OfWarp> warps_;
};

class AccessChecks {
 public:
  AccessChecks(const Plan& plan, Findings& findings, Timeline& now, Products& products, CopyGroups& copies,
               Observer* observer)
      : plan_(plan), findings_(findings), now_(now), products_(products), copies_(copies), observer_(observer) {}

  bool read(const LeafAccess& at, const Spot& spot) {
    if (observer_ != nullptr) observe(at, spot, /*write=*/false);
    if (at.cells.tracked && !readsInOrder(at, spot)) return false;
    if (!at.cells.sums.empty() && !products_.mayTouch(at, spot, /*write=*/false)) return false;
    if (!at.cells.defined.empty() && at.cells.defined[spot.place] != at.instance) {
      reportPlace(findings_, at, Obligation::Definedness, spot, "reads a value that was never written:");
      return false;
    }
    if (!at.cells.writes.empty() && at.cells.writes[spot.place] == 0) noteUnwritten(at, spot);
    return true;
  }
  // `flies`: cp.async, which arrives later.
  bool write(const LeafAccess& at, const Spot& spot, bool flies) {
    if (observer_ != nullptr) observe(at, spot, /*write=*/true);
    if (!at.cells.writes.empty()) noteOutput(at, spot);
    if (at.cells.tracked && !isOtherPart(at, spot, flies)) writesInOrder(at, spot, flies);
    return at.cells.sums.empty() || products_.mayTouch(at, spot, /*write=*/true);
  }
  // A TMA copy, which arrives later.
  void copy(const LeafAccess& at, const Spot& spot);

 private:
  // Reports the conflicts that the cells find.
  [[nodiscard]] auto reporter(const LeafAccess& at, const Spot& spot) {
    return [this, &at, &spot](Disorder disorder, const Tag* other, std::string_view what) {
      const Obligation violated = disorder == Disorder::Race ? Obligation::Races : Obligation::Definedness;
      reportPlace(findings_, at, violated, spot, what, other);
    };
  }
  void observe(const LeafAccess& at, const Spot& spot, bool write);
  // With guards: whether the thread's own copy to the place flies at other sizes only.
  bool isOtherPart(const LeafAccess& at, const Spot& spot, bool flies);
  bool readsInOrder(const LeafAccess& at, const Spot& spot);
  void writesInOrder(const LeafAccess& at, const Spot& spot, bool flies);
  void noteUnwritten(const LeafAccess& at, const Spot& spot);
  void noteOutput(const LeafAccess& at, const Spot& spot);

  const Plan& plan_;
  Findings& findings_;
  Timeline& now_;
  Products& products_;
  CopyGroups& copies_;
  Observer* observer_;
  std::vector<i64> where_;                            // of an access
  std::map<std::pair<int, i64>, Boxes::Id> flights_;  // by root and place: the sizes of a copy, if not all
};

// O4 of a kernel, after all of its blocks.
void checkCoverage(const Plan& plan, int kernel, const std::vector<Cells>& cells, Findings& findings);

}  // namespace tessera::graphene
