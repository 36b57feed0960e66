import type { DecisionView, Fairlead } from "@fairlead/api";
import { FairleadError, requestDigest } from "@fairlead/contract";
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

describe("of several kinds", () => {
  const questions = [{ text: "Which?", options: [{ label: "red" }], multiSelect: false }];
  const question = createDecision("ask", { kind: "question", tool: "ask", input: { questions }, questions });
  const findFor = async (command: "approve" | "deny" | "answer", ...views: DecisionView[]): Promise<DecisionView> =>
    await findWaitingDecision(createFairleadStub(...views), { sessionRef: "s", decisionRef: undefined, command });

  it("takes the only one that the command answers", async () => {
    expect(await findFor("approve", question, one)).toBe(one);
    expect(await findFor("answer", question, one, other)).toBe(question);
    await expect(findFor("deny", question, one)).rejects.toThrow("several open decisions");
  });

  it("requires the digest of one that replaces another one", async () => {
    const replacing = createDecision("req-9", { replaces: true });
    await expect(findFor("approve", question, replacing)).rejects.toMatchObject({
      suggestion: `fairlead approve s ${shortDigest(replacing)}`,
    });
  });

  it("fails as for a session without decisions if the command answers none, and names what is open", async () => {
    const late = { code: "decision-not-open" };
    await expect(findFor("answer")).rejects.toMatchObject(late);
    await expect(findFor("answer", one)).rejects.toMatchObject({
      ...late,
      message: expect.stringContaining(`fairlead approve s ${shortDigest(one)}`),
    });
    await expect(findFor("approve", question)).rejects.toMatchObject({
      ...late,
      message: expect.stringMatching(/asks: Which\? \(1 red\)\n.*fairlead answer s --decision [\da-f]{12} "…"$/),
    });
    await expect(find([one], "f".repeat(12))).rejects.toMatchObject(late);
  });
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

describe("a run", () => {
  const ofRun = createDecision("approval", { session: "run-abc", agent: "foreman" });
  const ofSession = createDecision("req-1", { session: "s" });
  const missing = (ref: string): never => {
    throw new FairleadError("session-not-found", `No session matches "${ref}".`);
  };
  const fairlead = {
    session: async (ref: string) => (["s", "run-abc", "run-a"].includes(ref) ? { session: "s" } : missing(ref)),
    run: async (ref: string) =>
      ref !== "" && ("run-abc".startsWith(ref) || "abc".startsWith(ref)) ? { run: "run-abc" } : missing(ref),
    decisions: async () => [ofSession, ofRun],
  } as unknown as Fairlead;
  const findBy = (sessionRef: string) =>
    findWaitingDecision(fairlead, { sessionRef, decisionRef: undefined, command: "approve" });

  it("is found by its id, also if a session has that name, and by a beginning that no session has", async () => {
    expect(await findBy("run-abc")).toBe(ofRun);
    expect(await findBy("run-ab")).toBe(ofRun);
    expect(await findBy("ab")).toBe(ofRun);
    expect(await findBy("run-a")).toBe(ofSession);
    expect(await findBy("s")).toBe(ofSession);
    await expect(findBy("run-x")).rejects.toMatchObject({ code: "session-not-found" });
  });

  it("is not looked for in a daemon that knows none", async () => {
    const old = {
      ...fairlead,
      run: async () => Promise.reject(new FairleadError("invalid-request", "No such route.")),
    };
    const options = { sessionRef: "run-x", decisionRef: undefined, command: "approve" } as const;
    await expect(findWaitingDecision(old, options)).rejects.toMatchObject({ code: "session-not-found" });
  });
});
