import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { adapters } from "@fairlead/adapters";
import type { Adapter } from "@fairlead/contract";
import { withScript } from "@fairlead/kit";
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
const probed = { flags: ["--ignore"], version: "1.2.3" };
const configurable: Adapter = { ...scripted, manifest };

let workspace: string;
beforeEach(() => (workspace = mkdtempSync(join(tmpdir(), "un-"))));
afterEach(() => rmSync(workspace, { recursive: true, force: true }));

test("an untrusted workspace has the list of files that it contains, also an empty one", () => {
  expect(findUntrustedFiles(manifest, probed, workspace, () => false)).toEqual({ untrustedFiles: [] });
  mkdirSync(join(workspace, ".config"));
  expect(findUntrustedFiles(manifest, probed, workspace, () => false)).toEqual({ untrustedFiles: [".config"] });
  expect(findUntrustedFiles(manifest, probed, workspace, () => true)).toEqual({});
  expect(findUntrustedFiles(scripted.manifest, probed, workspace, () => false)).toEqual({});
});

test("an agent that would run a file of an untrusted workspace, or of a folder above it, is refused", () => {
  const below = join(workspace, "src", "deep");
  mkdirSync(below, { recursive: true });
  mkdirSync(join(workspace, ".config", "plugins"), { recursive: true });
  for (const folder of [workspace, below]) {
    expect(() => findUntrustedFiles(manifest, probed, folder, () => false)).toThrow(
      /would run .*plugins.*fairlead trust/,
    );
    expect(findUntrustedFiles(manifest, probed, folder, () => true)).toEqual({});
  }
});

test.each([
  ["no such flag", { flag: "--other" }, probed, true],
  ["the flag", { flag: "--ignore" }, probed, false],
  ["an unreadable help", { flag: "--ignore" }, { ...probed, flags: [] }, false],
  ["an older version", { versions: "^1.3.0" }, probed, true],
  ["a version of the range", { versions: "^1.2.0" }, probed, false],
  ["a later major version", { versions: "^1.2.0" }, { ...probed, version: "2.0.0" }, true],
  ["an unknown version", { versions: "^1.2.0" }, { ...probed, version: null }, true],
])("an agent with %s is started where it would have to ignore files only if it can", (_, rule, probe, isRefused) => {
  const find = () => findUntrustedFiles({ ...manifest, ignoresWorkspaceFiles: rule }, probe, workspace, () => false);
  expect(find()).toEqual({ untrustedFiles: [] });
  writeFileSync(join(workspace, "RULES.md"), "");
  if (isRefused) expect(find).toThrow(/cannot ignore RULES\.md .*fairlead trust/);
  else expect(find()).toEqual({ untrustedFiles: ["RULES.md"] });
  const trusted = findUntrustedFiles({ ...manifest, ignoresWorkspaceFiles: rule }, probe, workspace, () => true);
  expect(trusted).toEqual({});
});

test("without a sandbox, an agent that would run what a file of an untrusted workspace names is refused", async () => {
  const protects = [".config/hooks", "tools.json"];
  const adapter: Adapter = { ...configurable, needs: () => ({ writes: [], hides: [], protects }) };
  const environment = { ...process.env, XDG_STATE_HOME: workspace };
  let isTrusted = false;
  await using runtime = await Runtime.open({
    home: new Home(join(workspace, "h")),
    environment,
    adapters: [adapter],
    trustsWorkspace: () => isTrusted,
  });
  const project = join(workspace, "project");
  mkdirSync(join(project, ".config"), { recursive: true });
  const start = (sandbox: "bwrap" | "none") =>
    runtime.start({ agent: "scripted", workspace: project, sandbox: { kind: sandbox } });
  const startAndEnd = async (sandbox: "bwrap" | "none"): Promise<void> => {
    const session = await start(sandbox);
    await session.end();
    await eventsUntil(session, "session.ended");
    await session.finished;
  };
  // The agent ignores this one.
  writeFileSync(join(project, ".config/hooks"), "");
  await startAndEnd("none");
  writeFileSync(join(project, "tools.json"), "");
  await expect(start("none")).rejects.toMatchObject({
    code: "not-allowed",
    message: expect.stringMatching(/would run what tools\.json names.*--sandbox bwrap.*fairlead trust/) as string,
  });
  await startAndEnd("bwrap");
  isTrusted = true;
  await startAndEnd("none");
});

test("a start, a fork and a continuation are refused by the version that is installed then", async () => {
  writeFileSync(join(workspace, "RULES.md"), "");
  let flags = ["--ignore"];
  const adapter: Adapter = {
    ...configurable,
    manifest: { ...manifest, ignoresWorkspaceFiles: { flag: "--ignore" } },
    probe: async (host) => ({ ...(await scripted.probe(host)), flags }),
  };
  const environment = { ...process.env, XDG_STATE_HOME: workspace };
  await using runtime = await Runtime.open({ home: new Home(join(workspace, "h")), environment, adapters: [adapter] });
  const session = await runtime.start({ agent: "scripted", workspace });
  flags = ["--other"];
  const refused = { code: "not-allowed", message: expect.stringContaining("RULES.md") as string };
  await expect(runtime.start({ agent: "scripted", workspace })).rejects.toMatchObject(refused);
  await expect(runtime.fork(session.id, { outcome: "fresh" })).rejects.toMatchObject(refused);
  await session.end();
  await eventsUntil(session, "session.ended");
  await expect(runtime.resume(session.id, "fresh")).rejects.toMatchObject(refused);
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

test("a workspace that is gone is an invalid request, and no session is ended for it", async () => {
  const gone = join(workspace, "gone");
  mkdirSync(gone);
  const environment = { ...process.env, XDG_STATE_HOME: workspace };
  const trustsWorkspace = (folder: string): boolean => realpathSync(folder) === "";
  const options = { home: new Home(join(workspace, "h")), environment, adapters: [configurable], trustsWorkspace };
  await using runtime = await Runtime.open(options);
  const session = await runtime.start({ agent: "scripted", workspace: gone });
  await session.send(withScript("Say.", [{ text: "Hello." }])); // the agent must run before its folder is gone
  await eventsUntil(session, "turn.ended");
  rmSync(gone, { recursive: true });
  const refused = { code: "invalid-request", message: expect.stringContaining("is not a folder") as string };
  await expect(runtime.start({ agent: "scripted", workspace: gone })).rejects.toMatchObject(refused);
  await expect(runtime.fork(session.id, { outcome: "fresh" })).rejects.toMatchObject(refused);
  const resume = (): Promise<unknown> => runtime.resume(session.id, "fresh", { endSession: () => session.end() });
  await expect(resume()).rejects.toMatchObject(refused);
  expect(session.state.ledger.over).toBe(false);
  await session.end();
  await eventsUntil(session, "session.ended");
  await expect(resume()).rejects.toMatchObject(refused);
});
