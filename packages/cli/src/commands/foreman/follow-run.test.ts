import type { Fairlead, RunEvent, RunEventBody, RunView } from "@fairlead/api";
import { FairleadError } from "@fairlead/contract";
import { expect, test } from "vitest";
import type { CliContext } from "../../cli-context.ts";
import { Screen } from "../../screen.ts";
import { followRun } from "./follow-run.ts";

const at = "2026-01-01T00:00:00.000Z";
const event = (seq: number, body: RunEventBody): RunEvent => ({ run: "run-1", seq, at, body });
const joined = event(1, {
  type: "work.joined",
  tree: "t",
  commit: "c",
  conflicts: [],
  changes: { files: 1, added: 1, removed: 0 },
});
const ended = (outcome: "done" | "failed" | "canceled") => event(2, { type: "run.ended", outcome, reason: "" });
const view = (outcome: RunView["outcome"]): RunView => ({
  run: "run-1",
  goal: "Greet",
  workspace: "/w",
  base: "c0",
  startedAt: at,
  endedAt: null,
  outcome,
  reason: "",
  waitingTasks: [],
  parts: [],
  verdict: null,
  decision: null,
  request: null,
  usd: null,
});

interface Reply {
  readonly events?: readonly RunEvent[];
  readonly error?: Error;
  readonly onAsked?: () => void;
}

function createReader(replies: Reply[]) {
  const asked: number[] = [];
  let outcome: RunView["outcome"] = null;
  const fairlead: Pick<Fairlead, "run" | "runEvents"> = {
    runEvents: async ({ after = 0 }) => {
      asked.push(after);
      const { events = [], error, onAsked } = replies.shift() ?? {};
      onAsked?.();
      if (error !== undefined) throw error;
      const last = events.at(-1)?.body;
      if (last?.type === "run.ended") outcome = last.outcome;
      return { events: [...events], ended: outcome !== null };
    },
    run: async () => view(outcome),
  };
  return { fairlead, asked };
}

function createContext(isTTY: boolean) {
  const written: string[] = [];
  const stream = { isTTY, columns: 80, rows: 24, write: (text: string) => written.push(text) };
  const context = { screen: new Screen(stream, stream, {}), output: stream } as unknown as CliContext;
  return { context, written };
}

test("follows a run through a restart of the daemon, each event once", async () => {
  const gone = new FairleadError("unavailable", "The daemon is gone.");
  const { fairlead, asked } = createReader([
    { events: [joined] },
    { error: gone },
    { error: gone },
    {},
    { events: [ended("done")] },
  ]);
  const { context, written } = createContext(false);
  expect(await followRun(context, fairlead, "run-1", { json: true })).toBe(0);
  const lines = written.filter((text) => text.startsWith('{"run"')).map((text) => JSON.parse(text) as RunEvent);
  expect(lines.map(({ seq }) => seq)).toEqual([1, 2]);
  expect(written.filter((text) => text.includes("cannot be reached"))).toHaveLength(1);
  expect(asked).toEqual([0, 1, 1, 1, 1]);
});

test.each([
  ["done", 0],
  ["failed", 1],
  ["canceled", 130],
] as const)("the exit code of a run that ended as %s is %i", async (outcome, code) => {
  const { fairlead } = createReader([{ events: [ended(outcome)] }]);
  expect(await followRun(createContext(false).context, fairlead, "run-1", { json: false })).toBe(code);
});

test("Ctrl-C ends the following and says how to continue", async () => {
  const { fairlead } = createReader([{ events: [joined] }, { onAsked: () => process.emit("SIGINT") }]);
  const { context, written } = createContext(true);
  expect(await followRun(context, fairlead, "run-1", { json: false })).toBe(130);
  expect(written.join("")).toContain("The run continues. Follow it with: fairlead foreman show run-1 -f");
});

test("other errors are not repeated", async () => {
  const { fairlead } = createReader([{ error: new FairleadError("corrupt", "damaged") }]);
  await expect(followRun(createContext(false).context, fairlead, "run-1", { json: false })).rejects.toThrow("damaged");
});

test("without a terminal, the command that answers is printed once for each request", async () => {
  const { fairlead } = createReader([{ events: [joined] }, {}, {}, { events: [ended("done")] }]);
  const asking = { ...view(null), decision: { session: "run-1" } as RunView["decision"] };
  const asks = "run-1.a asks for approval. Answer with: fairlead approve run-1.a";
  const part = { state: "asks you" } as RunView["parts"][number];
  const views = [{ ...view(null), parts: [part], reason: asks }, asking, asking, view("done")];
  const { context, written } = createContext(false);
  const reader = { ...fairlead, run: async () => views.shift() ?? view("done") };
  expect(await followRun(context, reader, "run-1", { json: false })).toBe(0);
  expect(written.filter((text) => text.includes("fairlead approve"))).toEqual([
    `${asks}\n`,
    "Read it with: fairlead approve run-1 --show. Approve it with: fairlead approve run-1\n",
  ]);
});
