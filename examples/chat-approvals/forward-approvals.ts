import type { Fairlead } from "@fairlead/api";
import { FairleadError, type Answer } from "@fairlead/contract";
import type { ChatParticipant } from "./chat-participant.ts";

/** A reply in the chat: `yes 2` or `no 2 not on a Friday`. */
const replyPattern = /^(?<word>yes|no) (?<number>\d+)(?: (?<reason>.+))?$/;

/**
 * Posts the decisions of a session to a chat and answers them with the replies, until the turn ends. With the address of the
 * web page, such as `https://agents.example`, each post has a link to the whole request.
 */
export async function forwardApprovals(
  fairlead: Fairlead,
  session: string,
  participant: ChatParticipant,
  pageUrl: string | null = null,
): Promise<void> {
  const ended = new AbortController();
  const decisions: string[] = [];
  await Promise.all([forwardQuestions(), answerFromChat()]);

  async function forwardQuestions(): Promise<void> {
    for await (const output of fairlead.events(session, { follow: true })) {
      if (!("body" in output)) continue;
      const { body } = output;
      if (body.type === "decision.requested") {
        const number = decisions.push(body.decision);
        const path = `/inbox/${encodeURIComponent(session)}/${encodeURIComponent(body.decision)}`;
        const link = pageUrl === null ? "" : ` All of it: ${pageUrl}${path}`;
        await participant.post(
          `${number}: Allow the agent to ${body.title}? Reply "yes ${number}", or "no ${number}" and a reason.${link}`,
        );
      }
      if (body.type === "decision.resolved")
        await participant.post(`${decisions.indexOf(body.decision) + 1}: ${body.outcome}.`);
      if (body.type === "turn.ended") break;
    }
    ended.abort();
  }

  async function answerFromChat(): Promise<void> {
    for await (const { from, text } of participant.readPosts(ended.signal)) {
      const { word, number, reason = `${from} said no.` } = replyPattern.exec(text)?.groups ?? {};
      const decision = decisions[Number(number) - 1];
      if (decision === undefined) continue; // The post is not a reply to a decision.
      const answer: Answer = word === "yes" ? { type: "allow" } : { type: "deny", message: reason, interrupt: false };
      await fairlead.answer(session, decision, answer).catch(async (error: unknown) => {
        // Another answer came first, from this chat or from another client. The first answer counts.
        if (!FairleadError.is(error, "decision-not-open")) throw error;
        await participant.post(`${number}: already answered.`);
      });
    }
  }
}
