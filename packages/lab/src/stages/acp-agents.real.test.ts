import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { adapters } from "@fairlead/adapters";
import { Rehearsal, type ModelStep, type OpenStage } from "@fairlead/conformance";
import type { Adapter, PermissionMode } from "@fairlead/contract";
import { describe, expect, test } from "vitest";
import { openGeminiCli } from "./gemini-cli.ts";
import { openOpencode } from "./opencode.ts";

interface Played extends AsyncDisposable {
  readonly rehearsal: Rehearsal;
  readonly context: string;
  readonly written: boolean;
}

interface Options {
  readonly settings?: object;
  readonly mode?: PermissionMode;
}

function named(id: string): Adapter {
  return adapters.find(({ manifest }) => manifest.id === id) as Adapter;
}

/** One turn of the real program; approvals are left open, so that a test can see whether it asks. */
async function turn(agent: Adapter, openStage: OpenStage, options: Options, ...steps: ModelStep[]): Promise<Played> {
  const stack = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), "acp-"));
  stack.defer(() => rmSync(folder, { recursive: true, force: true }));
  const stage = stack.use(await openStage(join(folder, "s")));
  const rehearsal = stack.use(await Rehearsal.open(agent, stage, folder));
  await rehearsal.start(options);
  await rehearsal.play(...steps);
  const over = (): boolean => rehearsal.all("turn.ended").length + rehearsal.all("decision.requested").length > 0;
  await rehearsal.until(over, "the end of the turn, or a decision");
  return {
    rehearsal,
    context: (await stage.context?.()) ?? "",
    written: existsSync(join(rehearsal.workspace, "note.txt")),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

const write: ModelStep = { acts: [{ write: { path: "note.txt", content: "x" } }] };
const run: ModelStep = { acts: [{ run: "touch note.txt" }] };

describe.each([
  ["gemini-cli", openGeminiCli],
  ["opencode", openOpencode],
] as const)("%s", (id, openStage) => {
  const agent = named(id);

  test("accept-edits writes without asking, and asks before it runs anything", async () => {
    await using edited = await turn(agent, openStage, { mode: "accept-edits" }, write, { text: "Done." });
    expect(edited.rehearsal.all("decision.requested")).toEqual([]);
    expect(edited.written).toBe(true);
    expect(edited.rehearsal.all("file.changed")[0]?.path).toContain("note.txt");
    await using ran = await turn(agent, openStage, { mode: "accept-edits" }, run, { text: "Done." });
    expect(ran.rehearsal.all("decision.requested")).toHaveLength(1);
    expect(ran.written).toBe(false);
  });

  test("plan writes nothing by itself", async () => {
    await using played = await turn(agent, openStage, { mode: "plan" }, write, { text: "That was the plan." });
    expect(played.written).toBe(false);
  });

  test("dangerously-skip-permissions asks nobody", async () => {
    const mode = "dangerously-skip-permissions";
    await using played = await turn(agent, openStage, { mode }, run, { text: "Done." });
    expect(played.rehearsal.all("decision.requested")).toEqual([]);
    expect(played.written).toBe(true);
  });

  test("a setting that it cannot honour is said once", async () => {
    await using played = await turn(agent, openStage, { settings: { maxTurns: 3 } }, { text: "Yes." });
    const said = played.rehearsal.all("status.reported").filter(({ message }) => message.includes("maxTurns"));
    expect(said).toHaveLength(1);
    expect(played.rehearsal.all("turn.ended")[0]?.outcome).toBe("completed");
  });
});

test("gemini-cli: options are passed through, and a setting of ours goes before the same option", async () => {
  const settings = { model: "gemini-2.5-flash", options: { model: "gemini-2.5-pro", acp: false } };
  await using played = await turn(named("gemini-cli"), openGeminiCli, { settings }, { text: "Yes." });
  expect(played.rehearsal.all("usage.reported")[0]?.model).toBe("gemini-2.5-flash");
});

test("opencode: options are keys of its configuration", async () => {
  const settings = { options: { agent: { build: { prompt: "Mind the marmalade." } } } };
  await using played = await turn(named("opencode"), openOpencode, { settings }, { text: "Yes." });
  expect(played.context).toContain("Mind the marmalade.");
});

test("opencode: what kept it from waiting for a registry is not handed on to its commands", async () => {
  const mode = "dangerously-skip-permissions";
  const look: ModelStep = { acts: [{ run: "env | grep npm_config_fetch || echo none" }] };
  await using played = await turn(named("opencode"), openOpencode, { mode }, look, { text: "Done." });
  expect(played.rehearsal.all("tool.ended")[0]?.output.trim()).toBe("none");
});

describe("gemini-cli of a version without the protocol", () => {
  const whole = named("gemini-cli");
  const older: Adapter = {
    ...whole,
    async probe(host) {
      const finding = await whole.probe(host);
      return { ...finding, flags: finding.flags.filter((flag) => flag !== "--acp") };
    },
  };

  test("is launched for each turn, says so, and remembers", async () => {
    await using played = await turn(older, openGeminiCli, { mode: "accept-edits" }, write, { text: "Done." });
    const { rehearsal } = played;
    expect(rehearsal.all("session.started")[0]?.protocol).toBe("stream-json");
    expect(rehearsal.all("status.reported")[0]?.message).toContain("--acp");
    expect(played.written).toBe(true);
    expect(rehearsal.all("tool.ended")[0]).toMatchObject({ name: "write_file", ok: true });
    expect(rehearsal.all("text.ended")[0]?.text).toBe("Done.");
    expect(rehearsal.all("turn.ended")[0]?.outcome).toBe("completed");
    await rehearsal.play({ text: "Again." });
    await rehearsal.the("turn.ended", 2);
    expect(rehearsal.all("text.ended").at(-1)?.text).toBe("Again.");
    expect((await rehearsal.stage.context?.()) ?? "").toContain("note.txt");
    const reported = rehearsal.all("usage.reported").map(({ tokens }) => tokens.uncached + tokens.cacheRead);
    const served = (rehearsal.stage.served?.() ?? []).map(({ tokens }) => tokens.uncached);
    expect(sum(reported)).toBe(sum(served));
  });

  test("fails with the right category, and an interrupt ends it", async () => {
    await using played = await turn(older, openGeminiCli, {}, { text: "Yes." });
    const { rehearsal } = played;
    const refused = rehearsal.stage.failures.find(({ name }) => name === "HTTP 401");
    await rehearsal.session.send(refused?.prompt ?? "");
    await rehearsal.the("turn.ended", 2);
    expect(rehearsal.all("error.raised")[0]?.category).toBe("not-authenticated");
    await rehearsal.play({ text: "one two three four five six", chunks: 6, chunkDelay: 1000 });
    await rehearsal.the("turn.started", 3);
    await rehearsal.session.interrupt();
    expect((await rehearsal.the("turn.ended", 3)).outcome).toBe("interrupted");
  });
});

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
