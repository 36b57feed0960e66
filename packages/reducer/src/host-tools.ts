import {
  AskPersonInput,
  cutText,
  isOpen,
  keyedMap,
  ownValue,
  questionOf,
  type AgentEvent,
  type Command,
  type CommandOf,
  type Effect,
  type NoteOf,
  type Observation,
} from "@fairlead/contract";
import { z } from "zod";
import { maxOpenDecisionBytes } from "./decision-limits.ts";
import type { Emitter } from "./emitter.ts";

/** A call of a tool that Fairlead runs, until the agent has its result. */
export interface HostToolUse {
  /** What the dialect needs to answer the agent. */
  readonly request: string;
  readonly call: string;
  readonly tool: string;
  readonly input: unknown;
  /**
   * `asked`: a decision about it is open. `allowed`: the runtime runs it. `refused`: the agent is told so at once.
   * `answered`: it was a question, and the agent is told the answer at once. `invalid`: it names no tool, or its input is
   * not valid.
   */
  readonly status: "asked" | "allowed" | "refused" | "answered" | "invalid";
  /** The size of the input as JSON. The state contains it until the agent has the result. */
  readonly bytes: number;
  /** Why it was refused, or the answer. */
  readonly reason?: string;
}

/** Passes an observation to the dialect. */
type Observe = (observation: Observation) => void;

/** The most calls that wait for a result at the same time. */
const maxOpenUses = 64;

/** The most characters of a result that an agent gets. */
const maxToolText = 100_000;

const decisionPrefix = "use-";

/**
 * The tools that Fairlead runs for the agent. The policy decides about each call, as about any other: the agent's own
 * question about it would not be about what runs.
 */
