import {
  capabilitiesOf,
  isOpen,
  isSameJson,
  openRequest,
  withSupportedMessage,
  type AgentCommand,
  type Capability,
  type Command,
  type CommandOf,
  type ErrorCode,
  type Manifest,
} from "@fairlead/contract";
import { hostTools } from "./host-tools.ts";
import type { SessionState } from "./session-state.ts";

/**
 * Returns `not-supported` if a command needs what the agent does not declare, or null. This is the only check of it: a
 * dialect may ignore a field that its agent has no use for, and the journal would then report what did not happen.
 */
export function capabilityRejectionOf(
  state: SessionState,
  command: Command,
  manifest: Manifest,
  rules: number,
): ErrorCode | null {
  const needed = rules < 2 ? neededBeforeRules2(command) : neededCapabilities(state, command, manifest, rules);
  if (needed.length === 0) return null;
  const declared = declaredCapabilities(state, manifest);
  return needed.every((one) => one !== "never" && declared.includes(one)) ? null : "not-supported";
}

/** Removes the input from an approval that repeats what was requested, because that is not an edit. */
export function withoutUneditedInput(state: SessionState, command: Command): Command {
  if (command.type !== "answer" || command.answer.type !== "allow" || isEdit(state, command)) return command;
  const { input: _, ...answer } = command.answer;
  return { ...command, answer };
}

/**
 * Adds to an answer the input that was shown. Removes the message of a denial that no person gave, if the agent cannot
 * receive one: only the journal has it then.
 */
export function answerForAgent(state: SessionState, command: AgentCommand, manifest: Manifest): AgentCommand {
  if (command.type !== "answer") return command;
  const shown = openRequest(state.ledger, command.decision)?.input;
  if (command.by.kind === "person") return { ...command, shown };
  return { ...command, answer: withSupportedMessage(command.answer, declaredCapabilities(state, manifest)), shown };
}

/** Lists what the agent of a session declares. */
export function declaredCapabilities({ opening }: SessionState, manifest: Manifest): readonly Capability[] {
  const { version = null, flags } = opening?.probeResult ?? {};
  return capabilitiesOf(manifest, version, flags);
}

/** Lists what a command needs. `never`: no agent of this kind can execute it. */
function neededCapabilities(
  state: SessionState,
  command: Command,
  { messages = "conversation" }: Manifest,
  rules: number,
): readonly (Capability | "never")[] {
  switch (command.type) {
    case "steer":
    case "take-over":
    case "interrupt":
      return [command.type];
    case "send":
      // The reducer keeps the message until the turn ends. In older versions the agent had to.
      return rules < 4 && isOpen(state.ledger, "turn") ? ["queue"] : [];
    case "resume":
      // An agent that opens another conversation continues none.
      return messages !== "conversation" || (rules >= 7 && state.opensAgain) ? [] : ["resume"];
    case "inject":
    case "update-brief":
      return messages === "command" ? ["never"] : [];
    case "answer":
      return neededForAnswer(state, command, rules);
    case "open":
    case "limit":
    case "pause":
    case "hand-back":
    case "end":
      return [];
    default:
      return command satisfies never;
  }
}

function neededForAnswer(
  state: SessionState,
  command: CommandOf<"answer">,
  rules: number,
): readonly (Capability | "never")[] {
  const { answer, decision, by } = command;
  // The gate executes it, not the agent.
  if (openRequest(state.ledger, decision)?.kind === "network") return neededForNetworkAnswer(state, command);
  if (hostTools.isDecision({ state }, decision)) return neededForToolAnswer(state, command);
  if (answer.type === "allow") {
    if (!isOffered(state, command)) return ["never"];
    return isEdit(state, command) ? ["edited-approvals"] : [];
  }
  // A choice would allow the call, with the choice added to its input.
  if (answer.type === "choose") return openRequest(state.ledger, decision)?.kind === "approval" ? ["never"] : [];
  // What a rule or a program says about a denial is for the journal, too.
  const isTold = answer.message !== "" && (rules < 6 || by.kind === "person");
  return [...(!isTold ? [] : ["told-denials" as const]), ...(answer.interrupt ? ["interrupt" as const] : [])];
}

function neededForNetworkAnswer(state: SessionState, command: CommandOf<"answer">): readonly (Capability | "never")[] {
  const { answer } = command;
  if (answer.type === "choose" || isEdit(state, command) || !isOffered(state, command)) return ["never"];
  return answer.type === "deny" && answer.interrupt ? ["interrupt"] : [];
}

/** Fairlead runs the tool with the allowed input, and the agent always gets the message of a denial. */
function neededForToolAnswer(state: SessionState, command: CommandOf<"answer">): readonly (Capability | "never")[] {
  const { answer, decision } = command;
  if (!isOffered(state, command)) return ["never"];
  if (answer.type === "choose") return openRequest(state.ledger, decision)?.kind === "question" ? [] : ["never"];
  return answer.type === "deny" && answer.interrupt ? ["interrupt"] : [];
}

/** Reports whether the request offers what an approval asks for: to remember it, or one of the agent's own options. */
function isOffered(state: SessionState, { decision, answer }: CommandOf<"answer">): boolean {
  if (answer.type !== "allow") return true;
  const request = openRequest(state.ledger, decision);
  const { option, remember } = answer;
  if (option !== undefined && !request?.options?.some(({ id }) => id === option)) return false;
  // What was shown is remembered, and an edited input was not shown.
  return remember === undefined || (answer.input === undefined && (request?.reading?.grants ?? []).length > 0);
}

function isEdit({ ledger }: SessionState, { decision, answer }: CommandOf<"answer">): boolean {
  if (answer.type !== "allow" || answer.input === undefined) return false;
  return !isSameJson(answer.input, openRequest(ledger, decision)?.input);
}

function neededBeforeRules2(command: Command): readonly Capability[] {
  return command.type === "steer" || command.type === "take-over" ? [command.type] : [];
}
