// A kernel's variables, storage and statements.
#include "core/codegen/kernel/kernel_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "core/expr/simplify.h"
#include "core/graphene/spec_tree.h"

namespace tessera::codegen {

using namespace graphene;

namespace {

constexpr i64 kUnrolled = 8;      // shorter loops are unrolled
constexpr int kCopies = 1 << 20;  // keys of what fetches operand k; below: of the barrier after it

Diag at(Span span, Diag diag) {
  if (diag.span.empty()) diag.span = span;
  return diag;
}

}  // namespace

std::string commentOf(const Spec& spec) {
  const std::string head = headOf(spec);
  return "// " + head;
}

// ---- variables

// The box of this kernel: threads and blocks, what indices() gives of them, the loops.
Result<void> KernelWriter::ranges(const Spec& spec, Span span) {
  if (spec.blocks.empty() || spec.threads.empty())
    return Diag{"a kernel says how many blocks and threads it has", "<<<#blocks, #threads>>>", "", span};
  TESSERA_TRY(threads_, threadsOf(spec.threads[0], span));
  blocks_ = Expr::constant(1);
  for (const Level& level : spec.blocks[0].levels) blocks_ = blocks_ * sizeOf(level);
  Environment box;
  const auto intervalOf = [&](const Expr& e) { return factsOf(e, box).interval; };
  for (const Variable& v : program_.variables) {
    Range range{1, INT32_MAX};
    Expr value;
    if (v.kind == Variable::Kind::Thread) range = {0, threads_ - 1};
    if (v.kind == Variable::Kind::Block)
      range = {0, blocks_.isConstant() ? std::max<i64>(blocks_.value(), 1) - 1 : i64{INT32_MAX} - 1};
    if (v.kind == Variable::Kind::Index) {
      value = simplified(v.value, box);
      range = intervalOf(value);
    }
    if (v.kind == Variable::Kind::Loop) {
      const Range lo = intervalOf(v.lo), hi = intervalOf(v.hi);
      range = {lo.lo, std::max(hi.hi - 1, lo.lo)};
      if (lo.lo == lo.hi && hi.lo == hi.hi && hi.hi > lo.lo) range.hi = lo.lo + (hi.hi - 1 - lo.lo) / v.step * v.step;
    }
    box.params.push_back(range);
    values_.push_back(value);
  }
  addRotations(spec, box);
  named_.resize(box.params.size());
  depthOf_.assign(box.params.size(), 1);
  facts_ = std::make_unique<FactBase>(std::move(box));
  hoisted_.resize(1);
  return {};
}

void KernelWriter::addRotations(const Spec& spec, Environment& box) {
  for (std::size_t v = 0; v < program_.variables.size(); ++v) meaning_.push_back(Expr::param(static_cast<int>(v)));
  for (const auto& [variable, stages] : stagedLoops(program_, spec.body)) {
    const Variable& v = program_.variables[static_cast<std::size_t>(variable)];
    Rotation r;
    r.variable = variable;
    r.stages = stages;
    r.round = static_cast<int>(box.params.size());
    r.stage = r.round + 1;
    const Expr trips = simplified(v.hi - v.lo, box);
    r.rounds = simplified(floorDiv(trips, stages), box);
    if (trips.isConstant()) {
      if (trips.value() <= stages) continue;
      r.skipped = (stages - trips.value() % stages) % stages;
      r.rounds = Expr::constant((trips.value() + stages - 1) / stages);
    } else if (const Expr left = simplified(mod(trips, Expr::constant(stages)), box); !left.isConstant(0)) {
      r.left = left;
      if (factsOf(trips, box).interval.lo < 0) r.trips = trips;
    }
    // What is left is a round after the whole ones.
    box.params.push_back({0, std::max<i64>(factsOf(r.rounds, box).interval.hi - (r.left ? 0 : 1), 0)});
    box.params.push_back({0, stages - 1});
    meaning_[static_cast<std::size_t>(variable)] =
        v.lo - r.skipped.value_or(0) + Expr::param(r.round) * stages + Expr::param(r.stage);
    rotations_.push_back(std::move(r));
  }
}

// ---- storage

Result<Root*> KernelWriter::addRoot(const Tensor& tensor, Span span, bool operand) {
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
  root->places = simplified(placesOf(tensor), facts_->box());
  if (tensor.memory != Memory::Global && !root->places.isConstant())
    return Diag{fmt::format("{} has a size that is a symbol", nameOf(tensor)),
                "a number: registers and shared memory are declared with it", "", span};
  root->sums = sums_.count(&tensor) != 0;
  root->matrix = matrices_.count(&tensor) != 0;
  root->one = tensor.memory == Memory::Register && root->places.isConstant(1);
  scopes_.back().roots[nameOf(tensor)] = root.get();
  roots_.push_back(std::move(root));
  return roots_.back().get();
}

Root* KernelWriter::rootOf(const std::string& name) const {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    const auto found = scope->roots.find(name);
    if (found != scope->roots.end()) return found->second;
  }
  return nullptr;
}

