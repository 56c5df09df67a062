// file_dialogs: questions about files. path_dialog.cpp lets the user choose a path to open, save or export to, in a
// field or among the folder's entries, and asks before a file is replaced or unsaved text is lost. disk_dialogs.cpp
// asks which text to keep when another program has changed the sheet's file, and lists the sheets of closed or killed
// windows.
//
//     $ git checkout other-branch        # the window gets the focus
//     sheet.tess was changed on disk     [Compare] [Keep mine] [Take theirs] [Not now]
#pragma once

#include <functional>
#include <string>

#include "app/gui/commands.h"

namespace tessera {

void askForPath(WindowState& state, PathQuestion::Ask what, std::string path);
// Where the questions to the solver are written.
void askForSmt2(Session& session, WindowState& state);
// Save as, then calls `after` unless it was cancelled.
void askSaveAs(WindowState& state, std::string path, std::function<void()> after);
// Export of an outcome's picture, with a file name from its title; kCompared: of both compared pictures.
void askExport(Session& session, WindowState& state, std::size_t outcome);
// The list of entries does not lead above this folder; initially "/".
void setTopFolder(const std::string& folder);
// Closes it without calling `after`.
void closePath(WindowState& state);

namespace panes {
void pathDialog(Session& session, WindowState& state, GridTextures& textures);
// Writes the picture of an outcome as displayed in its pane, with its isolated thread, phase, view, slice and pins; on
// failure shows a message and returns false.
bool exportSeen(Session& session, CanvasState& canvas, const ExportChoices& choices, const std::string& path);
// The same as an image on the clipboard, by xclip or wl-copy.
bool copySeen(Session& session, CanvasState& canvas, const ExportChoices& choices);
// The whole sheet as Markdown, or as one HTML file, with the pictures as displayed in their panes
// (app/engine/report/report.h).
bool exportReport(Session& session, CanvasState& canvas, const ExportChoices& choices, const std::string& path);
// The picture that is exported, with the parts that are chosen; "csv" decides how two compared ones are combined.
[[nodiscard]] Result<Figure> exportedFigure(const Session& session, CanvasState& canvas, const ExportChoices& choices,
                                            const std::string& format);
}  // namespace panes

// Asks the session's question about the file, if any. Call once per frame, before the dialogs are drawn.
void diskDialogs(Session& session, WindowState& state);
// The recovered and earlier sheets: opens or discards one.
void askRecovered(Session& session, WindowState& state);

}  // namespace tessera
