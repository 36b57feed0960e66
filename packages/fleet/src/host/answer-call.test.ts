import { FairleadError } from "@fairlead/contract";
import { expect, test, vi } from "vitest";
import { encodeCall } from "../method-call.ts";
import { answerCall, type AnswerCallOptions } from "./answer-call.ts";

const call = encodeCall({ method: "send", args: ["s", "Hello."], options: { key: "k" } });

/** A host whose session refuses a message with an error. */
function createHost(refusal: FairleadError, changes: Partial<AnswerCallOptions> = {}): AnswerCallOptions {
  const fairlead = {
    send: vi.fn<() => Promise<never>>().mockRejectedValue(refusal),
  } as unknown as AnswerCallOptions["fairlead"];
  const log = { tail: async () => ({ owner: "o", epoch: 1, last: 1, fence: 1n }) };
  return { fairlead, log, hosts: { isElsewhere: () => false }, isAway: () => false, ...changes };
}

test("a command during which the session moves is neither lost nor confirmed", async () => {
  const moved = createHost(new FairleadError("fenced", "Another process drives session s now."));
  await expect(answerCall(moved, call)).rejects.toMatchObject({
    code: "indeterminate",
    message: expect.stringContaining("Repeat it with the same key."),
  });
});

test("a command for a session that has left had no effect, and may be sent to the next host", async () => {
  const unreachable = new FairleadError("conflict", "It was called.");
  for (const changes of [{ isAway: () => true }, { hosts: { isElsewhere: () => true } }])
    await expect(answerCall(createHost(unreachable, changes), call)).rejects.toMatchObject({ code: "unavailable" });
});

test.each([
  ["a command with a key is sent to the next host", { key: "k" }, null],
  ["a command without a key is not repeated, because it may have had an effect", {}, "unavailable"],
])("when the session leaves during a command, %s", async (_, options, problem) => {
  let isGone = false;
  const refusal = new FairleadError("unavailable", "This process has released the session.");
  const host = createHost(refusal, { isAway: () => isGone });
  const send = vi.mocked(host.fairlead.send).mockImplementation(async () => {
    isGone = true;
    throw refusal;
  });
  const answer = answerCall(host, encodeCall({ method: "send", args: ["s", "Hello."], options }));
  if (problem === null) await expect(answer).rejects.toMatchObject({ code: "unavailable" });
  else expect(await answer).toMatchObject({ problem: { code: problem } });
  expect(send).toHaveBeenCalledTimes(1);
});

test("a command that fails on a host that keeps the session is answered, and not repeated", async () => {
  const answer = await answerCall(createHost(new FairleadError("unavailable", "Its keeper does not respond.")), call);
  expect(answer).toEqual({ problem: { code: "unavailable", message: "Its keeper does not respond." } });
});
