import { mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ProbeHost } from "@fairlead/contract";
import { expect, test } from "vitest";
import { ProbeCache } from "./probe-cache.ts";

test("a program is asked once, by whichever process, and again when its file has changed or it had failed", async () => {
  const folder = mkdtempSync(join(tmpdir(), "pc-"));
  using _ = { [Symbol.dispose]: () => rmSync(folder, { recursive: true }) };
  const program = join(folder, "program");
  writeFileSync(program, "one");
  let asked = 0;
  let code = 0;
  const host: ProbeHost = {
    find: async () => program,
    run: async () => ({ code, stdout: String((asked += 1)), stderr: "" }),
    has: () => false,
    exists: async () => false,
  };
  const ask = async (args = ["--version"]): Promise<string> =>
    (await new ProbeCache(join(folder, "probes.json")).before(host).run(program, args)).stdout;

  expect([await ask(), await ask()]).toEqual(["1", "1"]);
  expect(await ask(["--help"])).toBe("2");
  writeFileSync(program, "two and longer");
  expect(await ask()).toBe("3");
  utimesSync(program, 1, 1);
  code = 1;
  expect([await ask(), await ask()]).toEqual(["4", "5"]);
  writeFileSync(join(folder, "probes.json"), "not JSON");
  code = 0;
  expect([await ask(), await ask()]).toEqual(["6", "6"]);
});
