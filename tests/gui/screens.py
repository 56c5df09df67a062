#!/usr/bin/env python3
"""screens.py TESSERA [--update] [--sheet FOLDER] [--only NAME] [--size 1920x1080]: compares every view, in both themes at
four sizes (or at one), with its approved screen.

A screen is stored as 16 x 9 mean colours (tests/golden/screens/NAME.txt, one line per theme and size). Shapes that move,
disappear or change colour are detected; pixels of another font rasteriser are not. --update rewrites the screens (look
at the pictures first: --sheet FOLDER writes them there). Exit 77 if this machine cannot draw without a display.
"""
import concurrent.futures, os, pathlib, re, subprocess, sys, tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "tests" / "golden" / "screens"
SIZES = [("1280x800", "1"), ("1920x1080", "1"), ("2560x1440", "1"), ("3840x2160", "2")]
THEMES = ["dark", "light"]
COLS, ROWS = 16, 9
MEAN, MOST = 3.0, 40  # of 255: the tolerance on average, and in one spot
# A run reports the machine's CUDA: here it has none.
ALONE = os.environ | {"TESSERA_LIBCUDA": "/nowhere/libcuda.so", "TESSERA_LIBNVRTC": "/nowhere/libnvrtc.so"}

X = "X = S[(2,8,4,2):(2@reg,4@lane,1@lane,1@reg)] over (16,8)\n"
F = "A = (64,64):(64,1)\n"
TRANSPOSE = re.search(r"graphene transpose \{.*?^\}\n", (ROOT / "assets/gallery/29_run_a_kernel.tess").read_text(), re.S | re.M)[0]
MOVE = re.search(r"graphene move \{.*?^\}\n", (ROOT / "assets/gallery/27_graphene_ldmatrix.tess").read_text(), re.S | re.M)[0]
HLO = """hlo soft {
%region (a: f32[], b: f32[]) -> f32[] {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %max = f32[] maximum(%a, %b)
}
%fused (x: f32[12,16], m: f32[12]) -> f32[12,16] {
  %x = f32[12,16]{1,0} parameter(0)
  %m = f32[12]{0} parameter(1)
  %wide = f32[12,16]{1,0} broadcast(%m), dimensions={0}
  ROOT %sub = f32[12,16]{1,0} subtract(%x, %wide)
}
ENTRY %main (p: f32[12,16]) -> f32[12,16] {
  %p = f32[12,16]{1,0} parameter(0)
  %low = f32[] constant(-inf)
  %row = f32[12]{0} reduce(%p, %low), dimensions={1}, to_apply=%region
  %fusion.1 = f32[12,16]{1,0} fusion(%p, %row), kind=kLoop, calls=%fused
  ROOT %exp = f32[12,16]{1,0} exponential(%fusion.1)
}
}
"""
LARGE = """graphene rows {
%a:[32,32].fp32.GL %b:[32,32].fp32.GL #g:[1].block #t:[32,32].thread
%b <- Move<<<#g,#t>>>(%a) {
(@i, @j) = #t.indices()
%x = %a[@i, @j] %y = %b[@i, @j]
%y <- Move(%x)
}
}
"""
DOT = """hlo big {
ENTRY %main (p: f32[1024,2048], q: f32[64,2048]) -> f32[1024,64] {
  %p = f32[1024,2048]{1,0} parameter(0)
  %q = f32[64,2048]{1,0} parameter(1)
  ROOT %dot = f32[1024,64]{1,0} dot(%p, %q), lhs_contracting_dims={1}, rhs_contracting_dims={1}
}
}
"""
REDUCE = ('R = kernel "kernels/reduce.ptx" entry reduce_race block (256) '
          "args (in=s32[256], out=s32[1])\n")
