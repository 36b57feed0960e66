import assert from "node:assert/strict";
import type { Session } from "@fairlead/runtime";
import type { Scenario } from "../scenario.ts";

export const forkConversation: Scenario = {
  name: "fork of a conversation",
  needs: ["fork"],
  clauses: ["fork:apart"],
  async execute(run, verify) {
    await run.start();
    const readContext = async (): Promise<string> => (await run.bench.readModelContext?.()) ?? "";
    await run.runSteps({ text: "The word is heliotrope." });
    await run.waitForEvent("turn.ended");
    const [agentSessionId] = run.eventsOfType("session.changed").flatMap((changed) => changed.agentSessionId ?? []);

    const original = await run.fork();
    await run.runSteps({ text: "Here it is marmalade." });
    const resumed = await run.waitForEvent("session.resumed");
    await run.waitForEvent("turn.ended");
    await verify("fork:apart", async () => {
      const [started] = run.eventsOfType("session.started");
      const { after, ...continues } = started?.continues ?? {};
      assert.ok(after !== undefined && after > 0, "the session does not name the last event that it continues");
      assert.deepEqual(continues, {
        session: original.id,
        agentSessionId,
        outcome: "native",
        fork: true,
      });
      assert.equal(resumed.outcome, "forked");
      assert.notEqual(resumed.agentSessionId, agentSessionId, "the fork continues the original conversation");
      assert.match(await readContext(), /heliotrope/, "the fork's model request does not contain the earlier text");
    });

    let after = original.lastSequence;
    await original.send(run.bench.buildPrompt([{ text: "There it is parsnip." }], run.workspace) ?? "");
    await waitForEventAfter(original, "turn.ended", after);
    await verify("fork:apart", async () => {
      assert.match(
        await readContext(),
        /heliotrope.*parsnip/s,
        "the original's model request does not contain its own text",
      );
      assert.doesNotMatch(await readContext(), /marmalade/, "the original's model request contains the fork's text");
    });

    await run.runSteps({ text: "And so it stays." });
    await run.waitForEvent("turn.ended", 2);
    await verify("fork:apart", async () => {
      assert.match(
        await readContext(),
        /heliotrope.*marmalade/s,
        "the fork's model request does not contain its own text",
      );
      assert.doesNotMatch(await readContext(), /parsnip/, "the fork's model request contains the original's text");
    });
    after = original.lastSequence;
    await original.end();
    await waitForEventAfter(original, "session.ended", after);
  },
};

/** Waits until a session emits an event of this type after the given sequence number. */
async function waitForEventAfter(session: Session, type: "turn.ended" | "session.ended", after: number): Promise<void> {
  for await (const output of session.stream(after)) if ("body" in output && output.body.type === type) return;
}
