#include "solver/graphene/z3/provenance.h"

#include <fmt/format.h>

namespace tessera::graphene {

bool Provenance::written(Box& box, const Place& out, const Done& done, int depth) {
  const Site& site = *out.site;
  if (!site.atom || site.atom->lanes != 1 || depth > 12)
    return fail(site.atom && site.atom->lanes != 1
                    ? fmt::format("{} exchanges values between threads: decided by running", site.atom->name)
                    : "the chain of writers is too long");
  switch (site.atom->function) {
    case AtomFunction::Constant:
      return done(box, {Value::Kind::Constant, site.atom->operation, initialNumber(site.atom->operation).value_or(0)});
    case AtomFunction::Copy:
      return operand(box, out, 0, done, depth);
    case AtomFunction::Unary:
    case AtomFunction::Binary:
      return operation(box, out, {}, done, depth);
    case AtomFunction::MultiplyAdd:
      return fail("sums in temporaries are decided by running");
  }
  return false;
}

bool Provenance::fail(std::string reason) {
  reason_ = std::move(reason);
  return false;
}

bool Provenance::operation(Box& box, const Place& out, const std::vector<Value>& first, const Done& done, int depth) {
  const Atom& atom = *out.site->atom;
  const auto next = [&](const Box& b, const Value& argument) {
    std::vector<Value> arguments = first;
    arguments.push_back(argument);
    Box copy = b;
    if (atom.function == AtomFunction::Binary && first.empty()) return operation(copy, out, arguments, done, depth);
    return done(b, {.kind = Value::Kind::Operation, .name = atom.operation, .arguments = std::move(arguments)});
  };
  return operand(box, out, static_cast<int>(first.size()), next, depth);
}

bool Provenance::operand(Box& box, const Place& out, int k, const Done& done, int depth) {
  const int number = static_cast<int>(out.site->spec->outputs.size()) + k;
  const Access* access = out.site->accessTo(number);
  if (access == nullptr) return fail("an operand is missing");
  const auto& terms = out.site->atom->terms;
  for (std::size_t s = 0; s < terms.size(); ++s)
    if (terms[s].size() != 1 || (k == 0 ? terms[s][0].a : terms[s][0].b) != static_cast<int>(s))
      return fail("an instruction that permutes its values");
  const Place in = kernel_.placeAt(box, out, *access);
  box.equal(box.slotNumber(access->view, in.slots), box.slotNumber(out.access->view, out.slots));
  return read(box, in, done, depth);
}

bool Provenance::read(Box& box, const Place& in, const Done& done, int depth) {
  const Storage& storage = kernel_.sites().of(*in.access);
  if (storage.operand) {
    if (kernel_.isOutput(in.access->storage)) return fail("it reads what it writes");
    const int from = in.access->storage;
    return done(box, {Value::Kind::Input, {}, 0, from, in.coordinate, kernel_.extentsOf(from, box, in.copy), {}, 0});
  }
  const std::vector<const Site*> writers = kernel_.writers(in.access->storage);
  if (writers.empty()) return fail("nothing writes a temporary");
  if (writers.size() > 1 || !once(*writers[0], *kernel_.accessOf(*writers[0], in.access->storage, true)))
    exact_ = false;
  for (const Site* writer : writers) {
    Box next = box;
    const Share share{true, storage.declared.memory == Memory::Register, storage.loops};
    const Place w = kernel_.place(next, *writer, *kernel_.accessOf(*writer, in.access->storage, true), &in.copy, share);
    for (std::size_t d = 0; d < w.location.size(); ++d) next.equal(w.location[d], in.location[d]);
    if (!written(next, w, done, depth + 1)) return false;
  }
  return true;
}

bool Provenance::once(const Site& site, const Access& access) {
  const Storage& storage = kernel_.sites().of(access);
  Box box(kernel_.sites(), kernel_.kernel());
  const Place at = kernel_.place(box, site, access);
  const std::vector<Expr> axes = instanceAxes(box, at, storage.declared.memory, storage.loops);
  return kernel_.distinct(box, axes).truth == Truth::Proved;
}

}  // namespace tessera::graphene