VIEWS = {
    "grid": "S = Sw<3,3,3> o (64,64):(64,1)\nshow S as grid",
    "grid_far": "S = Sw<3,4,3> o (4096,4096):(4096,1)\nshow S as grid",
    "memory": "A = ((2,4),(3,2)):((3,24),(1,6))\nshow A as memory",
    "flow": "S = Sw<3,3,3> o (8,64):(64,1)\nshow S as flow",
    "f2": "S = Sw<3,3,3> o (8,64):(64,1)\nshow S as f2",
    "owned": "show make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (2,2,1), (32,32,16)) as owned 5",
    "table": "A = (4,8):(8,1)\nshow A as table",
    "algebra": "R = composition((6,2):(8,2), (4,3):(3,1))\nshow R as algebra",
    "tensor": "show f32[3,5]{1,0:T(2,2)} as tensor",
    "physical": "show f32[3,5]{1,0:T(2,2)S(1)} as physical",
    "tiles": "show bf16[10,200]{1,0:T(8,128)(2,1)} as tiles",
    "address": "show bf16[4,8]{0,1:T(2,4)(2,1)} as address",
    "mesh": "X = shard((64,128), mesh (2,2):(1,2), S0, R) over (64,128)\nshow X as mesh",
    "threads": X + "show X as threads",
    "forward": X + "show X as forward",
    "backward": X + "show X as backward",
    "verdict": F + "prove conflict_free(A, ldmatrix.x4, fp16)",
    "steps": "show explain(composition((6,2):(8,2), (4,3):(3,1))) as steps",
    "instruction": "show atlas(mma.m16n8k16.f32.f16.f16.f32)",
    "instruction_wide": "show atlas(wgmma.m64n64k16.f32.f16.f16.rs)",
    "instruction_copy": "show atlas(ldmatrix.x4)",
    "access": "S = Sw<3,3,3> o (64,64):(64,1)\nshow ldmatrix.x4 over S, fp16",
    "value": "show <3:4, 8:2>",
    "source": 'K = kernel "kernels/copy.ptx" entry transpose_tile grid (2,2) block (32,32) '
              "args (f32[64,64], out=f32[64,64], 64)\nshow K as source",
    "source_race": REDUCE + "show R as source",
    "player_kernel": REDUCE + "show R as player, finding 1",
    "graphene": "show %A:[4,8:1,4].fp32.GL.tile([2:2],[4:1]) as grid\nshow #W:[32:1].thread.tile([(4,2):(1,16)]) as threads",
    "holds": "show %d:[2,4].fp16.RF holds [16,16] as S[(2,8,2,4,2):(4@reg,4@lane,2@reg,1@lane,1@reg)]",
    "tree": MOVE + "show move as tree",
    "spec": MOVE + "show move as spec 1",
    "player": MOVE + "show move as player, thread 5",
    "checklist": MOVE + "show move as checklist",
    "predictions": MOVE + "show move as predictions",
    "dataflow": HLO + "show soft as dataflow",
    "reads": HLO + "show soft.%fused as reads",
    "reads_tile": HLO + "show soft.%fused as reads tile [2:5,4:12]",
    "waste": HLO + "show soft as waste",
    "kernel": HLO + "show soft.%fusion.1 as kernel",
    "kernel_tile": DOT + "show big as kernel dot tile 256x64",
    "steps_simplify": "show simplify((d0, d1, d2) -> ((d0 * 100 + d1 * 10 + d2) mod 100 floordiv 10), "
                      "domain: d0 in [0, 9], d1 in [0, 9], d2 in [0, 9], d0 * 2 in [0, 11]) as steps",
    "levels": "A = %A:[4,8:1,4].fp32.GL.tile([2:2],[4:1])\nshow A as levels\nshow #W:[32:1].thread.tile([(4,2):(1,16)])\n"
              "show %A:[2,2:512,16].[2,2:128,8].[4,8:16,1].fp16.SH",
    "levels_partial": "show %v:[10,6:6,1].fp32.GL.tile([4:1],[4:1])",
    "engine_descriptor": "S = Sw<3,3,3> o (64,64):(64,1)\nshow wgmma.m64n64k16.f16.A over S, f16 as access 0,16",
    "engine_box": "S = Sw<3,3,3> o (16,64):(64,1)\nshow tma.load over S, f16",
    "engine_tensor": "show tcgen05.ld.16x256b.x1 over tmem_layout(f32, 64, 16), f32",
    "divide_algebra": "R = zipped_divide((8,16):(16,1), (4,8))\nshow R as algebra",
    "run_bars": TRANSPOSE + "run transpose compare variants by emulator",
    "run_table": TRANSPOSE + "run transpose compare variants by emulator as table",
    "banks": F + "show A as banks fp16",
    "search": F + "find swizzle for A where conflict_free(ldmatrix.x4, fp16) and conflict_free(st.shared.v4, fp16)",
    "chain": "show chain((16,16):(16,1), cp.async16, (16,16):(16,1), ldmatrix.x4, mma.m16n8k16.f16, A) as chain",
    "facets": "A = (4,8,3):(24,3,1)\nshow A",
    "facets_array": "show f32[3,5,4]{2,1,0} as tensor",
    "player_large": LARGE + "show rows as player",
    "reads_large": DOT + "show big.%dot as reads",
    "wgmma": "show wgmma.m64n64k16.f16",
    "bare": "Sw<3,3,3> o (8,64):(64,1)",
    "bare_code": "smem[row * 72 + col]",
    "tiled": "show make_tiled_mma(mma.m16n8k16.f16, (2,2,1)) as tiled",
}