// %A is a parameter; an operand in registers or shared memory has a copy here, dst_local.
Result<void> KernelWriter::operands() {
  for (const Tensor& t : program_.operands) {
    if (t.threads) continue;
    TESSERA_TRY(Root * root, addRoot(t, {}, true));
    root->name = out_.name(t.name);
    operands_.push_back(root);
  }
  for (std::size_t v = 0; v < program_.variables.size(); ++v)
    if (program_.variables[v].kind == Variable::Kind::Size) named_[v] = out_.name(program_.variables[v].name);
  return {};
}

void KernelWriter::declare(Root& root) {
  const std::string& word = out_.use(root.name);
  const i64 places = root.places.value();
  root.depth = out_.depth();
  std::string text = fmt::format("{} {};", root.type.text, word);
  if (root.tensor.memory == Memory::Shared) {
    text = sharedText(root, word);
  } else if (!root.one) {
    text = fmt::format("__align__(16) {} {}[{}];", root.type.text, word, places);
  }
  (void)out_.takeUses();
  out_.define(root.name, std::move(text));
}

// ---- statements

Result<void> KernelWriter::body(const Body& statements) {
  for (const Statement& s : statements) TESSERA_CHECKED(statement(s));
  return {};
}

Result<void> KernelWriter::scoped(const Body& statements) {
  scopes_.emplace_back();
  hoisted_.resize(static_cast<std::size_t>(out_.depth()) + 1);
  const auto before = named_;
  TESSERA_CHECKED(body(statements));
  named_ = before;  // indices of this body are seen no more
  hoisted_.resize(static_cast<std::size_t>(out_.depth()));
  scopes_.pop_back();
  return {};
}

Result<void> KernelWriter::statement(const Statement& s) {
  out_.statement(s.span);
  return std::visit([&](const auto& what) { return one(what, s.span); }, s.what);
}

Result<void> KernelWriter::one(const Define& d, Span) {
  if (!d.tensor.threads) scopes_.back().roots[nameOf(d.tensor)] = rootOf(d.source);
  return {};
}

Result<void> KernelWriter::one(const Temporary& t, Span span) {
  if (t.tensor.threads) return {};
  TESSERA_TRY(Root * root, addRoot(t.tensor, span, false));
  root->name = out_.name(t.tensor.name);
  header(root->type);
  declare(*root);
  return {};
}

// In a loop through stages, what threads and blocks alone give is named before the loop: bases of addresses are made of
// it.
int KernelWriter::depthOfIndex(const Expr& value) const {
  if (turning_.empty()) return out_.depth();
  const int before = turningDepth_.back();
  const std::vector<int> params = paramsOf(value);
  const bool early =
      std::all_of(params.begin(), params.end(), [&](int p) { return depthOf_[static_cast<std::size_t>(p)] <= before; });
  return early ? before : out_.depth();
}

Result<void> KernelWriter::one(const Indices& indices, Span) {
  for (const auto& level : indices.variables)
    for (const auto& dim : level)
      for (const int v : dim) {
        const auto index = static_cast<std::size_t>(v);
        const std::string value = text(values_[index], true);
        const std::vector<Writer::Name> uses = out_.takeUses();
        const std::string wish = program_.variables[index].name;
        const int depth = depthOfIndex(values_[index]);
        const Writer::Name name = out_.name(wish[0] == '@' ? wish.substr(1) : wish, depth);
        const std::string word = out_.use(name);
        (void)out_.takeUses();
        const std::string line = fmt::format("const int {} = {};", word, value);
        if (depth < out_.depth()) {
          out_.hoist(depth, name, line, uses);
        } else {
          for (const Writer::Name n : uses) (void)out_.use(n);
          out_.define(name, line);
        }
        named_[index] = name;
        depthOf_[index] = depth;
      }
  return {};
}

// Whether a counter has values that no int has, the one at which it stops included. Where that is a size of the
// call, it is the size, which is an int.
bool KernelWriter::isWide(const Variable& v) const {
  const Range from = facts_->of(v.lo).interval, to = facts_->of(v.hi).interval;
  const i64 past = v.hi.isConstant() ? v.step - 1 : 0;
  return from.lo < INT32_MIN || to.hi > INT32_MAX - past;
}

