import type { Fairlead } from "@fairlead/api";
import type { Event } from "@fairlead/contract";
import { withScript } from "@fairlead/kit";
import { SessionFollower } from "../daemon/session-follower.ts";
import type { CommandRepeater } from "./command-repeater.ts";

/** The number of commands in a full session. */
export const commandsPerSession = 25;
const approvals = 8;

const isType =
  (type: Event["body"]["type"]) =>
  ({ body }: Event): boolean =>
    body.type === type;

/** Runs one session from start to stop with every kind of command. Each allowed command appends a line to `file`. */
export async function runFullSession(
  repeater: CommandRepeater,
  fairlead: Fairlead,
  paths: { readonly workspace: string; readonly file: string },
): Promise<void> {
  const { workspace, file } = paths;
  const request = { agent: "scripted", workspace };
  const { session } = await repeater.issue("start", (client, options) => client.start(request, options));
  const follower = new SessionFollower(fairlead, session);
  let position = await follower.waitForEvent(isType("session.changed"));
  const sendMessage = (text: string): Promise<unknown> =>
    repeater.issue("send", (client, options) => client.send(session, text, options));

  for (let count = 1; count <= approvals; count += 1) {
    const command = `echo ${session} >> ${file}`;
    await sendMessage(withScript("Run it.", [{ tools: [{ name: "run", input: { command } }] }]));
    position = await follower.waitForEvent(isType("decision.requested"), position);
    const body = follower.events[position - 1]?.body;
    const decision = body?.type === "decision.requested" ? body.decision : "";
    await repeater.issue("answer", (client, options) => client.answer(session, decision, { type: "allow" }, options));
    position = await follower.waitForEvent(isType("turn.ended"), position);
    if (count > 2) continue;
    await repeater.issue("inject", (client, options) => client.inject(session, "It is late.", options));
  }
  await repeater.issue("pause", (client, options) => client.pause(session, options));
  await repeater.issue("resume", (client, options) => client.resume(session, {}, options));
  await sendMessage(withScript("Wait.", [{ hang: true }]));
  position = await follower.waitForEvent(isType("turn.started"), position);
  await repeater.issue("steer", (client, options) => client.steer(session, "Mind the time.", options));
  position = await follower.waitForEvent(isType("turn.steered"), position);
  await repeater.issue("interrupt", (client, options) => client.interrupt(session, options));
  await follower.waitForEvent(isType("turn.ended"), position);
  await repeater.issue("stop", (client, options) => client.stop(session, options));
  await follower.finished;
}
