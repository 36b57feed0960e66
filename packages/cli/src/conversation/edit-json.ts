import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Opens a value as JSON in the person's editor and gives back what they left, as text. */
export async function editJson(value: unknown, editor: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "fairlead-edit-"));
  using _ = { [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
  const file = join(folder, "input.json");
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  // An editor may come with arguments of its own, as in "code --wait"; so the shell takes it apart.
  const child = spawn("/bin/sh", ["-c", `${editor} "$1"`, "sh", file], { stdio: "inherit" });
  const [code] = (await once(child, "exit")) as [number | null];
  if (code !== 0) throw new Error(`The editor ended with ${code === null ? "a signal" : `exit code ${code}`}.`);
  return readFileSync(file, "utf8");
}
