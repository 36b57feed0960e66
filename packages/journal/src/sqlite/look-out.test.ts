import { mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { lookOut } from "./look-out.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "fairlead-look-out-"));
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(folder, { recursive: true });
});

test("a touched file is noticed without the clock", async () => {
  const file = join(folder, "log");
  writeFileSync(file, "");
  const looked = Promise.withResolvers<void>();
  using _ = lookOut(file, looked.resolve);
  utimesSync(file, 1, 1);
  await looked.promise;
});

test("without notices, the clock finds it; and nothing looks any more after the end", () => {
  let looks = 0;
  const watch = lookOut(join(folder, "missing"), () => looks++);
  vi.advanceTimersByTime(1_000);
  expect(looks).toBe(4);
  watch[Symbol.dispose]();
  vi.advanceTimersByTime(1_000);
  expect(looks).toBe(4);
});