def missing():
    """Views that have no screen here."""
    text = (ROOT / "app" / "show" / "views.cpp").read_text()
    return [v for v in re.findall(r'\{\{"(\w+)", "', text) if v not in VIEWS]


def signature(path):
    data = path.read_bytes()
    head = re.match(rb"P6\s+(\d+)\s+(\d+)\s+255\s", data)
    width, height = int(head[1]), int(head[2])
    pixels = memoryview(data)[head.end():]
    out = []
    for r in range(ROWS):
        y0, y1 = r * height // ROWS, (r + 1) * height // ROWS
        lines = range(y0, y1, max(1, (y1 - y0) // 30))
        for c in range(COLS):
            x0, x1 = c * width // COLS, (c + 1) * width // COLS
            for channel in range(3):
                total = sum(sum(pixels[(y * width + x0) * 3 + channel:(y * width + x1) * 3:3]) for y in lines)
                out.append(total // (len(lines) * (x1 - x0)))
    return bytes(out)


def shoot(tessera, work, keep, name, theme, size, scale):
    sheet = work / f"{name}.tess"
    stem = f"{name}-{theme}-{size}"
    shot = work / f"{stem}.ppm"
    call = [tessera, "--screenshot", str(shot), "--size", size, "--scale", scale, "--theme", theme, str(sheet)]
    done = subprocess.run(call, capture_output=True, text=True, timeout=120, env=ALONE)
    if done.returncode != 0:
        if "without a display" in done.stderr:
            print("SKIPPED:", done.stderr.strip())
            os._exit(77)
        return stem, None, done.stderr.strip()
    if keep:
        subprocess.run(call[:2] + [str(keep / f"{stem}.png")] + call[3:], check=True, timeout=120, env=ALONE)
    found = signature(shot)
    shot.unlink()
    return stem, found, ""


def compare(approved, found):
    differences = [abs(a - b) for a, b in zip(approved, found)]
    return sum(differences) / len(differences), max(differences)


def main(tessera, update, keep, only, sizes):
    problems = [f"no screen of the view {v}: add it to VIEWS" for v in missing()]
    if keep:
        keep.mkdir(parents=True, exist_ok=True)
    GOLDEN.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
        work = pathlib.Path(folder)
        for name, text in VIEWS.items():
            (work / f"{name}.tess").write_text(text + "\n")
        for name in VIEWS:
            if only and name != only:
                continue
            asked = [pool.submit(shoot, tessera, work, keep, name, theme, size, scale)
                     for theme in THEMES for size, scale in sizes]
            screens = [a.result() for a in asked]
            problems += [f"{stem}: {error}" for stem, found, error in screens if found is None]
            golden = GOLDEN / f"{name}.txt"
            if update:
                golden.write_text("".join(f"{stem} {found.hex()}\n" for stem, found, _ in screens if found))
                continue
            approved = dict(line.split() for line in golden.read_text().splitlines()) if golden.exists() else {}
            for stem, found, _ in screens:
                if found is None:
                    continue
                if stem not in approved:
                    problems.append(f"{stem}: not approved yet (--update)")
                    continue
                mean, most = compare(bytes.fromhex(approved[stem]), found)
                if mean > MEAN or most > MOST:
                    problems.append(f"{stem}: differs by {mean:.1f} on the whole and {most} in one spot")
    for p in problems:
        print("FAILED:", p)
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    words = sys.argv[1:]
    after = lambda flag: words[words.index(flag) + 1] if flag in words else None
    sheet = after("--sheet")
    main(os.path.abspath(words[0]), "--update" in words, pathlib.Path(sheet) if sheet else None, after("--only"),
         [s for s in SIZES if after("--size") in (None, s[0])])
