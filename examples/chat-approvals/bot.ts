import type { Fairlead } from "@fairlead/api";
import { FairleadError, type Answer } from "@fairlead/contract";
import type { Room } from "./room.ts";

/** `yes 2` or `no 2 not on a Friday`. */
const reply = /^(?<word>yes|no) (?<number>\d+)(?: (?<reason>.+))?$/;

/** Forwards what a session asks to a chat, and answers with what is said there, until its turn ends. */
export async function bot(fairlead: Fairlead, session: string, room: Room): Promise<void> {
  const ended = new AbortController();
  const asked: string[] = [];
  await Promise.all([ask(), listen()]);

  async function ask(): Promise<void> {
    for await (const one of fairlead.events(session, { follow: true })) {
      if (!("body" in one)) continue;
      const { body } = one;
      if (body.type === "decision.requested") {
        const number = asked.push(body.decision);
        await room.say(`${number}: may it ${body.title}? Say "yes ${number}", or "no ${number}" and why.`);
      }
      if (body.type === "decision.resolved") await room.say(`${asked.indexOf(body.decision) + 1}: ${body.outcome}.`);
      if (body.type === "turn.ended") break;
    }
    ended.abort();
  }

  async function listen(): Promise<void> {
    for await (const { from, text } of room.heard(ended.signal)) {
      const { word, number, reason = `${from} said no.` } = reply.exec(text)?.groups ?? {};
      const decision = asked[Number(number) - 1];
      if (decision === undefined) continue; // they talk of something else
      const answer: Answer = word === "yes" ? { type: "allow" } : { type: "deny", message: reason, interrupt: false };
      await fairlead.answer(session, decision, answer).catch(async (error: unknown) => {
        // Somebody was faster, here or elsewhere: the first answer counts.
        if (!FairleadError.is(error, "decision-not-open")) throw error;
        await room.say(`${number}: that is settled already.`);
      });
    }
  }
}
