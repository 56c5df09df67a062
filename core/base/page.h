// Whether this is the web page. It has to be small (docs/web.md), so it leaves out some work that the desktop program
// does, and says so:
//
//     if (kIsPage) return Diag{"the page does not ..."};       the compiler leaves out what follows
#pragma once

namespace tessera {

#ifdef __EMSCRIPTEN__
inline constexpr bool kIsPage = true;
#else
inline constexpr bool kIsPage = false;
#endif

}  // namespace tessera
