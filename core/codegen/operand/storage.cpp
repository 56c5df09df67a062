#include "core/codegen/operand/storage.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/arith.h"
#include "core/codegen/kernel/multiprocessor.h"
#include "core/graphene/spec_tree.h"
#include "core/graphene/walk.h"

namespace tessera::codegen {

using namespace graphene;

namespace {

constexpr int kCopies = 1 << 20;  // + k: key of the lines that fetch operand k; - 1: of the barrier after them

constexpr i64 kGranule = 128;  // of dynamic shared memory, for TMA and swizzles

i64 bytesOf(i64 places, const ScalarType& type, i64 granule) { return roundUp(places * type.bits / 8, granule); }

// Bytes of the shared arrays that a body and the bodies inside it declare.
i64 sharedOf(const Body& statements, const Variables& variables) {
  i64 bytes = 0;
  for (Walk walk(statements); const Statement* s = walk.next();) {
    const auto* t = std::get_if<Temporary>(&s->what);
    if (t == nullptr || t->tensor.threads || t->tensor.memory != Memory::Shared) continue;
    const auto type = scalarType(t->tensor.element);
    const Expr places = variables.simple(placesOf(t->tensor));
    if (type && places.isConstant()) bytes += bytesOf(places.value(), *type, 16);
  }
  return bytes;
}

// In bytes. Descriptors and TMA swizzle addresses, so the storage must begin at a period of the swizzle.
i64 alignmentOf(const Root& root) {
  if (!root.matrix) return 16;
  return root.tensor.swizzle.isIdentity() ? 128 : 1024;
}

}  // namespace

Result<Root*> Storage::add(const Tensor& tensor, Span span, bool operand) {
  const auto type = scalarType(tensor.element);
  if (!type)
    return Diag{fmt::format("{} has elements of type '{}', for which generated code has no C++ type", nameOf(tensor),
                            tensor.element),
                "fp64 fp32 tf32 fp16 bf16 e4m3 e5m2 or an integer of 8 bits or more", "", span};
  if (tensor.memory == Memory::None)
    return Diag{fmt::format("{} has no memory space", nameOf(tensor)), ".GL, .SH or .RF after the element type", "",
                span};
  if (!operand && tensor.memory == Memory::Global)
    return Diag{fmt::format("{} is a temporary in global memory", nameOf(tensor)), ".SH or .RF", "", span};
  auto root = std::make_unique<Root>();
  root->tensor = tensor;
  root->type = *type;
  root->operand = operand;
  root->places = variables_.simple(placesOf(tensor));
  if (tensor.memory != Memory::Global && !root->places.isConstant())
    return Diag{fmt::format("{} has a symbolic size", nameOf(tensor)),
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
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope)
    if (const auto found = scope->find(name); found != scope->end()) return found->second;
  return nullptr;
}

void Storage::declare(Root& root) {
  const std::string& word = out_.use(root.name);
  root.depth = out_.depth();
  std::string text = root.tensor.memory == Memory::Shared ? shared_.declared(root, word, out_)
                     : root.one                           ? fmt::format("{} {};", root.type.text, word)
                                : fmt::format("__align__(16) {} {}[{}];", root.type.text, word, root.places.value());
  (void)out_.takeUses();
  out_.define(root.name, std::move(text));
}

void Storage::settle() {
  for (const auto& root : roots_) {
    const bool visible = std::ranges::any_of(scopes_, [&](const Scope& scope) {
      return std::ranges::any_of(scope, [&](const auto& view) { return view.second == root.get(); });
    });
    if (!root->sums || !visible) continue;
    out_.calls("settled");
    out_.line(fmt::format("tessera::settled<{}>({});", root->places.value(), out_.use(root->name)));
  }
}

// ---- an operand in registers or shared memory

// Copies between the caller's pointer and the local copy: this thread's elements, or all of the block's.
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

// Fetches are dropped later if the body does not use the operand.
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

Products productsOf(const Program& program, const std::string& architecture) {
  Products out;
  if (!runsOn("sm_90", architecture)) return out;
  const SpecTree tree = specTree(program, architecture);
  for (const SpecRow& row : tree.rows) {
    if (!row.atom) continue;
    const auto declared = [&](std::size_t k) { return tree.roots[static_cast<std::size_t>(row.roots[k])].tensor; };
    if (row.atom->box) out.matrices.insert(declared(0));
    // Accesses to sums, and to A in registers, must not cross fences and waits.
    for (std::size_t k = 0; k < row.roots.size() && row.atom->deferred; ++k)
      (matrixOf(*row.atom, k) != nullptr ? out.matrices : out.sums).insert(declared(k));
  }
  return out;
}

void SharedMemory::choose(const Body& outside, const Body& body, const Variables& variables) {
  dynamic_ = sharedOf(outside, variables) + sharedOf(body, variables) > kMostStaticShared;
}

std::string SharedMemory::declared(const Root& root, const std::string& word, Writer& out) {
  const i64 places = root.places.value();
  if (!dynamic_ || root.operand) {
    if (!root.operand) declared_ += bytesOf(places, root.type, 16);
    return fmt::format("__shared__ __align__({}) {} {}[{}];", alignmentOf(root), root.type.text, word, places);
  }
  out.calls("dynamic_shared");
  const i64 alignment = std::max(kGranule, alignmentOf(root));
  dynamicBytes_ = roundUp(dynamicBytes_, alignment);
  const std::string from = dynamicBytes_ == 0 ? "" : fmt::format(" + {}", dynamicBytes_);
  dynamicBytes_ += bytesOf(places, root.type, kGranule);
  return fmt::format("{}* const {} = reinterpret_cast<{}*>(tessera::dynamic_shared(){});", root.type.text, word,
                     root.type.text, from);
}

void SharedMemory::count(const Root& operand) { declared_ += bytesOf(operand.places.value(), operand.type, 16); }

Result<void> SharedMemory::enough(const std::string& architecture, Span span) const {
  const auto m = multiprocessorOf(architecture);
  const i64 most = m ? m->sharedOfBlock : kMostStaticShared;
  if (declared_ > kMostStaticShared)
    return Diag{fmt::format("the operands of this kernel take {} bytes of shared memory", declared_),
                fmt::format("at most {}: what a kernel may declare", kMostStaticShared), "smaller tiles", span};
  if (bytes() <= most) return {};
  return Diag{fmt::format("this kernel needs {} bytes of shared memory", bytes()),
              fmt::format("at most {}: what a block of {} may have", most, architecture),
              "smaller tiles or fewer stages", span};
}

}  // namespace tessera::codegen
