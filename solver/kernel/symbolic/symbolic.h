// Symbolic: the values of a run as terms of its inputs, beside its numbers.
//
//     Terms terms;
//     Symbolic values(terms, {{0, Type::F32}, {1, Type::F32}});       the elements of buffers 0 and 1 are symbols
//     runSymbolic(module, launch, values, [&] {
//       values.element(2, 5)                                          the term at element 5 of buffer 2: A[5] + B[5]
//     });
//     values.obstacle()                                               empty: the run is that of every value of them
//
// The machine runs on the numbers as always. Each byte of a register or of memory also has a slot (slot.h): a part of a
// term, or nothing, if it is a number that does not depend on the symbols. step_terms.h computes registers. A value
// that it cannot explain is a term of its own ("opaque").
//
// Law: if obstacle() is empty, a run with other numbers for the symbols executes the same instructions on the same
// addresses, and leaves in memory the values of the terms, over the real numbers; opaque values are the exception.
#pragma once

#include <map>
#include <span>

#include "solver/kernel/machine/memories.h"
#include "solver/kernel/symbolic/value_terms.h"

namespace tessera::kernel {

class Symbolic {
 public:
  // `inputs`: parameters that are buffers of symbols, with the type of their elements.
  Symbolic(graphene::Terms& terms, std::map<int, ptx::Type> inputs) : values_(terms), inputs_(std::move(inputs)) {}
  void start(const Program& program, Memories& memories);
  void start(Warp& w) const;

  // ---- registers
  // Nothing can be said of the values of this step.
  void withoutTerms(const Step& s);
  // The results are numbers.
  void clear(Warp& w, const Step& s, Mask mask) const;
  // Whether the run depends on the symbols in a step that is no computation: its guard, or `decisive` operands.
  void follow(const Warp& w, const Step& s, std::span<const Place> decisive);

  // ---- memory; after the numbers were moved
  void load(Warp& w, const Step& s, int lane, const Target* from);  // null: nothing is read
  void store(Warp& w, const Step& s, int lane, const Target& to);
  void carry(Warp& w, int lane, const Target* from, const Target& to, int bytes);
  // An atomic operation, before it takes place.
  void reduce(Warp& w, const Step& s, int lane, const Target& at);
  // The same for bytes with these slots and numbers.
  void combine(Warp& w, const Step& s, int lane, const Target& at, std::span<const Slot> given,
               const std::uint8_t* numbers, std::string_view operation, ptx::Type type);
  // A lane's registers and local memory: arguments and results of calls.
  void moveLocal(Warp& w, int lane, i64 from, i64 to, i64 bytes) const;
  void toLocal(Warp& w, int lane, Place from, i64 to, i64 bytes) const;
  void fromLocal(Warp& w, int lane, i64 from, Place to, i64 bytes) const;
  // Slots of memory, for instructions that spread them over lanes.
  [[nodiscard]] std::vector<Slot> slotsAt(Warp& w, int lane, const Target& at, int bytes);
  void setSlots(Warp& w, int lane, const Target& at, std::span<const Slot> slots);
  // Bytes `to` .. of a lane's register; the rest of the register is unchanged.
  void setRegister(Warp& w, int lane, Place p, int to, std::span<const Slot> slots) const;
  [[nodiscard]] LaneSlots registerSlots(const Warp& w, int lane, Place p) const;
  [[nodiscard]] Mask symbolicLanes(const Warp& w, Place p) const;

  // ---- matrices: the value of bytes as a term, and a term as bytes
  // nullopt: the bytes are parts of something else.
  [[nodiscard]] std::optional<graphene::Terms::Value> valueOf(std::span<const Slot> slots, u64 bits, ptx::Type type);
  [[nodiscard]] static std::vector<Slot> slotsOf(graphene::Terms::Value term, ptx::Type type);
  [[nodiscard]] ValueTerms& values() { return values_; }

  // ---- results
  [[nodiscard]] graphene::Terms::Value element(int parameter, i64 index, ptx::Type type);
  [[nodiscard]] const std::string& obstacle() const { return obstacle_; }
  // The first instruction whose result is opaque; empty: none.
  [[nodiscard]] const std::string& firstOpaque() const { return firstOpaque_; }
  [[nodiscard]] graphene::Terms::Value opaque(const Step& s);
  void fillOpaque(const Step& s, LaneSlots& out, int from, int to);

 private:
  void stop(const Step& s, std::string_view what);
  [[nodiscard]] RegisterSlots& slotsFor(Warp& w, Place p) const;
  [[nodiscard]] Slot* memorySlots(Warp& w, int lane, const Target& at, bool make);
  void seed(Chunk& chunk, int parameter, i64 first);

  ValueTerms values_;
  std::map<int, ptx::Type> inputs_;
  const Program* program_ = nullptr;
  Memories* memories_ = nullptr;
  std::string obstacle_, firstOpaque_;
};

// run() of kernel.h, with terms. `ended` is called while the memory of the run exists.
[[nodiscard]] Result<Report> runSymbolic(const ptx::Module& module, const Launch& launch, Symbolic& symbolic,
                                         const std::function<void()>& ended);

}  // namespace tessera::kernel