export const hostTools = {
  /** Handles a call that the dialect reports. */
  requested(emitter: Emitter, { request, call, tool, input }: Extract<Effect, { type: "use" }>): void {
    const { opening, uses, ledger } = emitter.state;
    // A result would answer both requests, and the first was shown.
    if (keyedMap.values(uses).some((open) => open.request === request)) {
      const message = "The agent sent a second request with the id of an open one. The second was refused.";
      return emitter.emit({ type: "status.reported", level: "warning", message });
    }
    const key = newKey(emitter);
    const decision = `${decisionPrefix}${key}`;
    const bytes = Buffer.byteLength(JSON.stringify(input) ?? "");
    const use: HostToolUse = { request, call, tool, input, bytes, status: "allowed" };
    const refuse = (reason: string): void => setUse(emitter, key, { ...use, status: "refused", reason });
    const fail = (reason: string): void => setUse(emitter, key, { ...use, status: "invalid", reason });
    const offer = opening?.tools?.find(({ name }) => name === tool);
    if (offer === undefined || opening === null) return fail(`There is no tool ${tool}.`);
    if (!isOpen(ledger, "turn")) return refuse("A tool can be called only in a turn.");
    if (isStopping(emitter)) return refuse("The turn is being stopped.");
    if (keyedMap.size(uses) >= maxOpenUses) return refuse(`${maxOpenUses} calls of tools wait for their results.`);
    const waiting = keyedMap.values(uses).reduce((sum, open) => sum + open.bytes, 0);
    if (waiting > 0 && waiting + bytes > maxOpenDecisionBytes) return refuse("The calls that wait are too large.");
    const question = offer.asks ? AskPersonInput.safeParse(input) : undefined;
    if (question?.success === false) return fail(`The input is invalid:\n${z.prettifyError(question.error)}`);
    if (opening.policy === undefined && question === undefined) {
      if (opening.mode === "plan" && !offer.readOnly) return refuse("The mode plan allows no tool that acts.");
      return setUse(emitter, key, use);
    }
    // The agent chose the id of this decision for one of its own.
    if (isOpen(ledger, "decision", decision)) return refuse("Its decision has the id of another one.");
    setUse(emitter, key, { ...use, status: "asked" });
    const common = { type: "decision.requested", decision, ...(call !== "" && { call }), tool, input } as const;
    const action = { kind: "other", offered: offer.readOnly ? "reads" : "acts" } as const;
    emitter.emitOwn(
      question === undefined
        ? { ...common, kind: "approval", title: `${tool}, a tool of Fairlead`, action }
        : { ...common, kind: "question", title: question.data.question, questions: [questionOf(question.data)] },
    );
    if (!isOpen(emitter.state.ledger, "decision", decision)) refuse("The call could not be recorded.");
  },

  /** Refuses the calls that are open, because the turn is interrupted. A tool that runs is aborted. */
  interrupted(emitter: Emitter): void {
    for (const [key, use] of keyedMap.entries(emitter.state.uses))
      setUse(emitter, key, { ...use, status: "refused", reason: "The turn was interrupted." });
  },

  /** Follows an event that was emitted: the decision about a call, and the end of the turn, after which nobody waits. */
  follow(emitter: Emitter, body: AgentEvent): void {
    if (keyedMap.size(emitter.state.uses) === 0) return;
    if (body.type === "turn.ended") {
      for (const [key, use] of keyedMap.entries(emitter.state.uses))
        setUse(emitter, key, { ...use, status: "refused", reason: "The turn has ended." });
    }
    if (body.type !== "decision.resolved") return;
    const key = keyOf(body.decision);
    const use = keyedMap.get(emitter.state.uses, key);
    if (use?.status !== "asked") return;
    const { outcome, input = use.input, message } = body;
    if (outcome === "answered" || (outcome === "allowed" && isQuestion(emitter, use))) {
      const { question = "" } = AskPersonInput.safeParse(use.input).data ?? {};
      const text = ownValue(body.answers ?? {}, question) ?? "";
      return setUse(emitter, key, { ...use, status: "answered", reason: text || "The person gave no answer." });
    }
    if (outcome === "allowed") return setUse(emitter, key, { ...use, status: "allowed", input });
    const reason = message === undefined || message === "" ? `The call was ${outcome}.` : message;
    setUse(emitter, key, { ...use, status: "refused", reason });
  },

  /** Whether a decision is about a call of such a tool. Neither the agent nor its dialect has a part in it. */
  isDecision: ({ state }: Pick<Emitter, "state">, decision: string): boolean =>
    keyedMap.size(state.uses) > 0 &&
    decision.startsWith(decisionPrefix) &&
    keyedMap.get(state.uses, keyOf(decision))?.status === "asked",

  /** Applies the answer to such a decision, as `networkAccess.answered` does. */
  answered(emitter: Emitter, command: Command): "answered" | CommandOf<"interrupt"> | null {
    if (command.type !== "answer" || !hostTools.isDecision(emitter, command.decision)) return null;
    const { decision, answer, by } = command;
    if (answer.type === "choose") {
      emitter.emitOwn({ type: "decision.resolved", decision, outcome: "answered", by, answers: answer.answers });
      return "answered";
    }
    const edited = answer.type === "allow" && answer.input !== undefined ? { input: answer.input } : {};
    const message = answer.type === "deny" ? { message: answer.message } : {};
    const outcome = answer.type === "allow" ? "allowed" : "denied";
    emitter.emitOwn({ type: "decision.resolved", decision, outcome, by, ...edited, ...message });
    return answer.type === "deny" && answer.interrupt ? { type: "interrupt", by } : "answered";
  },

  /** Records what the tool reports, and passes the result of a call to the dialect. */
  ended(emitter: Emitter, { use: key, outcome, text, report }: NoteOf<"tool-result">, observe: Observe): void {
    const use = keyedMap.get(emitter.state.uses, key);
    if (use?.status !== "allowed") return;
    removeUse(emitter, key);
    if (report !== undefined) emitter.emitOwn(report);
    observe({ kind: "tool-result", request: use.request, call: use.call, outcome, text });
  },

  /** Tells the dialect of the calls that were refused, and of the questions that were answered. */
  settle(emitter: Emitter, observe: Observe): void {
    if (keyedMap.size(emitter.state.uses) === 0) return;
    for (const [key, { request, call, status, reason = "" }] of keyedMap.entries(emitter.state.uses)) {
      if (status === "asked" || status === "allowed") continue;
      removeUse(emitter, key);
      const outcome = ({ answered: "done", invalid: "failed", refused: "denied" } as const)[status];
      if (emitter.state.running && !emitter.state.stdinClosed)
        // Agents drop a line with half a character in it, and would wait without end.
        observe({ kind: "tool-result", request, call, outcome, text: cutText(reason, maxToolText).toWellFormed() });
    }
  },
};

const isQuestion = ({ state: { opening } }: Emitter, { tool }: HostToolUse): boolean =>
  opening?.tools?.some(({ name, asks }) => name === tool && asks === true) ?? false;

/** Reports whether nobody waits for another result: the turn is interrupted, or the agent must exit. */
function isStopping({ state: { interruptedBy, exiting, stdinClosed, desiredState } }: Emitter): boolean {
  return interruptedBy !== null || exiting || stdinClosed || desiredState !== "run";
}

const keyOf = (decision: string): string => decision.slice(decisionPrefix.length);

/** Names a call for the record that requested it. A record may have several. */
function newKey({ state: { uses }, record: { seq } }: Emitter): string {
  const first = `${seq}`;
  if (!keyedMap.has(uses, first)) return first;
  let nth = 1;
  while (keyedMap.has(uses, `${seq}.${nth}`)) nth += 1;
  return `${seq}.${nth}`;
}

function setUse(emitter: Emitter, key: string, use: HostToolUse): void {
  emitter.state = { ...emitter.state, uses: keyedMap.set(emitter.state.uses, key, use) };
}

function removeUse(emitter: Emitter, key: string): void {
  emitter.state = { ...emitter.state, uses: keyedMap.remove(emitter.state.uses, key) };
}
