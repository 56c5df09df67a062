# The web page, compiled by Emscripten: build/web/page is a folder that any web server can serve. ./web gives
# TESSERA_CARRIED (header libraries), TESSERA_FMT_SOURCE, TESSERA_IMGUI (sources) and TESSERA_FONTS (a folder of fonts).
set(TESSERA_FONTS "" CACHE PATH "Inter and JetBrains Mono, and many.ttf with the characters of other scripts")
add_library(tessera_imgui STATIC "${TESSERA_IMGUI}/imgui.cpp" "${TESSERA_IMGUI}/imgui_draw.cpp" "${TESSERA_IMGUI}/imgui_tables.cpp"
                                 "${TESSERA_IMGUI}/imgui_widgets.cpp" "${TESSERA_IMGUI}/backends/imgui_impl_opengl3.cpp"
                                 "${TESSERA_IMGUI}/misc/cpp/imgui_stdlib.cpp")
target_include_directories(tessera_imgui SYSTEM PUBLIC "${TESSERA_IMGUI}" "${TESSERA_IMGUI}/misc/cpp")
# WebGL has no offsets of vertices, so a list of more than 65,535 vertices needs larger indices.
target_compile_definitions(tessera_imgui PUBLIC IMGUI_IMPL_OPENGL_ES3 "ImDrawIdx=unsigned int" IMGUI_DISABLE_DEMO_WINDOWS)

file(GLOB web_sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/app/web/*.cpp")
add_executable(tessera_web ${web_sources})
target_link_libraries(tessera_web PRIVATE tessera_app)
foreach(part gallery graphene kernels manual.md)
  target_link_options(tessera_web PRIVATE "SHELL:--preload-file ${CMAKE_CURRENT_SOURCE_DIR}/assets/${part}@/assets/${part}")
endforeach()
set(page "${CMAKE_BINARY_DIR}/page")
file(MAKE_DIRECTORY "${page}")
set_target_properties(tessera_web PROPERTIES OUTPUT_NAME tessera RUNTIME_OUTPUT_DIRECTORY "${page}")
set(TESSERA_WEB_LINK -O2 CACHE STRING "how far the linker optimises: -O1 links in 20 s, the page is 40 % larger")
target_link_options(tessera_web PRIVATE ${TESSERA_WEB_LINK} -sMIN_WEBGL_VERSION=2 -sMAX_WEBGL_VERSION=2 -sDYNAMIC_EXECUTION=0 -sALLOW_MEMORY_GROWTH=1 -sINITIAL_MEMORY=67108864
                    -sTOTAL_STACK=4194304 -sENVIRONMENT=web -sEXPORTED_RUNTIME_METHODS=FS,ENV,UTF8ToString -sEXPORTED_FUNCTIONS=_main,_malloc,_free -sFORCE_FILESYSTEM=1
                    "SHELL:--preload-file ${TESSERA_FONTS}/packed@/fonts")
