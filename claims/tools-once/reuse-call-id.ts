import type { Event } from "@fairlead/contract";
import { LocalFairlead } from "@fairlead/service";
import { createStandInAdapter } from "../../measure/create-stand-in-adapter.ts";
import { TestHome } from "../../measure/test-home.ts";
import { createSeatTool } from "./seat-tool.ts";

/** Lets an agent use the id of a call again after a resume. Returns the keys and the ids of the calls. */
export async function reuseCallId(): Promise<{ readonly keys: string[]; readonly ids: string[] }> {
  await using testHome = new TestHome();
  const keys: string[] = [];
  const tool = createSeatTool((key) => {
    keys.push(key);
    return "Booked.";
  });
  await using fairlead = await LocalFairlead.open({
    home: testHome.home,
    adapters: [createStandInAdapter(new URL("booking-agent.ts", import.meta.url), { calls: 1 })],
    environment: testHome.environment,
    tools: [tool],
  });
  const start = { agent: "scripted", workspace: testHome.workspace(), tools: ["book_seat"], prompt: "Book." };
  const { session } = await fairlead.start({ ...start, sandbox: { kind: "none" } });
  const events: Event[] = [];
  const readUntil = async (type: Event["body"]["type"]): Promise<void> => {
    for await (const output of fairlead.events(session, { after: events.length, follow: true })) {
      if (!("body" in output)) continue;
      events.push(output);
      if (output.body.type === type) break;
    }
  };
  await readUntil("turn.ended");
  await fairlead.pause(session);
  await readUntil("session.paused");
  await fairlead.resume(session);
  await fairlead.send(session, "Book again.");
  await readUntil("turn.ended");
  await fairlead.stop(session);
  return { keys, ids: events.flatMap(({ body }) => (body.type === "tool.ended" ? [body.call] : [])) };
}
