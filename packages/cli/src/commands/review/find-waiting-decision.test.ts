import type { DecisionView, Fairlead } from "@fairlead/api";
import { requestDigest } from "@fairlead/contract";
import { describe, expect, it } from "vitest";
import { findWaitingDecision, shortDigest } from "./find-waiting-decision.ts";
import type { UsageError } from "../../usage-error.ts";

function createDecision(decision: string, rest: Partial<DecisionView> = {}): DecisionView {
  const request = { decision, kind: "approval", title: `run this\n${decision}`, tool: "run", ...rest } as const;
  const common = { session: "s", agent: "a", since: new Date(0).toISOString(), replaces: false };
  return { ...common, ...request, digest: requestDigest(request) };
}

/** Creates a stub with one session and its open decisions. Ids and titles come from the agent. */
function createFairleadStub(...views: readonly DecisionView[]): Fairlead {
  return { session: async () => ({ session: "s" }), decisions: async () => views } as unknown as Fairlead;
}

async function find(views: readonly DecisionView[], decisionRef?: string, onlyShow = false): Promise<DecisionView> {
  const options = { sessionRef: "s", decisionRef, command: "approve", onlyShow } as const;
  return await findWaitingDecision(createFairleadStub(...views), options);
}

async function findUsageError(...args: Parameters<typeof find>): Promise<UsageError> {
  return await find(...args).then(
    (found) => expect.fail(`found ${found.decision}`),
    (error: unknown) => error as UsageError,
  );
}

const [one, other] = [createDecision("req-1"), createDecision("req-2")];

it("lists each decision on one line, whatever its id and its title contain", async () => {
  const { message } = await findUsageError([createDecision("one\ns was allowed: all"), other]);
  expect(message.split("\n")).toHaveLength(3);
});

it("suggests a digest, so that a shell reads one word whatever the agent's id is", async () => {
  const hostile = createDecision("$(touch it)");
  expect((await findUsageError([hostile, other])).suggestion).toMatch(/^fairlead approve s [\da-f]{12}$/);
});

it("finds a decision by its id, its digest, or the beginning of either", async () => {
  expect(await find([one])).toBe(one);
  for (const ref of ["req-2", other.digest, shortDigest(other)]) expect(await find([one, other], ref)).toBe(other);
  expect(await find([one, createDecision("other")], "req")).toBe(one);
  expect(await find([createDecision("req"), createDecision("req-1")], "req")).toMatchObject({ decision: "req" });
  expect((await findUsageError([one, other], "req")).message).toContain("several open decisions");
  expect((await findUsageError([one, other], "")).message).toContain("no open decision");
  expect((await findUsageError([one], one.digest.slice(0, 11))).message).toContain("no open decision");
});

describe("a decision that replaces another one", () => {
  const replacing = createDecision("req-1", { replaces: true });

  it("is not found by what the agent chose, nor as the only one", async () => {
    for (const ref of [undefined, "req-1", "req"])
      expect((await findUsageError([replacing], ref)).message).toContain("replaced a request");
  });

  it("is found by its digest, and can be shown", async () => {
    expect(await find([replacing], shortDigest(replacing))).toBe(replacing);
    expect(await find([replacing], undefined, true)).toBe(replacing);
  });

  it("is not found by an id that looks like the digest of the request that it replaces", async () => {
    const forged = createDecision(shortDigest(one), { replaces: true });
    expect((await findUsageError([forged], shortDigest(one))).message).toContain("no open decision");
  });
});