Result<void> KernelWriter::one(const Loop& loop, Span) {
  for (Rotation& r : rotations_)
    if (r.variable == loop.variable) return rotated(loop, r);
  const auto index = static_cast<std::size_t>(loop.variable);
  const Variable& v = program_.variables[index];
  const Expr lo = small(v.lo), hi = small(v.hi);
  const std::string from = text(lo), to = text(hi);
  const std::vector<Writer::Name> uses = out_.takeUses();  // of the loop's line, not of what may be left out before it
  out_.optional("#pragma unroll", loop.variable);
  const Range trips = facts_->of(hi - lo).interval;
  if (trips.hi <= kUnrolled * v.step) out_.keep(loop.variable);
  const Writer::Name name = out_.name(v.name, out_.depth());
  const std::string word = out_.use(name);
  const std::string step = v.step == 1 ? "++" + word : fmt::format("{} += {}", word, v.step);
  for (const Writer::Name n : uses) (void)out_.use(n);
  out_.open(
      fmt::format("for ({} {} = {}; {} < {}; {}) {{", isWide(v) ? "long long" : "int", word, from, word, to, step));
  named_[index] = name;
  depthOf_[index] = out_.depth();
  TESSERA_CHECKED(scoped(loop.body));
  out_.close();
  out_.release(name);
  return {};
}

Result<void> KernelWriter::one(const Branch& branch, Span) {
  std::string condition;
  for (const Comparison& c : branch.condition) condition += (condition.empty() ? "" : " && ") + comparison(c);
  ++branches_;
  out_.open(fmt::format("if ({}) {{", condition));
  TESSERA_CHECKED(scoped(branch.then));
  if (!branch.otherwise.empty()) {
    out_.close("} else {");
    out_.reopen();
    TESSERA_CHECKED(scoped(branch.otherwise));
  }
  out_.close();
  --branches_;
  return {};
}

Result<void> KernelWriter::one(const Sync& s, Span) {
  out_.line(s.warp ? "__syncwarp();" : "__syncthreads();");
  return {};
}
Result<void> KernelWriter::one(const Commit& c, Span) {
  if (c.product) {
    fixed("wgmma_commit");
    out_.line("tessera::wgmma_commit();");
    return {};
  }
  fixed("cp_async_commit");
  out_.line("tessera::cp_async_commit();");
  return {};
}
Result<void> KernelWriter::one(const Wait& w, Span) {
  if (w.product) {
    fixed("wgmma_wait");
    out_.line(fmt::format("tessera::wgmma_wait<{}>();", w.pending));
    settle();
    return {};
  }
  fixed("cp_async_wait");
  out_.line(fmt::format("tessera::cp_async_wait<{}>();", w.pending));
  return {};
}

Result<void> KernelWriter::one(const Fence& f, Span) {
  if (!f.async) settle();
  fixed(f.async ? "fence_async" : "wgmma_fence");
  out_.line(f.async ? "tessera::fence_async();" : "tessera::wgmma_fence();");
  return {};
}

Result<void> KernelWriter::one(const Spec& spec, Span span) {
  if (!spec.decomposed) {
    auto done = leaf(spec, span);
    return done ? done : Result<void>(at(span, done.error()));
  }
  out_.line(commentOf(spec));
  out_.open("{");
  TESSERA_CHECKED(scoped(spec.body));
  out_.close();
  return {};
}

// ---- the kernel

Result<void> KernelWriter::before(const Statement& s) {
  outside_.push_back(s);
  return {};
}

// Element i of this thread's copy, or all of the block's: between a pointer that the caller gave and the copy here.
void KernelWriter::eachPlace(const Root& root, bool store) {
  const i64 places = root.places.value();
  const bool shared = root.tensor.memory == Memory::Shared;
  const std::string here = out_.use(root.name);
  const std::string first = shared ? fmt::format("blockIdx.x * {}", places)
                                   : fmt::format("(blockIdx.x * {} + threadIdx.x) * {}", threads_, places);
  const std::string index = places == 1 ? first : first + " + i";
  const std::string local = root.one ? here : here + "[i]",
                    global = fmt::format("{}[{}]", out_.use(root.caller), index);
  const std::string move = fmt::format("{} = {};", store ? global : local, store ? local : global);
  if (root.one) return out_.line(move);
  if (shared)
    out_.open(fmt::format("for (int i = threadIdx.x; i < {}; i += {}) {{", places, threads_));
  else {
    out_.line("#pragma unroll");
    out_.open(fmt::format("for (int i = 0; i < {}; ++i) {{", places));
  }
  out_.line(move);
  out_.close();
}

