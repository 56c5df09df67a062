#!/usr/bin/env python3
"""pack.py [OUT.vsix]: packs the extension for VS Code, without a network and without npm.

    editors/vscode/pack.py /tmp/tessera.vsix && code --install-extension /tmp/tessera.vsix

A .vsix is a zip with [Content_Types].xml, extension.vsixmanifest and the files below extension/. Law: the same sources
give the same bytes (tests/lsp/package.py).
"""
import json, pathlib, struct, sys, zipfile, zlib
from xml.sax.saxutils import quoteattr

HERE = pathlib.Path(__file__).resolve().parent
FILES = ["package.json", "extension.js", "language-configuration.json", "README.md",
         "snippets/tess.json", "snippets/graphene.json", "syntaxes/tess.tmLanguage.json",
         "syntaxes/graphene.tmLanguage.json"]
TYPES = {".json": "application/json", ".js": "application/javascript", ".md": "text/markdown", ".txt": "text/plain",
         ".png": "image/png", ".vsixmanifest": "text/xml"}


def icon():
    """128 x 128 PNG: a 4 x 4 tile, coloured by row xor column, as a swizzle."""
    colours = [(0x7a, 0x3f, 0xd0), (0x21, 0x58, 0xd6), (0x0a, 0x75, 0x59), (0xd0, 0x7a, 0x1f)]
    rows = bytearray()
    for y in range(128):
        rows.append(0)  # no filter
        for x in range(128):
            inside = x % 32 in range(2, 30) and y % 32 in range(2, 30)
            rows += bytes((*colours[(x // 32) ^ (y // 32)], 255)) if inside else bytes(4)
    word = lambda n: struct.pack(">I", n)
    chunk = lambda kind, data: word(len(data)) + kind + data + word(zlib.crc32(kind + data))
    head = struct.pack(">IIBBBBB", 128, 128, 8, 6, 0, 0, 0)
    data = zlib.compress(bytes(rows), 9)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def manifest(package):
    text = lambda key: quoteattr(str(package[key]))
    return f"""<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011">
  <Metadata>
    <Identity Language="en-US" Id={text("name")} Version={text("version")} Publisher={text("publisher")} />
    <DisplayName>{package["displayName"]}</DisplayName>
    <Description xml:space="preserve">{package["description"]}</Description>
    <Tags>{",".join(package["keywords"])}</Tags>
    <Categories>{",".join(package["categories"])}</Categories>
    <Properties>
      <Property Id="Microsoft.VisualStudio.Code.Engine" Value={quoteattr(package["engines"]["vscode"])} />
      <Property Id="Microsoft.VisualStudio.Code.ExtensionKind" Value="workspace" />
    </Properties>
    <License>extension/LICENSE.txt</License>
    <Icon>extension/icon.png</Icon>
  </Metadata>
  <Installation><InstallationTarget Id="Microsoft.VisualStudio.Code" /></Installation>
  <Dependencies />
  <Assets>
    <Asset Type="Microsoft.VisualStudio.Code.Manifest" Path="extension/package.json" Addressable="true" />
    <Asset Type="Microsoft.VisualStudio.Services.Content.Details" Path="extension/README.md" Addressable="true" />
    <Asset Type="Microsoft.VisualStudio.Services.Content.License" Path="extension/LICENSE.txt" Addressable="true" />
    <Asset Type="Microsoft.VisualStudio.Services.Icons.Default" Path="extension/icon.png" Addressable="true" />
  </Assets>
</PackageManifest>
"""


def content_types():
    rows = "".join(f'\n  <Default Extension="{end}" ContentType="{kind}" />' for end, kind in TYPES.items())
    return ('<?xml version="1.0" encoding="utf-8"?>\n'
            f'<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">{rows}\n</Types>\n')


def packed():
    package = json.loads((HERE / "package.json").read_text())
    members = {"[Content_Types].xml": content_types().encode(), "extension.vsixmanifest": manifest(package).encode()}
    members |= {f"extension/{name}": (HERE / name).read_bytes() for name in FILES}
    members["extension/LICENSE.txt"] = (HERE.parents[1] / "LICENSE").read_bytes()
    members["extension/icon.png"] = icon()
    return members


def write(out):
    with zipfile.ZipFile(out, "w") as archive:
        for name, data in packed().items():
            info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            info.external_attr = 0o644 << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, data)


if __name__ == "__main__":
    out = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "tessera.vsix")
    write(out)
    print(f"{out}: {out.stat().st_size} bytes")
