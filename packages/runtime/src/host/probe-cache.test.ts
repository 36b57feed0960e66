import { mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ProbeHost } from "@fairlead/contract";
import { expect, test } from "vitest";
import { ProbeCache } from "./probe-cache.ts";

test("a probe command runs once, also across processes, and again if its program changed or it failed", async () => {
  const folder = mkdtempSync(join(tmpdir(), "pc-"));
  using _ = { [Symbol.dispose]: () => rmSync(folder, { recursive: true }) };
  const program = join(folder, "program");
  writeFileSync(program, "one");
  let runs = 0;
  let code = 0;
  const host: ProbeHost = {
    find: async () => program,
    run: async () => ({ code, stdout: String((runs += 1)), stderr: "" }),
    hasVariable: () => false,
    exists: async () => false,
  };
  const probe = async (args = ["--version"]): Promise<string> =>
    (await new ProbeCache(join(folder, "probes.json")).wrap(host).run(program, args)).stdout;

  expect([await probe(), await probe()]).toEqual(["1", "1"]);
  expect(await probe(["--help"])).toBe("2");
  writeFileSync(program, "two and longer");
  expect(await probe()).toBe("3");
  utimesSync(program, 1, 1);
  code = 1;
  expect([await probe(), await probe()]).toEqual(["4", "5"]);
  writeFileSync(join(folder, "probes.json"), "not JSON");
  code = 0;
  expect([await probe(), await probe()]).toEqual(["6", "6"]);
});
