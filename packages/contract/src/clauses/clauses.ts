import type { Clause } from "./clause.ts";
import { toolClauses } from "./tool-clauses.ts";

/** All requirements of an adapter. Tests cite them by id; a clause that no test cites fails the build. */
export const clauses = {
  "session:first": {
    level: "must",
    statement: "session.started is the first event, exactly once, and names agent, version and workspace.",
  },
  "session:last": {
    level: "must",
    statement: "session.ended is the last event, exactly once, however the session ends.",
  },
  "session:lawful": { level: "must", statement: "Every journal obeys the law of event order." },
  "session:identified": {
    level: "must",
    needs: ["resume"],
    statement: "The agent's own id of the conversation is reported.",
  },
  "session:model": { level: "should", needs: ["usage"], statement: "The events of a turn name the model." },
  "session:workspace": { level: "must", statement: "The agent works in the workspace and nowhere else." },
  "session:stop": { level: "must", statement: "Ending a session ends every process that it started." },
  "turn:input": { level: "must", statement: "turn.started carries the message exactly as sent." },
  "turn:outcome": {
    level: "must",
    statement: "turn.ended states correctly whether the turn was completed, interrupted, limited or failed.",
  },
  "turn:queue": {
    level: "must",
    needs: ["queue"],
    statement: "A message sent during a turn becomes a separate turn after it.",
  },
  "turn:kept": {
    level: "must",
    needs: ["queue"],
    statement: "A queued message becomes one turn, also after an interrupt and a pause, or is returned by one event.",
  },
  "turn:steer": {
    level: "must",
    needs: ["steer"],
    statement: "Text sent into a turn reaches the model in that turn; without an open turn it is rejected.",
  },
  "turn:limit": { level: "must", needs: ["max-turns"], statement: "At the limit of steps, the turn ends as limited." },
  "text:whole": {
    level: "must",
    statement:
      "text.ended carries the agent's text, character for character; more than 1,048,576 characters end in numbered parts. A line of output over 4 MiB is unrecognized.",
  },
  "text:deltas": { level: "must", needs: ["streaming"], statement: "The deltas of a text, joined, are the text." },
  "reasoning:whole": {
    level: "must",
    needs: ["reasoning"],
    statement: "reasoning.ended carries the reasoning that the agent showed.",
  },
  "tool:fields": {
    level: "must",
    needs: ["tools"],
    statement: "A call has one id; name, input, output and ok are present for every agent.",
  },
  "tool:order": {
    level: "must",
    needs: ["tools"],
    statement: "A call is requested, started if it ran, and ended, each exactly once.",
  },
  "tool:failure": {
    level: "must",
    needs: ["tools"],
    statement: "A failing tool ends with ok false and its output.",
  },
  "tool:parallel": {
    level: "must",
    needs: ["parallel-tools"],
    statement: "Calls that are open at the same time are distinguished by their ids.",
  },
  "file:changed": {
    level: "must",
    needs: ["file-events"],
    statement: "A file that a tool wrote is reported with its path.",
  },
  "action:run": {
    level: "must",
    needs: ["tools"],
    statement:
      "A call that runs a command, and its approval, have the kind run and the command exactly as the shell gets it.",
  },
  "action:edit": {
    level: "must",
    needs: ["file-events"],
    statement: "A call of a tool that changes files, and its approval, have the kind edit and the paths.",
  },
  "action:read": {
    level: "must",
    needs: ["read-tool"],
    statement: "A call of a tool that reads files, and its approval, have the kind read and the paths.",
  },
  "action:search": {
    level: "must",
    needs: ["search-tool"],
    statement:
      "A call of a tool that looks for files or text, and its approval, have the kind search and the folder. If the agent reports no input, they are incomplete.",
  },
  "action:fetch": {
    level: "must",
    needs: ["fetch-tool"],
    statement:
      "A call of a tool that gets a page, and its approval, have the kind fetch and the host. If the agent reports the URL only within a text, they are incomplete.",
  },
  "action:other": {
    level: "must",
    needs: ["questions"],
    statement: "A call that does none of this, such as a question, has the kind other.",
  },
  ...toolClauses,
  "decision:first": {
    level: "must",
    needs: ["approvals"],
    statement: "The agent does not run a call that needs approval before it is allowed.",
  },
  "decision:allow": {
    level: "must",
    needs: ["approvals"],
    statement: "The agent runs an allowed call, and the journal records who allowed it.",
  },
  "decision:deny": {
    level: "must",
    needs: ["approvals"],
    statement: "The agent does not run a denied call, and the call ends as denied.",
  },
  "decision:told": {
    level: "must",
    needs: ["told-denials"],
    statement: "The agent receives the reason for a denial, and the turn continues.",
  },
  "decision:open-id": {
    level: "must",
    needs: ["approvals"],
    statement:
      "A request that repeats the id of an open one is refused: it replaces nothing that was shown, and it is not allowed.",
  },
  "decision:stop": {
    level: "must",
    needs: ["approvals"],
    statement: "A denial with interrupt ends the turn as interrupted.",
  },
  "decision:edit": {
    level: "must",
    needs: ["edited-approvals"],
    statement: "The agent runs the call with the edited input, not with the requested one.",
  },
  "decision:edit-refused": {
    level: "must",
    needs: ["approvals"],
    lacks: ["edited-approvals"],
    statement: "An approval with an edited input is refused, nothing runs, and the decision stays open.",
  },
  "decision:question": {
    level: "must",
    needs: ["questions"],
    statement: "A question lists its options, and the agent receives the choice.",
  },
  "decision:once": {
    level: "must",
    needs: ["approvals"],
    statement: "A decision is answered once; a second answer is rejected.",
  },
  "gate:every": {
    level: "must",
    needs: ["asks-all"],
    statement: "In a gated session, the agent asks once before each call runs, also one that it considers harmless.",
  },
  "gate:closed": {
    level: "must",
    needs: ["asks-all"],
    statement: "In a gated session, a call that is not answered does not run, however long the agent waits.",
  },
  "interrupt:text": {
    level: "must",
    needs: ["interrupt"],
    statement: "An interrupt during text ends the turn as interrupted, and the session continues.",
  },
  "interrupt:command": {
    level: "must",
    needs: ["interrupt"],
    statement: "An interrupt ends a running command; no process of it remains.",
  },
  "interrupt:decision": {
    level: "must",
    needs: ["interrupt", "approvals"],
    statement: "An interrupt while a decision is open resolves the decision as canceled by the person who interrupted.",
  },
  "resume:native": {
    level: "must",
    needs: ["resume"],
    statement: "After a pause, the same conversation continues in a new process and remembers the earlier messages.",
  },
  "resume:unknown": {
    level: "must",
    needs: ["resume"],
    statement:
      "Resuming a conversation that the agent does not know raises session-not-found and never starts a fresh one.",
  },
  "resume:proven": {
    level: "must",
    needs: ["resume"],
    statement:
      "The agent's own transcript, if it keeps one, still begins with the bytes that it had before the resume.",
  },
  "fork:apart": {
    level: "must",
    needs: ["fork"],
    statement: "A fork knows the messages before it; neither session knows the other's later messages.",
  },
  "lead:human": {
    level: "must",
    needs: ["take-over"],
    statement:
      "While a person leads, the agent's own terminal shows the conversation, and other clients' messages are rejected.",
  },
  "lead:agent": {
    level: "must",
    needs: ["take-over"],
    statement: "After the lead is handed back, the terminal has ended, and the agent knows the messages typed in it.",
  },
  "lead:recorded": {
    level: "must",
    needs: ["recorded-take-over"],
    statement:
      "What was said, run, written and used in the terminal is in the journal before the lead passes back, each once.",
  },
  "error:category": {
    level: "must",
    statement: "A failure of the model's service raises an error of the right category and fails the turn.",
  },
  "error:deadline": { level: "must", statement: "A failing turn ends within the configured deadline." },
  "error:death": {
    level: "must",
    statement: "If the agent's process dies, an error is raised, and every open scope is closed.",
  },
  "usage:exact": {
    level: "must",
    needs: ["usage"],
    statement: "The reported tokens equal the served tokens exactly, also after a resume.",
  },
  "usage:cost": {
    level: "must",
    needs: ["cost"],
    statement: "Costs are differences that add up to the agent's own total, also after a resume.",
  },
  "prompt:system": {
    level: "must",
    needs: ["system-prompt"],
    statement: "The configured system prompt reaches the model.",
  },
  "settings:refused": { level: "must", statement: "Invalid settings are rejected before any process starts." },
  "capability:honest": {
    level: "must",
    statement: "Every declared capability is observed, and every observed capability is declared.",
  },
  "probe:clear": {
    level: "must",
    statement: "A probe finds program and version, or states in a sentence what is missing.",
  },
  "dialect:pure": {
    level: "must",
    statement:
      "The same records produce the same events, also if the reducer stops anywhere and continues from stored JSON state.",
  },
  "dialect:lawful": {
    level: "must",
    statement: "The dialect's own events on its recordings match their schemas and obey the law.",
  },
  "dialect:hostile": {
    level: "must",
    statement:
      "No line, however malformed, makes the dialect throw; a line that it cannot read becomes one unrecognized event.",
  },
  "dialect:steady": {
    level: "must",
    statement: "Recordings of the real agent produce the events that were recorded with them.",
  },
} as const satisfies Record<string, Clause>;

export type ClauseId = keyof typeof clauses;
