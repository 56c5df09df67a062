// Reads statements that begin with a keyword: barriers, fences, groups and waits.
//
//     sync   syncwarp   commit   wait 1   wgmma.fence   wgmma.commit   wgmma.wait 0   fence.async
//     mbarrier.init %f, 1     mbarrier.arrive %f     mbarrier.expect %f, %sA, %sB     mbarrier.wait %f, (kt/3 - 1)
//     %s <- Move<bulk %f><<<#b, #one>>>(%g)
#include <fmt/format.h>

#include <algorithm>

#include "core/base/nearest.h"
#include "core/graphene/reader/constructs.h"

namespace tessera::graphene {
namespace {

struct Row {
  std::string_view word;
  Mbarrier::Op op;
};
constexpr Row kOps[] = {{"init", Mbarrier::Op::Init},
                        {"arrive", Mbarrier::Op::Arrive},
                        {"expect", Mbarrier::Op::Expect},
                        {"wait", Mbarrier::Op::Wait}};
constexpr std::string_view kWanted =
    "mbarrier.init %f, 1, mbarrier.arrive %f, mbarrier.expect %f, %s or mbarrier.wait %f, 0";

// The operands after the barrier.
Result<void> barrierOperands(ProgramText& text, Mbarrier& out) {
  if (out.op == Mbarrier::Op::Arrive) return {};
  const std::string_view what = out.op == Mbarrier::Op::Init     ? "the number of arrivals per phase"
                                : out.op == Mbarrier::Op::Expect ? "the tensors whose bytes are expected"
                                                                 : "the phase to wait for";
  TESSERA_CHECKED(text.in.expect(",", fmt::format("before {}", what)));
  if (out.op == Mbarrier::Op::Expect) {
    do {
      const std::size_t begin = text.in.start();
      TESSERA_TRY(Tensor t, text.known());
      if (t.threads || t.memory != Memory::Shared || isBarrier(t))
        return text.in.failFrom(begin, fmt::format("{} is not data in shared memory", nameOf(t)),
                                "the tensor that a Move<bulk> writes");
      out.data.push_back(std::move(t));
    } while (text.in.accept(','));
    return {};
  }
  const std::size_t begin = text.in.start();
  TESSERA_TRY(out.value, text.delimited(what));
  if (out.op == Mbarrier::Op::Wait) return {};
  if (!out.value.isConstant())
    return text.in.failFrom(begin, "the number of arrivals per phase is not known before the program runs",
                            "an integer");
  if (out.value.value() < 1 || out.value.value() > kMostArrivals)
    return text.in.failFrom(begin, fmt::format("a phase of {} arrivals", out.value.value()),
                            fmt::format("1 to {}", kMostArrivals));
  return {};
}

Result<Statement> barrierStatement(ProgramText& text, std::size_t begin) {
  text.in.advance(8);
  const std::string word(text.in.accept('.') ? text.in.peekWord() : "");
  const Row* const found = std::ranges::find(kOps, word, &Row::word);
  if (found == std::end(kOps)) {
    const auto near = nearest(word, {"init", "arrive", "expect", "wait"});
    text.in.advance(word.size());
    return text.in.failFrom(begin, fmt::format("there is no statement 'mbarrier{}{}'", word.empty() ? "" : ".", word),
                            std::string(kWanted),
                            near && !word.empty() ? fmt::format("did you mean mbarrier.{}?", *near) : "");
  }
  text.in.advance(word.size());
  Mbarrier out;
  out.op = found->op;
  TESSERA_TRY(out.barrier, readBarrier(text));
  TESSERA_CHECKED(barrierOperands(text, out));
  return Statement{{}, std::move(out)};
}

Result<int> pendingGroups(ProgramText& text) {
  const std::size_t begin = text.in.position();
  TESSERA_TRY(const i64 pending, text.constant("the number of groups that may be pending", false));
  if (pending < 0 || pending > 64) return text.in.failFrom(begin, "not a number of groups", "0 to 64");
  return static_cast<int>(pending);
}

// wgmma.fence, wgmma.commit, wgmma.wait 0, fence.async
Result<Statement> ordering(ProgramText& text, std::size_t begin, const std::string& first) {
  text.in.advance(first.size());
  const bool product = first == "wgmma";
  const std::string second(text.in.accept('.') ? text.in.peekWord() : "");
  text.in.advance(second.size());
  if (!product && second == "async") return Statement{{}, Fence{true}};
  if (product && second == "fence") return Statement{{}, Fence{false}};
  if (product && second == "commit") return Statement{{}, Commit{true}};
  if (product && second == "wait") {
    TESSERA_TRY(const int pending, pendingGroups(text));
    return Statement{{}, Wait{pending, true}};
  }
  return text.in.failFrom(begin,
                          fmt::format("there is no statement '{}{}{}'", first, second.empty() ? "" : ".", second),
                          product ? "wgmma.fence, wgmma.commit or wgmma.wait 0" : "fence.async");
}

}  // namespace

Result<Statement> readKeyword(ProgramText& text) {
  const std::size_t begin = text.in.position();
  const std::string word(text.in.peekWord());
  if (word == "param" || word == "require")
    return text.in.fail(fmt::format("`{}` must be at the head of the program", word),
                        "parameters and requirements before everything else");
  if (word == "assume")
    return text.in.fail("`assume` must be outside of every body", "after the tensors, before the kernel");
  const bool block = word == "sync" || word == "__syncthreads";
  if (block || word == "syncwarp" || word == "__syncwarp") {
    text.in.advance(word.size());
    if (text.in.accept('(')) TESSERA_CHECKED(text.in.expect(")", "after " + word));
    return Statement{{}, Sync{!block}};
  }
  if (word == "commit") {
    text.in.advance(word.size());
    return Statement{{}, Commit{}};
  }
  if (word == "wait") {
    text.in.advance(word.size());
    TESSERA_TRY(const int pending, pendingGroups(text));
    return Statement{{}, Wait{pending}};
  }
  if (word == "wgmma" || word == "fence") return ordering(text, begin, word);
  if (word == "mbarrier") return barrierStatement(text, begin);
  return text.in.failFrom(
      begin,
      word.empty() ? fmt::format("unexpected {}", text.in.found()) : fmt::format("there is no statement '{}'", word),
      "a tensor, a specification, indices, for, if, sync, commit, wait, wgmma.fence, fence.async or mbarrier.wait",
      didYouMean(word, {"for", "if", "sync", "syncwarp", "commit", "wait", "wgmma", "fence", "mbarrier"}));
}

Result<Tensor> readBarrier(ProgramText& text) {
  const std::size_t begin = text.in.start();
  TESSERA_TRY(Tensor t, text.known());
  if (!isBarrier(t))
    return text.in.failFrom(begin, fmt::format("{} is not a barrier", nameOf(t)), "a view of %full:[3].mbarrier.SH");
  for (const Level& level : t.levels)
    if (!sizeOf(level).isConstant(1))
      return text.in.failFrom(begin, fmt::format("{} is more than one barrier", nameOf(t)),
                              fmt::format("one of them, %f = {}[0]", nameOf(t)));
  return t;
}

Result<void> noBarrier(const Cursor& in, const Tensor& t, std::size_t begin) {
  if (!isBarrier(t)) return {};
  return in.failFrom(begin, fmt::format("{} is a barrier, not data", nameOf(t)), std::string(kWanted));
}

Result<void> barrierStorage(const Cursor& in, const Tensor& t, bool operand, std::size_t begin) {
  if (!isBarrier(t) || t.threads) return {};
  const std::string expected = fmt::format("{}:[3].mbarrier.SH in the body of a kernel", nameOf(t));
  if (operand) return in.failFrom(begin, "barriers belong to a kernel; the caller has none", expected);
  if (t.memory != Memory::Shared) return in.failFrom(begin, "a barrier is in shared memory", expected);
  if (!t.swizzle.isIdentity()) return in.failFrom(begin, "barriers are not swizzled", expected);
  return {};
}

}  // namespace tessera::graphene
