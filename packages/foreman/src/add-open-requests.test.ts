import type { DecisionView, Fairlead, RunPartView, RunView } from "@fairlead/api";
import { FairleadError } from "@fairlead/contract";
import { expect, test } from "vitest";
import { addOpenRequests } from "./add-open-requests.ts";

const part = (session: string, endedAt: string | null = null): RunPartView =>
  ({ kind: "task", task: session, session, state: "building", endedAt }) as RunPartView;
const view = { run: "run-1", outcome: null, reason: "1 task is in work.", parts: [part("a"), part("b")] } as RunView;

function createFairlead(...open: { readonly session: string; readonly kind?: DecisionView["kind"] }[]) {
  let reads = 0;
  const fairlead = {
    decisions: async () => {
      reads += 1;
      return open.map(({ session, kind = "approval" }) => ({ session, kind }));
    },
    session: async (session: string) => {
      if (session === "b") throw new FairleadError("session-not-found", "gone");
      return { name: `run-1.${session}` };
    },
  } as unknown as Fairlead;
  return { fairlead, countReads: () => reads };
}

test("a part whose agent asks says so, and how to answer it", async () => {
  const { fairlead } = createFairlead({ session: "other" }, { session: "a" });
  const { parts, reason } = await addOpenRequests(fairlead, view);
  expect(parts.map(({ state }) => state)).toEqual(["asks you", "building"]);
  expect(reason).toBe("run-1.a asks for approval. Answer with: fairlead approve run-1.a");
});

test("questions, several requests and a removed session are described", async () => {
  const question = await addOpenRequests(createFairlead({ session: "b", kind: "question" }).fairlead, view);
  expect(question.reason).toBe('b asks a question. Answer with: fairlead answer b "…"');
  const both = createFairlead({ session: "a" }, { session: "a" }, { session: "b" });
  expect((await addOpenRequests(both.fairlead, view)).reason).toBe(
    "run-1.a asks for approval. 1 other agent asks too: fairlead status. Answer with: fairlead approve run-1.a",
  );
});

test("decisions are read only for a run with an open part", async () => {
  const { fairlead, countReads } = createFairlead({ session: "a" });
  const ended = { ...view, outcome: "done" } as RunView;
  expect(await addOpenRequests(fairlead, ended)).toBe(ended);
  const between = { ...view, parts: [part("a", "2026-01-01T00:00:00.000Z")] };
  expect(await addOpenRequests(fairlead, between)).toBe(between);
  expect(countReads()).toBe(0);
  expect(await addOpenRequests(createFairlead({ session: "other" }).fairlead, view)).toBe(view);
});
