import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";

/** The code of the written page, long enough that its compressed forms differ in length. */
export const assetText = "export const words = 'the page'; ".repeat(200);

/** Writes a small built page, with a link and files that must not be served. Returns the path of its asset. */
export function writePage(folder: string): string {
  const name = "index-a_B-c1.js";
  mkdirSync(join(folder, "assets/folder.js"), { recursive: true });
  writeFileSync(
    join(folder, "index.html"),
    `<!doctype html><title>Fairlead</title><script type="module" src="/assets/${name}" nonce="fairlead-nonce"></script>`,
  );
  writeFileSync(join(folder, "icon.svg"), `<svg xmlns="http://www.w3.org/2000/svg"/>`);
  writeFileSync(join(folder, "assets", name), assetText);
  writeFileSync(join(folder, "assets", `${name}.br`), brotliCompressSync(assetText));
  writeFileSync(join(folder, "assets", `${name}.gz`), gzipSync(assetText));
  writeFileSync(join(folder, "assets/server.ts"), "export const secret = 1;");
  symlinkSync("/etc/passwd", join(folder, "assets/link.js"));
  return `/assets/${name}`;
}
