import { randomBytes } from "node:crypto";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

const extra = 600_000;

/** Moves the list down once it is shown. */
const shift = `;setInterval(() => {
  if (document.querySelector("[data-session]") === null || document.getElementById("moved") !== null) return;
  const box = document.createElement("p");
  box.id = "moved";
  box.textContent = "moved";
  document.getElementById("root").prepend(box);
}, 50);`;

/** A copy of the built page whose first script has code that nothing uses, and which moves the list. Removed when disposed. */
export class HeavyPage implements Disposable {
  readonly folder = mkdtempSync(join(tmpdir(), "heavy-"));

  constructor(pageFolder: string) {
    cpSync(pageFolder, this.folder, { recursive: true });
    const html = readFileSync(join(this.folder, "index.html"), "utf8");
    const first = /src="\/(assets\/[^"]+\.js)"/.exec(html)?.[1];
    if (first === undefined) throw new Error("The page has no script.");
    const file = join(this.folder, first);
    const code = `${readFileSync(file, "utf8")}${shift}globalThis.unused="${randomBytes(extra).toString("base64")}";`;
    writeFileSync(file, code);
    writeFileSync(`${file}.gz`, gzipSync(code));
    for (const name of readdirSync(join(this.folder, "assets")))
      if (name.endsWith(".br")) rmSync(join(this.folder, "assets", name));
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
