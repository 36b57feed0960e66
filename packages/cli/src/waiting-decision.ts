import type { DecisionView, Fairlead } from "@fairlead/api";
import { FairleadError } from "@fairlead/contract";
import { oneLine } from "./render/tool-lines.ts";
import { shellWord } from "./shell-word.ts";
import { WrongUse } from "./wrong-use.ts";

/** The decision that a session waits for: the only one, or the one that was named. */
export async function waitingDecision(
  fairlead: Fairlead,
  named: string,
  decision: string | undefined,
): Promise<DecisionView> {
  const { session } = await fairlead.session(named);
  const waiting = (await fairlead.decisions()).filter((one) => one.session === session);
  const [first, ...more] = waiting.filter((one) => decision === undefined || one.decision === decision);
  if (first !== undefined && more.length === 0) return first;
  if (waiting.length === 0) {
    throw new FairleadError("decision-not-open", `${session} waits for no answer. \`fairlead status\` says who does.`);
  }
  const list = waiting.map((one) => `  ${oneLine(one.decision)}  ${oneLine(one.title)}`).join("\n");
  const message = decision === undefined ? "waits for several answers" : `does not wait for "${decision}"; it does for`;
  throw new WrongUse(
    `${session} ${message}:\n${list}`,
    `fairlead approve ${session} ${typable(waiting[0]?.decision ?? "")}`,
  );
}

/** The name is the agent's, and somebody may well type what we suggest: to a shell it must be a word and no more. */
function typable(decision: string): string {
  return /^[\w.:-]+$/.test(decision) ? decision : shellWord(oneLine(decision));
}
