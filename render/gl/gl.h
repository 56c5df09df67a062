// OpenGL's functions: those of OpenGL 3.3 on a desktop, those of WebGL 2 (OpenGL ES 3) on a web page.
#pragma once

#ifdef __EMSCRIPTEN__
#include <GLES3/gl3.h>
#else
#include <epoxy/gl.h>
#endif
