import type { DecidedBy, EventOf } from "@fairlead/contract";
import { escapeLine } from "./escape-line.ts";
import { summarizeInput } from "./input-fields.ts";
import { toOneLine } from "./sanitize-text.ts";

type Resolution = EventOf<"decision.resolved">;

/**
 * Formats the outcome of a decision and who made it: `allowed by a person (phone), for this session`. `cut` shortens the
 * summary of an edited input.
 */
export function formatResolution(
  { outcome, by, input, message = "", answers, remember, option }: Omit<Resolution, "type" | "decision">,
  cut: (text: string) => string,
): string {
  const edited = input === undefined ? "" : `, with edited input: ${cut(escapeLine(summarizeInput(input).text))}`;
  const why = message === "" ? "" : `: ${toOneLine(message)}`;
  const choices = answers === undefined ? "" : `: ${toOneLine(Object.values(answers).join("; "))}`;
  const { rule } = by;
  // The message of a denial names the rule.
  const source = message === "" ? toOneLine(rule?.source ?? "") : "";
  const rules = source === "" ? "" : ` (${rule?.grant ? "grant" : "rule"} ${rule?.number} of ${source})`;
  const scope = remember === undefined ? "" : remember === "session" ? ", for this session" : ", from now on";
  const chosen = option === undefined ? "" : `, option ${toOneLine(option)}`;
  return `${outcome} ${formatResolver(by)}${rules}${scope}${chosen}${edited}${why}${choices}`;
}

/** Names who resolved a decision: `by a person (phone)`. */
export function formatResolver({ kind, label }: DecidedBy): string {
  return `${resolverNames[kind]}${label === undefined ? "" : ` (${toOneLine(label)})`}`;
}

const resolverNames: Readonly<Record<DecidedBy["kind"], string>> = {
  person: "by a person",
  mode: "by the permission mode",
  agent: "by the agent",
  runtime: "by the runtime",
  unattended: "because no person was available",
  limit: "by a limit of the session",
  policy: "by the policy",
  deadline: "by its deadline",
};
