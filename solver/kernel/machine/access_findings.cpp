#include "solver/kernel/machine/access_findings.h"

#include <fmt/format.h>

namespace tessera::kernel {

Finding* AccessFindings::at(const Actor& a, const Target& target, int width, Verdict kind, int other, int detail) {
  Finding* f = findings_.add(kind, a.step, other, detail);
  if (f == nullptr) return nullptr;
  f->at = findings_.point(a.me(), a.step);
  f->space = target.space;
  f->address = static_cast<u64>(target.offset);
  f->bytes = width;
  f->element = memories_.elementOf(target);
  return f;
}

void AccessFindings::outOfBounds(const Actor& a, ptx::Space space, u64 address, int width) {
  Target target;
  target.space = space;
  Finding* f = at(a, target, width, Verdict::Bounds);
  if (f == nullptr) return;
  const Memories::Nowhere where = memories_.nowhere(space, address);
  f->address = where.offset;
  f->element.clear();
  f->message = fmt::format("{} accesses {} bytes at {}", findings_.threadText(a.me()), width, where.text);
}

void AccessFindings::misaligned(const Actor& a, const Target& target, int width) {
  if (Finding* f = at(a, target, width, Verdict::Misaligned))
    f->message = fmt::format("{} accesses {} bytes at {}, byte {}, which is not a multiple of {}",
                             findings_.threadText(a.me()), width, f->element, target.offset, width & -width);
}

void AccessFindings::uninitialised(const Actor& a, const Target& target, int width) {
  if (Finding* f = at(a, target, width, Verdict::Uninitialised))
    f->message = fmt::format("{} reads {}, which was never written", findings_.threadText(a.me()), f->element);
}

void AccessFindings::afterEnd(const Actor& a, const Target& target, int width) {
  Finding* f = at(a, target, width, Verdict::Race, -1, 2);
  if (f == nullptr) return;
  if (width == 0) f->element.clear();
  f->message = fmt::format(
      "{} accesses the shared memory of block {}, which may have ended: no barrier.cluster of both "
      "follows",
      findings_.threadText(a.me()), target.owner->index);
}

void AccessFindings::besideLocals(const Actor& a, const Target& target, int width) {
  notes_.try_emplace(a.step,
                     fmt::format("line {}: {} accesses {} bytes beside its local variables, at {:+}", lineOf(a.step),
                                 findings_.threadText(a.me()), width, target.offset - kLocalMargin));
}

void AccessFindings::neverWritten(const Actor& a, const Target& target) {
  notes_.try_emplace(a.step, fmt::format("line {}: {} reads {}, which was never written: any value", lineOf(a.step),
                                         findings_.threadText(a.me()), memories_.elementOf(target)));
}

std::uint32_t AccessFindings::threadOf(const Event& event, int lane) const {
  const std::uint32_t agent = event.warpThread + static_cast<std::uint32_t>(lane);
  if (event.domain != Domain::Bulk) return agent;
  const auto at = agents_.find(agent);
  return at != agents_.end() ? at->second : 0;
}

void AccessFindings::race(const Actor& a, const Target& target, int width, const Event& other, const Conflict& conflict,
                          bool write, Verdict kind) {
  Finding* f = at(a, target, width, kind, other.step, conflict.otherWrites ? 1 : 0);
  if (f == nullptr) return;
  const std::uint32_t me = a.me();
  const std::uint32_t them = threadOf(other, conflict.other.lane);
  f->other = findings_.point(them, other.step);
  const char* mine = write ? "writes" : "reads";
  const std::string who = findings_.threadText(me), whom = me == them ? "itself" : findings_.threadText(them);
  const char* verb = conflict.otherWrites ? "written" : "read";
  if (other.domain == Domain::Copies)
    f->message = fmt::format("{} {} {}, which a cp.async of {} {} without a wait for it in between", who, mine,
                             f->element, whom, conflict.otherWrites ? "writes" : "reads");
  else if (other.domain == Domain::Bulk)
    f->message = fmt::format("{} {} {}, which a bulk copy of {} {} without a wait for it in between", who, mine,
                             f->element, whom, conflict.otherWrites ? "writes" : "reads");
  else if (other.domain == Domain::Products)
    f->message = fmt::format("{} {} {}, which a wgmma may still read: no wgmma.wait_group and barrier in between", who,
                             mine, f->element);
  else if (other.domain == Domain::Tensor)
    f->message = fmt::format(
        "{} {} {}, which the {} of {} may still read: no tcgen05.commit and wait for its mbarrier in between", who,
        mine, f->element, program_.steps[static_cast<std::size_t>(other.step)].source->opcode.text, whom);
  else if (a.async)
    f->message = fmt::format(
        "an asynchronous copy or product of {} {} {}, {} by {} with no fence.proxy.async and barrier in between", who,
        mine, f->element, verb, whom);
  else
    f->message = fmt::format("{} {} {}, {} by {}: no synchronization orders them{}", who, mine, f->element, verb, whom,
                             kind == Verdict::Benign    ? ", but both write the same value"
                             : kind == Verdict::Unknown ? "; both write the same value in this run"
                                                        : "");
}

}  // namespace tessera::kernel
