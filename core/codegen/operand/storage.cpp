#include "core/codegen/operand/storage.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/graphene/spec_tree.h"

namespace tessera::codegen {

using namespace graphene;

namespace {

constexpr int kCopies = 1 << 20;  // keys of what fetches operand k; below: of the barrier after it

}  // namespace

Result<Root*> Storage::add(const Tensor& tensor, Span span, bool operand) {
  const auto type = scalarType(tensor.element);
  if (!type)
    return Diag{fmt::format("{} has elements of type '{}', which generated code has no C++ type for", nameOf(tensor),
                            tensor.element),
                "fp64 fp32 tf32 fp16 bf16 e4m3 e5m2 or an integer of 8 bits or more", "", span};
  if (tensor.memory == Memory::None)
    return Diag{fmt::format("{} is nowhere", nameOf(tensor)), ".GL, .SH or .RF after the element type", "", span};
  if (!operand && tensor.memory == Memory::Global)
    return Diag{fmt::format("{} is a temporary in global memory", nameOf(tensor)), ".SH or .RF", "", span};
  auto root = std::make_unique<Root>();
  root->tensor = tensor;
  root->type = *type;
  root->operand = operand;
  root->places = variables_.simple(placesOf(tensor));
  if (tensor.memory != Memory::Global && !root->places.isConstant())
    return Diag{fmt::format("{} has a size that is a symbol", nameOf(tensor)),
                "a number: registers and shared memory are declared with it", "", span};
  root->sums = products_.sums.count(&tensor) != 0;
  root->matrix = products_.matrices.count(&tensor) != 0;
  root->one = tensor.memory == Memory::Register && root->places.isConstant(1);
  root->name = out_.name(tensor.name);
  scopes_.back()[nameOf(tensor)] = root.get();
  roots_.push_back(std::move(root));
  return roots_.back().get();
}

Result<void> Storage::operands(const Program& program) {
  for (const Tensor& t : program.operands) {
    if (t.threads) continue;
    TESSERA_TRY(Root * root, add(t, {}, true));
    operands_.push_back(root);
  }
  return {};
}

Result<void> Storage::temporary(const Temporary& t, Span span) {
  if (t.tensor.threads) return {};
  TESSERA_TRY(Root * root, add(t.tensor, span, false));
  out_.includes(root->type.header);
  declare(*root);
  return {};
}

void Storage::view(const Define& d) {
  if (!d.tensor.threads) scopes_.back()[nameOf(d.tensor)] = find(d.source);
}

Root* Storage::find(const std::string& name) const {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    const auto found = scope->find(name);
    if (found != scope->end()) return found->second;
  }
  return nullptr;
}

void Storage::declare(Root& root) {
  const std::string& word = out_.use(root.name);
  root.depth = out_.depth();
  std::string text = fmt::format("{} {};", root.type.text, word);
  if (root.tensor.memory == Memory::Shared) {
    text = shared_.declared(root, word, out_);
  } else if (!root.one) {
    text = fmt::format("__align__(16) {} {}[{}];", root.type.text, word, root.places.value());
  }
  (void)out_.takeUses();
  out_.define(root.name, std::move(text));
}

void Storage::settle() {
  for (const auto& root : roots_) {
    const bool visible = std::any_of(scopes_.begin(), scopes_.end(), [&](const Scope& scope) {
      return std::any_of(scope.begin(), scope.end(), [&](const auto& view) { return view.second == root.get(); });
    });
    if (!root->sums || !visible) continue;
    out_.calls("settled");
    out_.line(fmt::format("tessera::settled<{}>({});", root->places.value(), out_.use(root->name)));
  }
}

// ---- an operand in registers or shared memory

// Element i of this thread's copy, or all of the block's: between a pointer that the caller gave and the copy here.
void Storage::eachPlace(const Root& root, bool store) {
  const i64 places = root.places.value(), threads = variables_.threads();
  const bool shared = root.tensor.memory == Memory::Shared;
  const std::string here = out_.use(root.name);
  const std::string first = shared ? fmt::format("blockIdx.x * {}", places)
                                   : fmt::format("(blockIdx.x * {} + threadIdx.x) * {}", threads, places);
  const std::string index = places == 1 ? first : first + " + i";
  const std::string local = root.one ? here : here + "[i]",
                    global = fmt::format("{}[{}]", out_.use(root.caller), index);
  const std::string move = fmt::format("{} = {};", store ? global : local, store ? local : global);
  if (root.one) return out_.line(move);
  if (shared)
    out_.open(fmt::format("for (int i = threadIdx.x; i < {}; i += {}) {{", places, threads));
  else {
    out_.line("#pragma unroll");
    out_.open(fmt::format("for (int i = 0; i < {}; ++i) {{", places));
  }
  out_.line(move);
  out_.close();
}

// What the body turns out not to use is not fetched.
void Storage::fetchCopies() {
  for (std::size_t k = 0; k < operands_.size(); ++k) {
    Root& root = *operands_[k];
    if (root.tensor.memory == Memory::Global) continue;
    root.caller = root.name;
    root.name = out_.name(root.tensor.name + "_local");
    out_.only(kCopies + static_cast<int>(k));
    declare(root);
    eachPlace(root, /*store=*/false);
  }
  out_.only(kCopies - 1);
  out_.line("__syncthreads();");
  out_.only(-1);
}

void Storage::storeCopies() {
  bool shared = false;
  for (std::size_t k = 0; k < operands_.size(); ++k) {
    Root& root = *operands_[k];
    if (root.tensor.memory == Memory::Global || !root.used) continue;
    out_.keep(kCopies + static_cast<int>(k));
    if (root.tensor.memory == Memory::Shared) {
      out_.keep(kCopies - 1);
      shared_.count(root);
      if (root.written && !shared) out_.line("__syncthreads();");
      shared = shared || root.written;
    }
    if (root.written) eachPlace(root, /*store=*/true);
  }
}

}  // namespace tessera::codegen
