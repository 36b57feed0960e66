import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";

/** A process with a compile cache in its first argument, which starts a keeper for the second and prints its process id. */
const starter = `
  import { enableCompileCache } from "node:module";
  const [, cache, folder] = process.argv;
  enableCompileCache(cache);
  const { startKeeper } = await import(${JSON.stringify(new URL("start-keeper.ts", import.meta.url).href)});
  const keeper = await startKeeper(folder);
  console.log(keeper.hello.pid);
  process.exit();
`;

test("a keeper uses the compile cache of its starter, and writes to it while it runs", async () => {
  const folder = mkdtempSync(join(tmpdir(), "keeper-"));
  const cache = join(folder, "cache");
  const { NODE_COMPILE_CACHE: _, ...env } = process.env;
  const args = ["--input-type=module", "-e", starter, cache, join(folder, "session")];
  const pid = Number(execFileSync(process.execPath, args, { env, encoding: "utf8" }));
  onTestFinished(() => {
    process.kill(pid, "SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  });
  expect(readFileSync(`/proc/${pid}/environ`, "utf8").split("\0")).toContain(`NODE_COMPILE_CACHE=${cache}`);
  const count = (): number => readdirSync(cache, { recursive: true }).length;
  const before = count();
  await expect.poll(count, { timeout: 30_000 }).toBeGreaterThan(before);
});
