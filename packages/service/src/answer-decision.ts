import { openRequest, type Answer } from "@fairlead/contract";
import { addGrants, assertGrantsFit, type Session } from "@fairlead/runtime";
import type { CommandContext } from "./command-methods.ts";

/** Answers a decision. An answer that counts from now on is added to the user's policy. */
export async function answerDecision(
  session: Session,
  policyFile: string,
  decision: string,
  answer: Answer,
  { key, label }: Pick<CommandContext, "key" | "label">,
): Promise<void> {
  const isRule = answer.type === "allow" && answer.remember === "rule";
  // Before the answer: if the file is not valid, the person can repair it and answer again.
  if (isRule) assertGrantsFit(policyFile, openRequest(session.state.ledger, decision)?.reading?.grants ?? []);
  await session.answer(decision, answer, key, label);
  // After the answer, which a retry with the same key repeats without effect.
  const given = session.state.grants.filter((one) => one.isRule && one.decision === decision);
  if (isRule) addGrants(policyFile, given);
}