// What the body turns out not to use is not fetched.
void KernelWriter::fetchCopies() {
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

void KernelWriter::storeCopies() {
  bool shared = false;
  for (std::size_t k = 0; k < operands_.size(); ++k) {
    Root& root = *operands_[k];
    if (root.tensor.memory == Memory::Global || !root.used) continue;
    out_.keep(kCopies + static_cast<int>(k));
    if (root.tensor.memory == Memory::Shared) {
      out_.keep(kCopies - 1);
      countShared(root);
      if (root.written && !shared) out_.line("__syncthreads();");
      shared = shared || root.written;
    }
    if (root.written) eachPlace(root, /*store=*/true);
  }
}

Result<Kernel> KernelWriter::run(const Spec& spec, Span span, std::string name) {
  TESSERA_CHECKED(ranges(spec, span));
  findProducts();
  TESSERA_CHECKED(operands());
  out_.open("");  // the signature, when it is known what the body uses
  hoisted_.resize(2);
  out_.statement(span);
  chooseShared(spec);
  fetchCopies();
  for (const Statement& s : outside_) TESSERA_CHECKED(statement(s));
  out_.statement(span);
  if (spec.decomposed) {
    TESSERA_CHECKED(scoped(spec.body));
  } else {
    TESSERA_CHECKED(one(spec, span));
  }
  out_.statement(span);
  storeCopies();
  out_.close();
  TESSERA_CHECKED(enoughShared(span));
  Kernel kernel = described(spec, std::move(name));
  const std::string head = signature(kernel);
  text_ = out_.finish();
  text_.front().text = withUnused(head);
  return kernel;
}

Kernel KernelWriter::described(const Spec&, std::string name) {
  Kernel kernel;
  kernel.name = std::move(name);
  kernel.blocks = simplified(blocks_, facts_->box());
  kernel.threads = threads_;
  kernel.sharedBytes = shared_ + dynamicBytes_;
  kernel.dynamicBytes = dynamicBytes_;
  for (const Root* root : operands_) {
    if (!root->used) continue;
    Expr places = root->places;
    if (root->tensor.memory != Memory::Global) places = places * kernel.blocks;
    if (root->tensor.memory == Memory::Register) places = places * threads_;
    kernel.params.push_back({root->tensor.name, false, root->written, root->tensor.element, places});
    header(root->type);
  }
  for (const MapParam& m : maps_)
    kernel.params.push_back({m.root->tensor.name, false, false, m.root->tensor.element, m.root->places, m.map});
  for (std::size_t v = 0; v < program_.variables.size(); ++v)
    if (program_.variables[v].kind == Variable::Kind::Size)
      kernel.params.push_back({program_.variables[v].name, true, false, "i32", Expr::constant(1)});
  return kernel;
}

// Every kernel of a program is given all its sizes; one that a kernel does not speak of is marked.
std::string KernelWriter::withUnused(std::string head) {
  const auto isPart = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  const auto speaksOf = [&](const std::string& line, const std::string& word) {
    for (std::size_t at = line.find(word); at != std::string::npos; at = line.find(word, at + 1))
      if ((at == 0 || !isPart(line[at - 1])) && (at + word.size() == line.size() || !isPart(line[at + word.size()])))
        return true;
    return false;
  };
  for (std::size_t v = 0; v < program_.variables.size(); ++v) {
    if (program_.variables[v].kind != Variable::Kind::Size) continue;
    const std::string& word = out_.use(*named_[v]);
    if (std::any_of(text_.begin() + 1, text_.end(), [&](const Writer::Line& l) { return speaksOf(l.text, word); }))
      continue;
    const std::string param = "int " + word;
    for (const char* end : {",", ")"})
      if (const std::size_t at = head.find(param + end); at != std::string::npos) {
        head.insert(at, "[[maybe_unused]] ");
        break;
      }
  }
  return head;
}

std::string KernelWriter::signature(const Kernel& kernel) {
  std::string params;
  const auto add = [&](const std::string& text) { params += (params.empty() ? "" : ", ") + text; };
  for (const Root* root : operands_) {
    if (!root->used) continue;
    const std::string& word = out_.use(root->caller < 0 ? root->name : root->caller);
    add(root->written ? fmt::format("{}* {}", root->type.text, word)
                      : fmt::format("const {}* __restrict__ {}", root->type.text, word));
  }
  for (const MapParam& m : maps_) add("const __grid_constant__ tessera::TensorMap " + out_.use(m.name));
  for (std::size_t v = 0; v < program_.variables.size(); ++v)
    if (program_.variables[v].kind == Variable::Kind::Size) add("int " + out_.use(*named_[v]));
  return fmt::format("extern \"C\" __global__ void __launch_bounds__({}) {}({}) {{", threads_, kernel.name, params);
}

}  // namespace tessera::codegen
