/**
 * The shapes of the protocol, in checks that share nothing with our own schemas: envelope and events as seed 003 writes them
 * down; of the answers that the seed only names, the fields that docs/shim.md gives them.
 */
type Check = (value: unknown) => boolean;
export type Shape = Readonly<Record<string, Check>>;

const text: Check = (value) => typeof value === "string" && value !== "";
const whole: Check = (value) => Number.isInteger(value) && Number(value) >= 1;
const truth: Check = (value) => typeof value === "boolean";
const list: Check = (value) => Array.isArray(value);
const object: Check = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
/** It is there, whatever it is. */
const there: Check = (value) => value !== undefined;
const uuid: Check = (value) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(String(value));
const time: Check = (value) =>
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.test(String(value)) && !Number.isNaN(Date.parse(String(value)));
const percent: Check = (value) => value === null || (typeof value === "number" && value >= 0 && value <= 100);
const oneOf =
  (...words: readonly string[]): Check =>
  (value) =>
    words.includes(String(value));

export const envelope: Shape = {
  sourceEventId: uuid,
  sourceSequence: whole,
  sourceOccurredAt: time,
  runId: uuid,
  event: object,
};

/** By `type`, and for decisions by `subtype` too. */
export const events: Readonly<Record<string, Shape>> = {
  status: { agentId: text, message: text },
  tool_call: {
    agentId: text,
    toolCallId: text,
    toolName: text,
    phase: oneOf("requested", "running", "completed", "failed"),
    input: object,
    output: there,
  },
  "decision tool_approval": { agentId: text, decisionId: text, toolName: text, toolArgs: object, severity: text },
  "decision option": { agentId: text, decisionId: text, title: text, options: list, severity: text },
  artifact: {
    agentId: text,
    artifactId: text,
    name: text,
    kind: oneOf("test", "code", "document", "config", "other"),
    workstream: text,
    uri: text,
  },
  completion: {
    agentId: text,
    summary: text,
    outcome: oneOf("success", "partial", "abandoned", "max_turns"),
    artifactsProduced: list,
  },
  error: { agentId: text, severity: text, message: text, category: text, recoverable: truth },
  lifecycle: { agentId: text, action: oneOf("started", "paused", "resumed", "killed", "crashed") },
  progress: { agentId: text, operationId: text, description: text, progressPct: percent },
};

/** `sdk` and `sessionId` are the seed's; where they stand in a state, it does not say. */
const checkpoint: Check = (value) =>
  object(value) && text((value as { sdk?: unknown }).sdk) && text((value as { sessionId?: unknown }).sessionId);
const state: Shape = { agentId: text, sessionId: text, checkpoint, briefSnapshot: object };
const handle: Shape = { id: text, status: text, sessionId: text };
const accepted: Shape = { status: oneOf("accepted") };

export const replies: Readonly<Record<string, Shape>> = {
  "GET /health": { status: text, agentStatus: text },
  "POST /spawn": handle,
  "POST /kill": { state: there, cleanShutdown: truth },
  "POST /pause": state,
  "POST /resume": handle,
  "POST /resolve": { status: text, decisionId: text },
  "POST /checkpoint": state,
  "POST /inject-context": accepted,
  "POST /update-brief": accepted,
};

/** What is wrong with a value, a line each. */
export function faults(name: string, shape: Shape | undefined, value: unknown): string[] {
  if (shape === undefined) return [`${name} is not in the protocol`];
  if (!object(value)) return [`${name} is no object`];
  const fields = value as Readonly<Record<string, unknown>>;
  return Object.entries(shape).flatMap(([field, check]) =>
    check(fields[field]) ? [] : [`${name}: ${field} is ${JSON.stringify(fields[field])}`],
  );
}

export function eventName(event: Readonly<Record<string, unknown>>): string {
  return [event["type"], event["subtype"]].filter((word) => typeof word === "string").join(" ");
}
