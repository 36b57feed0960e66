import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { adapters } from "@fairlead/adapters";
import type { Adapter } from "@fairlead/contract";
import { afterEach, beforeEach, expect, test } from "vitest";
import { eventsUntil } from "@fairlead/testing/runtime/test-home.ts";
import { Home } from "../home.ts";
import { Runtime } from "../runtime.ts";
import { findUntrustedFiles } from "./untrusted-files.ts";

const scripted = adapters.find(({ manifest }) => manifest.id === "scripted")!;
const manifest = {
  ...scripted.manifest,
  workspaceFiles: [".config", "RULES.md"],
  workspacePrograms: [".config/plugins"],
};
const configurable: Adapter = { ...scripted, manifest };

let workspace: string;
beforeEach(() => (workspace = mkdtempSync(join(tmpdir(), "un-"))));
afterEach(() => rmSync(workspace, { recursive: true, force: true }));

test("an untrusted workspace has the list of files that it contains, also an empty one", () => {
  expect(findUntrustedFiles(manifest, workspace, () => false)).toEqual({ untrustedFiles: [] });
  mkdirSync(join(workspace, ".config"));
  expect(findUntrustedFiles(manifest, workspace, () => false)).toEqual({ untrustedFiles: [".config"] });
  expect(findUntrustedFiles(manifest, workspace, () => true)).toEqual({});
  expect(findUntrustedFiles(scripted.manifest, workspace, () => false)).toEqual({});
});

test("an agent that would run a file of an untrusted workspace, or of a folder above it, is refused", () => {
  const below = join(workspace, "src", "deep");
  mkdirSync(below, { recursive: true });
  mkdirSync(join(workspace, ".config", "plugins"), { recursive: true });
  for (const folder of [workspace, below]) {
    expect(() => findUntrustedFiles(manifest, folder, () => false)).toThrow(/would run .*plugins.*fairlead trust/);
    expect(findUntrustedFiles(manifest, folder, () => true)).toEqual({});
  }
});

test("a session in an untrusted workspace says what its agent ignores, and a fork asks again whether it is trusted", async () => {
  writeFileSync(join(workspace, "RULES.md"), "");
  let isTrusted = false;
  const home = new Home(join(workspace, "h"));
  const environment = { ...process.env, XDG_STATE_HOME: workspace };
  const options = { home, environment, adapters: [configurable], trustsWorkspace: () => isTrusted };
  await using runtime = await Runtime.open(options);
  const session = await runtime.start({ agent: "scripted", workspace });
  const [, status] = await eventsUntil(session, "status.reported");
  expect(status?.body).toMatchObject({ level: "warning", message: expect.stringContaining("RULES.md") as string });
  expect(session.state.opening?.untrustedFiles).toEqual(["RULES.md"]);
  isTrusted = true;
  const fork = await runtime.fork(session.id, { outcome: "fresh" });
  expect(fork.state.opening).not.toHaveProperty("untrustedFiles");
  for (const one of [session, fork]) {
    await one.end();
    await eventsUntil(one, "session.ended");
  }
});
