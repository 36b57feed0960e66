import type { Capability } from "./capability.ts";

/** One promise of an adapter. `must` is judged; `should` is reported. */
export interface Clause {
  readonly level: "must" | "should";
  readonly says: string;
  /** Judged only for agents that declare all of these. An agent that shows one undeclared is in drift. */
  readonly needs?: readonly Capability[];
}

/** Every promise that an adapter makes. Tests cite them by id; a clause that none cites fails the build. */
export const clauses = {
  "session:first": {
    level: "must",
    says: "session.started is the first event, once, and names adapter, version and workspace.",
  },
  "session:last": {
    level: "must",
    says: "session.ended is the last event, once, however the session came to its end.",
  },
  "session:lawful": { level: "must", says: "Every journal obeys the law of order." },
  "session:identified": {
    level: "must",
    needs: ["resume"],
    says: "The agent's own name for the conversation is reported.",
  },
  "session:model": { level: "should", needs: ["usage"], says: "The model is named on the events of a turn." },
  "session:workspace": { level: "must", says: "The agent works in the workspace and nowhere else." },
  "session:stop": { level: "must", says: "Ending a session ends every process that it started." },
  "turn:input": { level: "must", says: "turn.started carries the message exactly as it was sent." },
  "turn:outcome": {
    level: "must",
    says: "turn.ended says truly whether the turn was completed, interrupted, limited or failed.",
  },
  "turn:queue": {
    level: "must",
    needs: ["queue"],
    says: "A message sent during a turn becomes a turn of its own, afterwards.",
  },
  "turn:steer": {
    level: "must",
    needs: ["steer"],
    says: "What is said into a turn reaches the model in that turn; without a turn it is refused.",
  },
  "turn:limit": { level: "must", needs: ["max-turns"], says: "At the limit of steps the turn ends as limited." },
  "text:whole": { level: "must", says: "text.ended carries what the agent said, to the letter." },
  "text:deltas": { level: "must", needs: ["streaming"], says: "The deltas of a text, joined, are the text." },
  "reasoning:whole": {
    level: "must",
    needs: ["reasoning"],
    says: "reasoning.ended carries the thinking that was shown.",
  },
  "tool:fields": {
    level: "must",
    needs: ["tools"],
    says: "A call has one id, and name, input, output and ok are there on every agent.",
  },
  "tool:order": {
    level: "must",
    needs: ["tools"],
    says: "A call is requested, then started if it ran, then ended, each once.",
  },
  "tool:failure": { level: "must", needs: ["tools"], says: "A failing tool ends with ok false and what it printed." },
  "tool:parallel": {
    level: "must",
    needs: ["parallel-tools"],
    says: "Calls that are open at the same time are kept apart by their ids.",
  },
  "file:changed": {
    level: "must",
    needs: ["file-events"],
    says: "A file that a tool wrote is reported with its path.",
  },
  "decision:first": {
    level: "must",
    needs: ["approvals"],
    says: "What is asked about is not done before it is allowed.",
  },
  "decision:allow": {
    level: "must",
    needs: ["approvals"],
    says: "What is allowed is done, and the journal says by whom it was allowed.",
  },
  "decision:deny": {
    level: "must",
    needs: ["approvals"],
    says: "What is denied is not done, and the call says so.",
  },
  "decision:told": {
    level: "must",
    needs: ["told-denials"],
    says: "The agent is told why it was denied, and the turn goes on.",
  },
  "decision:stop": {
    level: "must",
    needs: ["approvals"],
    says: "A denial with interrupt ends the turn as interrupted.",
  },
  "decision:edit": {
    level: "must",
    needs: ["edited-approvals"],
    says: "What is done is the edited input, not the one asked about.",
  },
  "decision:question": {
    level: "must",
    needs: ["questions"],
    says: "A question comes with its options, and the agent gets the choice.",
  },
  "decision:once": {
    level: "must",
    needs: ["approvals"],
    says: "A decision is answered once; a second answer is refused.",
  },
  "interrupt:text": {
    level: "must",
    needs: ["interrupt"],
    says: "An interrupt while it speaks ends the turn as interrupted, and the session goes on.",
  },
  "interrupt:command": {
    level: "must",
    needs: ["interrupt"],
    says: "An interrupt ends a running command; no process of it is left.",
  },
  "interrupt:decision": {
    level: "must",
    needs: ["interrupt", "approvals"],
    says: "An interrupt while a decision is open resolves it as canceled.",
  },
  "resume:native": {
    level: "must",
    needs: ["resume"],
    says: "After a pause the same conversation goes on in a new process and knows what was said.",
  },
  "resume:unknown": {
    level: "must",
    needs: ["resume"],
    says: "Resuming what the agent does not know is an error of that category, never a fresh start.",
  },
  "resume:proven": {
    level: "must",
    needs: ["resume"],
    says: "The agent's own record of the conversation, where it keeps one, still begins with what was there before.",
  },
  "fork:apart": {
    level: "must",
    needs: ["fork"],
    says: "A fork knows what was said before; what is said afterwards in one of the two is not known in the other.",
  },
  "lead:human": {
    level: "must",
    needs: ["take-over"],
    says: "While a person leads, the agent's own terminal shows the conversation, and nobody else can speak to the agent.",
  },
  "lead:agent": {
    level: "must",
    needs: ["take-over"],
    says: "When the lead is handed back the terminal has ended, and the agent knows what was said in it.",
  },
  "error:category": {
    level: "must",
    says: "A failure of the model's service raises an error of the right category and fails the turn.",
  },
  "error:deadline": { level: "must", says: "A failing turn ends within the deadline that was set." },
  "error:death": { level: "must", says: "When the agent's process dies, that is said, and everything open is closed." },
  "usage:exact": {
    level: "must",
    needs: ["usage"],
    says: "The tokens reported are the tokens served, to the token, also after a resume.",
  },
  "usage:cost": {
    level: "must",
    needs: ["cost"],
    says: "Costs are differences that add up to the agent's own total, also after a resume.",
  },
  "prompt:system": {
    level: "must",
    needs: ["system-prompt"],
    says: "The system prompt that was set reaches the model.",
  },
  "settings:refused": { level: "must", says: "Bad settings are refused before anything is started." },
  "capability:honest": { level: "must", says: "What is declared is observed, and what is observed is declared." },
  "probe:clear": { level: "must", says: "A probe finds program and version, or says in a sentence what is missing." },
  "dialect:pure": {
    level: "must",
    says: "The same records give the same events, also when the fold is cut anywhere and its state stored as JSON.",
  },
  "dialect:lawful": { level: "must", says: "The dialect itself says nothing unlawful on its recordings." },
  "dialect:hostile": {
    level: "must",
    says: "No line, however mangled, makes the dialect throw; what it cannot read becomes one unrecognized event.",
  },
  "dialect:steady": {
    level: "must",
    says: "Recordings of the real agent give the events that were recorded with them.",
  },
} as const satisfies Record<string, Clause>;

export type ClauseId = keyof typeof clauses;
