import type { Fairlead } from "@fairlead/api";
import type { Event } from "@fairlead/contract";
import { withScript } from "@fairlead/kit";
import { Follower } from "../daemon/follower.ts";
import type { Insistence } from "./insistence.ts";

/** How many commands a life has. */
export const commandsInALife = 25;
const approvals = 8;

const is =
  (type: Event["body"]["type"]) =>
  ({ body }: Event): boolean =>
    body.type === type;

/** One session from start to stop, with every kind of command in it. Each allowed command adds a line to `file`. */
export async function live(
  insistence: Insistence,
  fairlead: Fairlead,
  place: { readonly workspace: string; readonly file: string },
): Promise<void> {
  const { workspace, file } = place;
  const order = { agent: "scripted", workspace };
  const { session } = await insistence.give("start", (to, options) => to.start(order, options));
  const follower = new Follower(fairlead, session);
  let seen = await follower.saw(is("session.changed"));
  const say = (text: string): Promise<unknown> =>
    insistence.give("send", (to, options) => to.send(session, text, options));

  for (let count = 1; count <= approvals; count += 1) {
    const command = `echo ${session} >> ${file}`;
    await say(withScript("Run it.", [{ tools: [{ name: "run", input: { command } }] }]));
    seen = await follower.saw(is("decision.requested"), seen);
    const body = follower.seen[seen - 1]?.body;
    const decision = body?.type === "decision.requested" ? body.decision : "";
    await insistence.give("answer", (to, options) => to.answer(session, decision, { type: "allow" }, options));
    seen = await follower.saw(is("turn.ended"), seen);
    if (count > 2) continue;
    await insistence.give("inject", (to, options) => to.inject(session, "It is late.", options));
  }
  await insistence.give("pause", (to, options) => to.pause(session, options));
  await insistence.give("resume", (to, options) => to.resume(session, {}, options));
  await say(withScript("Wait.", [{ hang: true }]));
  seen = await follower.saw(is("turn.started"), seen);
  await insistence.give("steer", (to, options) => to.steer(session, "Mind the time.", options));
  seen = await follower.saw(is("turn.steered"), seen);
  await insistence.give("interrupt", (to, options) => to.interrupt(session, options));
  await follower.saw(is("turn.ended"), seen);
  await insistence.give("stop", (to, options) => to.stop(session, options));
  await follower.over;
}
