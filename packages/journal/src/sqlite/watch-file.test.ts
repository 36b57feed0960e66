import { mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { watchFile } from "./watch-file.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "fairlead-watch-file-"));
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(folder, { recursive: true });
});

test("notices a touched file without polling", async () => {
  const file = join(folder, "log");
  writeFileSync(file, "");
  const changed = Promise.withResolvers<void>();
  using _ = watchFile(file, changed.resolve);
  utimesSync(file, 1, 1);
  await changed.promise;
});

test("polls without notifications until it is disposed", () => {
  let calls = 0;
  const watch = watchFile(join(folder, "missing"), () => calls++);
  vi.advanceTimersByTime(1_000);
  expect(calls).toBe(4);
  watch[Symbol.dispose]();
  vi.advanceTimersByTime(1_000);
  expect(calls).toBe(4);
});
