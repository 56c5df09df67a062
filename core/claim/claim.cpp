#include "core/claim/claim.h"

namespace tessera {

const char* name(Truth truth) {
  switch (truth) {
    case Truth::Proved:
      return "proved";
    case Truth::Refuted:
      return "refuted";
    case Truth::Unknown:
      return "unknown";
  }
  return "";
}

const char* name(ClaimKind kind) {
  switch (kind) {
    case ClaimKind::Injective:
      return "injective";
    case ClaimKind::Surjective:
      return "surjective";
    case ClaimKind::Bijective:
      return "bijective";
    case ClaimKind::Equal:
      return "equal";
    case ClaimKind::Roundtrip:
      return "roundtrip";
    case ClaimKind::InBounds:
      return "in_bounds";
    case ClaimKind::ConflictFree:
      return "conflict_free";
    case ClaimKind::Coalesced:
      return "coalesced";
    case ClaimKind::Vectorizes:
      return "vectorizes";
    case ClaimKind::Aligned:
      return "aligned";
  }
  return "";
}

const char* name(Method method) {
  switch (method) {
    case Method::Auto:
      return "auto";
    case Method::Simplify:
      return "simplify";
    case Method::Strided:
      return "strided";
    case Method::F2:
      return "f2";
    case Method::Exhaustive:
      return "exhaustive";
    case Method::Z3:
      return "z3";
  }
  return "";
}

}  // namespace tessera
