import { adapters } from "@fairlead/adapters";
import type { Adapter, Effect } from "@fairlead/contract";
import { expect, test } from "vitest";
import { eventsUntil, TestHome } from "@fairlead/testing/runtime/test-home.ts";
import { Runtime } from "../runtime.ts";
import type { Session } from "../sessions/session.ts";

const scripted = adapters.find(({ manifest }) => manifest.id === "scripted") as Adapter;

/** The scripted agent, with other effects. */
function withEffects(change: (effect: Effect) => Effect): Adapter {
  return {
    ...scripted,
    open(opening) {
      const { dialect, ...conversation } = scripted.open(opening);
      const handle: typeof dialect.handle = (state, command) => {
        const transition = dialect.handle(state, command);
        return { ...transition, effects: (transition.effects ?? []).map(change) };
      };
      return { ...conversation, dialect: { ...dialect, handle } };
    },
  };
}

async function start(testHome: TestHome, adapter: Adapter): Promise<{ runtime: Runtime; session: Session }> {
  const { home, environment, folder: workspace } = testHome;
  const runtime = await Runtime.open({ home, adapters: [adapter], environment });
  return { runtime, session: await runtime.start({ agent: "scripted", workspace, mode: "full-auto" }) };
}

/** An agent that asks for the same decision three times in one turn, with an id that is longer than that of a request. */
const repeatingAgent = `
  const write = (one) => process.stdout.write(JSON.stringify(one) + "\\n");
  write({ type: "hello", conversation: "c", model: "m" });
  let asked = 0;
  require("node:readline").createInterface({ input: process.stdin }).on("line", () => {
    if (asked > 0) write({ type: "result", call: "c" + asked, ok: true, output: "" });
    if (asked === 3) return write({ type: "done", outcome: "completed" });
    asked += 1;
    const input = { command: "true" };
    write({ type: "call", call: "c" + asked, name: "run", input });
    write({ type: "may-i", decision: "d".repeat(2000), call: "c" + asked, name: "run", input });
  });`;

test("full-auto answers every request, also if the agent uses the id of a decision again, or a long one", async () => {
  await using testHome = new TestHome();
  const program = { program: process.execPath, args: ["-e", repeatingAgent] };
  const { runtime, session } = await start(
    testHome,
    withEffects((effect) =>
      effect.type === "launch" ? { ...effect, command: { ...effect.command, ...program } } : effect,
    ),
  );
  await using _ = runtime;
  await session.send("Go.");
  const events = await eventsUntil(session, "turn.ended");
  const resolved = events.flatMap(({ body }) => (body.type === "decision.resolved" ? body.outcome : []));
  expect(resolved).toEqual(["allowed", "allowed", "allowed"]);
});

test("a message that the keeper rejects fails its turn with an error, instead of being lost", async () => {
  await using testHome = new TestHome();
  const { runtime, session } = await start(
    testHome,
    withEffects((effect) => (effect.type === "write" ? { ...effect, text: "x".repeat(17 * 1024 * 1024) } : effect)),
  );
  await using _ = runtime;
  await session.send("Go.");
  const events = await eventsUntil(session, "turn.ended");
  expect(events.find(({ body }) => body.type === "error.raised")?.body).toMatchObject({
    message: expect.stringContaining("too large"),
  });
  expect(events.at(-1)?.body).toMatchObject({ type: "turn.ended", outcome: "failed" });
});
