// The reader of programs: barriers that count (mbarrier), and the copies of TMA that arrive at them.
//
//     mbarrier.init %f, 1     mbarrier.arrive %f     mbarrier.expect %f, %sA, %sB     mbarrier.wait %f, (kt/3 - 1)
//     %s <- Move<bulk %f><<<#b, #one>>>(%g)
#include <fmt/format.h>

#include "core/base/chars.h"
#include "core/base/nearest.h"
#include "core/graphene/reader/program_reader.h"

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

}  // namespace

Result<Statement> ProgramReader::barrierStatement(std::size_t begin) {
  in_.advance(8);
  const std::string word(in_.accept('.') ? in_.peekWord() : "");
  const Row* found = nullptr;
  for (const Row& row : kOps)
    if (row.word == word) found = &row;
  if (found == nullptr) {
    const auto near = nearest(word, {"init", "arrive", "expect", "wait"});
    in_.advance(word.size());
    return in_.failFrom(begin, fmt::format("there is no statement 'mbarrier{}{}'", word.empty() ? "" : ".", word),
                        std::string(kWanted),
                        near && !word.empty() ? fmt::format("did you mean mbarrier.{}?", *near) : "");
  }
  in_.advance(word.size());
  Mbarrier out;
  out.op = found->op;
  TESSERA_TRY(out.barrier, oneBarrier());
  TESSERA_CHECKED(barrierOperands(out));
  return Statement{{}, std::move(out)};
}

// What follows the barrier.
Result<void> ProgramReader::barrierOperands(Mbarrier& out) {
  if (out.op == Mbarrier::Op::Arrive) return {};
  const std::string_view what = out.op == Mbarrier::Op::Init     ? "how many arrivals end a phase"
                                : out.op == Mbarrier::Op::Expect ? "whose bytes will come"
                                                                 : "the phase that is waited for";
  TESSERA_CHECKED(in_.expect(",", fmt::format("before {}", what)));
  if (out.op == Mbarrier::Op::Expect) {
    do {
      in_.skipBlanks();
      const std::size_t begin = in_.position();
      TESSERA_TRY(Tensor t, known());
      if (t.threads || t.memory != Memory::Shared || isBarrier(t))
        return in_.failFrom(begin, fmt::format("{} is no data in shared memory", nameOf(t)),
                            "the tensor that a Move<bulk> writes");
      out.data.push_back(std::move(t));
    } while (in_.accept(','));
    return {};
  }
  in_.skipBlanks();
  const std::size_t begin = in_.position();
  TESSERA_TRY(out.value, delimited(what));
  if (out.op == Mbarrier::Op::Wait) return {};
  if (!out.value.isConstant())
    return in_.failFrom(begin, "how many arrivals end a phase is not known before the program runs", "an integer");
  if (out.value.value() < 1 || out.value.value() > kMostArrivals)
    return in_.failFrom(begin, fmt::format("a phase of {} arrivals", out.value.value()),
                        fmt::format("1 to {}", kMostArrivals));
  return {};
}

Result<Tensor> ProgramReader::oneBarrier() {
  in_.skipBlanks();
  const std::size_t begin = in_.position();
  TESSERA_TRY(Tensor t, known());
  if (!isBarrier(t))
    return in_.failFrom(begin, fmt::format("{} is no barrier", nameOf(t)), "a view of %full:[3].mbarrier.SH");
  for (const Level& level : t.levels)
    if (!sizeOf(level).isConstant(1))
      return in_.failFrom(begin, fmt::format("{} is more than one barrier", nameOf(t)),
                          fmt::format("one of them, %f = {}[0]", nameOf(t)));
  return t;
}

// An integer, a name, or an expression in (): what follows may begin with the % of a tensor.
Result<Expr> ProgramReader::delimited(std::string_view what) {
  in_.skipBlanks();
  const std::size_t begin = in_.position();
  if (in_.accept('(')) {
    TESSERA_TRY(Expr value, reader_.number());
    TESSERA_CHECKED(in_.expect(")", "after the expression"));
    return value;
  }
  const std::string word(in_.peekWord());
  if (!word.empty() && isNameStart(word[0])) {
    in_.advance(word.size());
    auto meant = meaning(word);
    if (!meant) meant.error().span = in_.spanFrom(begin);
    return meant;
  }
  TESSERA_TRY(const i64 value, in_.integer(what));
  return Expr::constant(value);
}

// bulk %f>, after the <
Result<void> ProgramReader::bulk(Spec& out) {
  in_.advance(4);
  out.attribute = "bulk";
  TESSERA_TRY(Tensor barrier, oneBarrier());
  out.barriers.push_back(std::move(barrier));
  return in_.expect(">", "after the barrier");
}

Result<void> ProgramReader::noBarrier(const Tensor& t, std::size_t begin) {
  if (!isBarrier(t)) return {};
  return in_.failFrom(begin, fmt::format("{} is a barrier, and no data", nameOf(t)), std::string(kWanted));
}

Result<void> ProgramReader::barrierStorage(const Tensor& t, bool operand, std::size_t begin) {
  if (!isBarrier(t) || t.threads) return {};
  const std::string expected = fmt::format("{}:[3].mbarrier.SH in the body of a kernel", nameOf(t));
  if (operand) return in_.failFrom(begin, "barriers are a kernel's own, and the caller has none", expected);
  if (t.memory != Memory::Shared) return in_.failFrom(begin, "a barrier is in shared memory", expected);
  if (!t.swizzle.isIdentity()) return in_.failFrom(begin, "barriers are not swizzled", expected);
  return {};
}

}  // namespace tessera::graphene
