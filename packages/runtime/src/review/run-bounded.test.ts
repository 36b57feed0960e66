import { mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { runBounded } from "./run-bounded.ts";

const env = { PATH: process.env["PATH"] ?? "" };

function findProcesses(text: string): string[] {
  return readdirSync("/proc").filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(text);
    } catch {
      return false; // it has ended
    }
  });
}

test.skipIf(process.platform !== "linux")("leaves no child of the command behind when it is aborted", async () => {
  const cwd = mkdtempSync(join(tmpdir(), "bounded-"));
  const abort = new AbortController();
  // The child ignores the end of its parent, as that of a sandbox program does while it prepares the sandbox.
  const script = `while :; do sleep 1; done # ${cwd}`;
  const running = runBounded(["sh", "-c", `sh -c '${script}' & wait`], { cwd, env, limit: 100, signal: abort.signal });
  running.catch(() => {});
  await vi.waitFor(() => expect(findProcesses(cwd).length).toBeGreaterThan(1));
  abort.abort();
  await expect(running).rejects.toThrow("aborted");
  await vi.waitFor(() => expect(findProcesses(cwd)).toEqual([]));
});

test.skipIf(process.platform !== "linux")(
  "ends what a command leaves in the background, and does not wait for it",
  async () => {
    const cwd = mkdtempSync(join(tmpdir(), "bounded-"));
    const limits = { cwd, env, limit: 100, signal: AbortSignal.timeout(10_000) };
    const left = `while :; do sleep 1; done # ${cwd}`;
    const { code, output } = await runBounded(["sh", "-c", `sh -c '${left}' & echo done`], limits);
    expect({ code, output: output.toString() }).toEqual({ code: 0, output: "done\n" });
    await vi.waitFor(() => expect(findProcesses(cwd)).toEqual([]));
  },
);

test("does not start a command after the signal", async () => {
  const limits = { cwd: "/", env, limit: 100, signal: AbortSignal.abort() };
  await expect(runBounded(["true"], limits)).rejects.toThrow("aborted");
});
