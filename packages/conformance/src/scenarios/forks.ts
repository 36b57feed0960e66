import assert from "node:assert/strict";
import type { Session } from "@fairlead/runtime";
import type { Scenario } from "../scenario.ts";

export const forked: Scenario = {
  name: "fork of a conversation",
  needs: ["fork"],
  cites: ["fork:apart"],
  async perform(rehearsal, verifies) {
    await rehearsal.start();
    const shown = async (): Promise<string> => (await rehearsal.stage.context?.()) ?? "";
    await rehearsal.play({ text: "The word is heliotrope." });
    await rehearsal.the("turn.ended");
    const [agentSessionId] = rehearsal.all("session.changed").flatMap((changed) => changed.agentSessionId ?? []);

    const original = await rehearsal.fork();
    await rehearsal.play({ text: "Here it is marmalade." });
    const resumed = await rehearsal.the("session.resumed");
    await rehearsal.the("turn.ended");
    await verifies("fork:apart", async () => {
      const [started] = rehearsal.all("session.started");
      assert.deepEqual(started?.continues, {
        session: original.id,
        native: agentSessionId,
        outcome: "native",
        fork: true,
      });
      assert.equal(resumed.outcome, "forked");
      assert.notEqual(resumed.agentSessionId, agentSessionId, "it went on in the conversation that it was to fork");
      assert.match(await shown(), /heliotrope/, "the fork was not shown what was said before");
    });

    let after = original.last;
    await original.send(rehearsal.stage.prompt([{ text: "There it is parsnip." }], rehearsal.workspace) ?? "");
    await told(original, "turn.ended", after);
    await verifies("fork:apart", async () => {
      assert.match(await shown(), /heliotrope.*parsnip/s, "the original has forgotten what was said before");
      assert.doesNotMatch(await shown(), /marmalade/, "the original was shown what was said in the fork");
    });

    await rehearsal.play({ text: "And so it stays." });
    await rehearsal.the("turn.ended", 2);
    await verifies("fork:apart", async () => {
      assert.match(await shown(), /heliotrope.*marmalade/s, "the fork has forgotten what was said in it");
      assert.doesNotMatch(await shown(), /parsnip/, "the fork was shown what was said in the original");
    });
    after = original.last;
    await original.end();
    await told(original, "session.ended", after);
  },
};

/** Waits until a session has told of this, after the event of that number. */
async function told(session: Session, type: "turn.ended" | "session.ended", after: number): Promise<void> {
  for await (const one of session.stream(after)) if ("body" in one && one.body.type === type) return;
}
