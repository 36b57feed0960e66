/**
 * The shapes of the protocol as checks that share nothing with our schemas. Envelope and events follow the protocol's
 * document; responses that the document only names have the fields in docs/build/shim.md.
 */
type FieldCheck = (value: unknown) => boolean;
export type MessageShape = Readonly<Record<string, FieldCheck>>;

const text: FieldCheck = (value) => typeof value === "string" && value !== "";
const positiveInteger: FieldCheck = (value) => Number.isInteger(value) && Number(value) >= 1;
const booleanValue: FieldCheck = (value) => typeof value === "boolean";
const list: FieldCheck = (value) => Array.isArray(value);
const object: FieldCheck = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
/** Any value that is present. */
const present: FieldCheck = (value) => value !== undefined;
const uuid: FieldCheck = (value) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(String(value));
const time: FieldCheck = (value) =>
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.test(String(value)) && !Number.isNaN(Date.parse(String(value)));
const percent: FieldCheck = (value) => value === null || (typeof value === "number" && value >= 0 && value <= 100);
const oneOf =
  (...words: readonly string[]): FieldCheck =>
  (value) =>
    words.includes(String(value));

export const envelope: MessageShape = {
  sourceEventId: uuid,
  sourceSequence: positiveInteger,
  sourceOccurredAt: time,
  runId: uuid,
  event: object,
};

/** By `type`, and for decisions also by `subtype`. */
export const events: Readonly<Record<string, MessageShape>> = {
  status: { agentId: text, message: text },
  tool_call: {
    agentId: text,
    toolCallId: text,
    toolName: text,
    phase: oneOf("requested", "running", "completed", "failed"),
    input: object,
    output: present,
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
  error: { agentId: text, severity: text, message: text, category: text, recoverable: booleanValue },
  lifecycle: { agentId: text, action: oneOf("started", "paused", "resumed", "killed", "crashed") },
  progress: { agentId: text, operationId: text, description: text, progressPct: percent },
};

/** `sdk` and `sessionId` are in the protocol's document, which does not say where in a state. */
const checkpoint: FieldCheck = (value) =>
  object(value) && text((value as { sdk?: unknown }).sdk) && text((value as { sessionId?: unknown }).sessionId);
const state: MessageShape = { agentId: text, sessionId: text, checkpoint, briefSnapshot: object };
const handle: MessageShape = { id: text, status: text, sessionId: text };
const accepted: MessageShape = { status: oneOf("accepted") };

export const replies: Readonly<Record<string, MessageShape>> = {
  "GET /health": { status: text, agentStatus: text },
  "POST /spawn": handle,
  "POST /kill": { state: present, cleanShutdown: booleanValue },
  "POST /pause": state,
  "POST /resume": handle,
  "POST /resolve": { status: text, decisionId: text },
  "POST /checkpoint": state,
  "POST /inject-context": accepted,
  "POST /update-brief": accepted,
};

/** The faults of a value, one line each. */
export function findFaults(name: string, shape: MessageShape | undefined, value: unknown): string[] {
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
