import type { Adapter, AgentMemory, Opening } from "@fairlead/contract";
import { describe, expect, test } from "vitest";
import { adapters } from "./index.ts";

const home = "/home/u";

function createOpening({ manifest }: Adapter, workspace = "/work/my project"): Opening {
  return {
    session: "s",
    name: null,
    agent: manifest.id,
    adapterVersion: manifest.version,
    workspace,
    mode: "default",
    settings: manifest.settings.parse({}),
    probeResult: { installed: true, program: "p", version: null, flags: [], auth: "none", problems: [] },
    continues: null,
  };
}

const id = "01a1f17d-bea9-7820-91f2-b6760db06cdf";
const withMemory = adapters.filter((adapter) => "memory" in adapter);
const locate = (adapter: Adapter, environment: Record<string, string> = { HOME: home }, agentSessionId = id) =>
  adapter.memory!(createOpening(adapter), agentSessionId, environment) as AgentMemory;
const findAdapter = (name: string): Adapter => adapters.find(({ manifest }) => manifest.id === name)!;

test("these agents keep each conversation in files of its own", () => {
  const ids = withMemory.map(({ manifest }) => manifest.id);
  expect(ids.toSorted()).toEqual(["amp", "claude-code", "codex", "codex-exec", "openai-api", "scripted"]);
});

describe.each(withMemory.map((adapter) => [adapter.manifest.id, adapter] as const))("%s", (_, adapter) => {
  test("has a folder of its own that a sandbox lets it write, and follows the home of its host", () => {
    const memory = locate(adapter);
    const { writes } = adapter.needs!(createOpening(adapter), { HOME: home });
    // The sandbox mounts this folder, so the agent cannot replace it by a link.
    expect(writes).toContain(`${memory.root}/`);
    const other = locate(adapter, { HOME: "/srv/other" });
    expect(other).toEqual({ ...memory, root: memory.root.replace(home, "/srv/other") });
  });

  test("names files of one conversation, in folders below its own", () => {
    const { folder, files } = locate(adapter);
    for (const path of [folder, ...files.map((one) => one.folder)])
      expect(path).not.toMatch(/^\/|\/$|(^|\/)\.\.?(\/|$)/);
    for (const { name, folder: own } of files) {
      expect(`${own}/${typeof name === "string" ? name : name.source}`).toContain(id);
      if (typeof name === "string") continue;
      expect(name.source).toMatch(/^\^.*\$$/);
      expect(name.flags).toBe("");
    }
  });

  test("has the transcript, if the adapter names one", () => {
    if (adapter.transcriptPath === undefined) return;
    const { root, folder, files } = locate(adapter);
    const paths = files.map((one) => [root, folder, one.folder, one.name].filter((part) => part !== "").join("/"));
    expect(paths).toContain(adapter.transcriptPath(createOpening(adapter), id, { HOME: home }));
  });
});

test("Claude Code's folder follows the workspace", () => {
  const adapter = findAdapter("claude-code");
  const { root, folder } = adapter.memory!(createOpening(adapter, "/srv/x.y"), id, { CLAUDE_CONFIG_DIR: "/c" })!;
  expect(`${root}/${folder}`).toBe("/c/projects/-srv-x-y");
});

test("Codex's files are of the day on which the conversation began, in any time zone", () => {
  const { files } = locate(findAdapter("codex"));
  expect(files.map(({ folder }) => folder)).toEqual(["2026/11/18", "2026/11/19", "2026/11/20"]);
  const name = files[0]?.name as RegExp;
  expect(name.test(`rollout-2026-11-19T01-48-32-${id}.jsonl`)).toBe(true);
  for (const other of [`rollout-2026-11-19T01-48-32-${id}.jsonl.zst`, `rollout-2026-11-19T01-48-32-x${id}.jsonl`, id])
    expect(name.test(other)).toBe(false);
  expect(locate(findAdapter("codex"), { HOME: home }, "not-a-uuid")).toBeNull();
});
