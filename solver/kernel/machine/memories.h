// Memories: the memories of a launch, and where its addresses lead.
//
//     memories.resolve(block, w, lane, Space::Generic, address, 4)     a buffer, shared, local memory or parameters
//     memories.elementOf(target)                                       "argument 2[3,5]", "tile+132"
//
// A pointer that was not given leads to a buffer of its own without bounds.
#pragma once

#include <span>

#include "solver/kernel/kernel.h"
#include "solver/kernel/machine/state.h"

namespace tessera::kernel {

// Where an address leads.
struct Target {
  Region* region = nullptr;  // null: the lane's local memory, or parameters
  std::uint8_t* bytes = nullptr;
  Chunk* chunk = nullptr;  // of its region
  i64 offset = 0;          // in its region
  ptx::Space space = ptx::Space::Generic;
  Block* owner = nullptr;  // of shared memory
  bool remote = false;     // it is another block of the cluster
};

// "_ZZ7reversePKfPfE4tile" is "tile": what follows the last "::" of the demangled name.
[[nodiscard]] std::string readableName(const std::string& name);

class Memories {
 public:
  Memories(const Program& program, const Launch& launch);

  // Some argument was not given; and the offset and bytes of each such parameter that is no pointer.
  [[nodiscard]] bool arbitrary() const { return arbitrary_; }
  [[nodiscard]] const std::vector<std::pair<i64, i64>>& arbitraryParameters() const { return arbitraryParameters_; }
  // The bytes of the parameters.
  [[nodiscard]] std::span<const std::uint8_t> parameters() const { return parameters_; }
  void startBlock(Block& block) const;
  // nullopt if the bytes are not within a memory. Target::bytes and chunk are set for local memory and parameters only.
  [[nodiscard]] std::optional<Target> resolve(Block& block, Warp& w, int lane, ptx::Space space, u64 address,
                                              int width);
  // After the run.
  void forgetAccesses() {
    eachRegion([](Region& region) { region.eachShadow([](Shadow& shadow) { shadow.clear(); }); });
  }
  // After the run, by parameter: empty for scalars; of a tensor map its elements. The memories are not used any more.
  [[nodiscard]] std::vector<std::vector<std::byte>> takeContents();
  // The region that all addresses from `first` to `last` lie in, with the place of `first`; nullopt if there is none.
  [[nodiscard]] std::optional<Target> resolveAll(Block& block, Warp& w, ptx::Space space, u64 first, u64 last,
                                                 int width) {
    const auto from = resolve(block, w, 0, space, first, width);
    if (!from || from->region == nullptr || first == last) return from;
    const auto to = resolve(block, w, 0, space, last, width);
    return to && to->region == from->region && to->space == from->space ? from : std::nullopt;
  }
  // The map that these 128 bytes are, with the address of its tensor.
  struct MapAt {
    const TensorMap* map = nullptr;
    u64 address = 0;
    std::size_t parameter = 0;
  };
  [[nodiscard]] std::optional<MapAt> mapOf(const std::uint8_t* bytes) const;
  [[nodiscard]] const Launch& launch() const { return launch_; }
  [[nodiscard]] Region* buffer(std::size_t parameter) const {  // null: it is no buffer
    return parameter < buffers_.size() ? buffers_[parameter].get() : nullptr;
  }
  // visit(region) for each buffer and each variable of the module.
  template <class Visit>
  void eachRegion(const Visit& visit) {
    for (const auto* regions : {&buffers_, &globals_})
      for (const auto& region : *regions)
        if (region) visit(*region);
  }
  // The parameter whose buffer it is, or -1.
  [[nodiscard]] int argumentOf(const Region* region) const;
  [[nodiscard]] std::string elementOf(const Target& target) const;
  // Of an address outside all memories: "byte 512 of argument 0, which has 512 bytes", and its offset.
  struct Nowhere {
    std::string text;
    u64 offset = 0;
  };
  [[nodiscard]] Nowhere nowhere(ptx::Space space, u64 address) const;

 private:
  // A buffer or a variable of the module, with the offset in it.
  [[nodiscard]] std::pair<Region*, i64> regionAt(u64 address) const;
  // Of a block; without dynamic shared memory it ends with the last variable.
  [[nodiscard]] i64 sharedBytes() const {
    return launch_.dynamicShared > 0 ? program_.dynamicShared + launch_.dynamicShared : program_.staticShared;
  }

  const Program& program_;
  const Launch& launch_;
  std::vector<std::unique_ptr<Region>> buffers_, globals_;  // by parameter (null for scalars), by module variable
  std::vector<std::uint8_t> parameters_;
  bool arbitrary_ = false;
  std::vector<std::pair<i64, i64>> arbitraryParameters_;
};

}  // namespace tessera::kernel
