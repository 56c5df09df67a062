#include "core/graphene/walk.h"

namespace tessera::graphene {

const Statement* Walk::next() {
  if (last_ != nullptr)
    if (const auto inside = bodiesOf(*last_); inside.count > 0)
      open_.push_back({last_, inside.all[0], inside.all[1], 0});
  while (!open_.empty()) {
    Level& level = open_.back();
    if (level.next < level.body->size()) return last_ = &(*level.body)[level.next++];
    if (level.another != nullptr) {
      level = {level.of, level.another, nullptr, 0};
    } else {
      open_.pop_back();
    }
  }
  return last_ = nullptr;
}

std::vector<const Spec*> leavesOf(const Program& program) {
  std::vector<const Spec*> out;
  for (Walk walk(program.specs); const Statement* s = walk.next();)
    if (const auto* spec = std::get_if<Spec>(&s->what); spec != nullptr && !spec->decomposed) out.push_back(spec);
  return out;
}

std::vector<const Spec*> outermostOf(const Program& program) {
  std::vector<const Spec*> out;
  for (const Statement& s : program.specs)
    if (const auto* spec = std::get_if<Spec>(&s.what)) out.push_back(spec);
  return out;
}

}  // namespace tessera::graphene
