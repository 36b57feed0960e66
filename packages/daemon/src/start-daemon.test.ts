import { closeSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openDaemonLog } from "./start-daemon.ts";

it("appends to a log, and rotates it once it is over the limit", () => {
  const folder = mkdtempSync(join(tmpdir(), "log-"));
  using _ = { [Symbol.dispose]: () => rmSync(folder, { recursive: true }) };
  const file = join(folder, "daemon.log");
  const write = (text: string): void => {
    const log = openDaemonLog(file, 10);
    writeSync(log, text);
    closeSync(log);
  };
  write("one ");
  write("and two, which is much");
  expect(existsSync(`${file}.1`)).toBe(false);
  write("three, which is much, too");
  expect(readFileSync(`${file}.1`, "utf8")).toBe("one and two, which is much");
  write("four");
  expect([readFileSync(file, "utf8"), readFileSync(`${file}.1`, "utf8")]).toEqual([
    "four",
    "three, which is much, too",
  ]);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});
