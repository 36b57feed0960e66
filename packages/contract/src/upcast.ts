import { ownValue } from "./json/own-value.ts";

/**
 * Version of the stored form of events. Increase it when a stored field changes, and add the step from the previous
 * version to `upcast`: stored events are never rewritten.
 */
export const storedEventVersion = 3;

type Json = Readonly<Record<string, unknown>>;

/**
 * Converts a stored event to the current shape. Does not validate the result: parse it with `Event`. Returns events of
 * a newer version unchanged.
 */
export function upcast(stored: Json, version: number): Json {
  const current = version < 2 ? upcastFromVersion1(stored) : stored;
  return version < 3 ? upcastFromVersion2(current) : current;
}

/** Converts a note of an older spool to the current shape. Notes carry no version, so the old names identify them. */
export function upcastNote(stored: unknown): unknown {
  if (!isObject(stored)) return stored;
  if (stored["type"] === "wish") return { type: "command", command: upcastAnswer(stored["wish"]) };
  if (stored["type"] === "command") return { ...stored, command: upcastAnswer(stored["command"]) };
  if (!isObject(stored["opening"])) return stored;
  const { continues } = stored["opening"];
  const opening = {
    ...renameFields(stored["opening"], { adapter: "agent", finding: "probeResult" }),
    continues: upcastContinuation(continues),
  };
  return { ...stored, opening };
}

function upcastFromVersion2(event: Json): Json {
  const { body } = event;
  return isObject(body) && body["type"] === "decision.resolved" ? { ...event, body: upcastDecidedBy(body) } : event;
}

function upcastAnswer(command: unknown): unknown {
  return isObject(command) && command["type"] === "answer" ? upcastDecidedBy(command) : command;
}

/** Until version 2, `by` was a word, and a person was called `user`. */
function upcastDecidedBy(value: Json): Json {
  const { by } = value;
  return typeof by === "string" ? { ...value, by: { kind: by === "user" ? "person" : by } } : value;
}

function upcastFromVersion1(stored: Json): Json {
  const event = renameFields(stored, { provider: "agent" });
  return isObject(stored["body"]) ? { ...event, body: upcastBodyFromVersion1(stored["body"]) } : event;
}

function upcastBodyFromVersion1(body: Json): Json {
  switch (body["type"]) {
    case "session.started":
      return { ...renameFields(body, { adapter: "agent" }), continues: upcastContinuation(body["continues"]) };
    case "session.changed":
    case "session.resumed":
      return renameFields(body, { native: "agentSessionId" });
    case "decision.resolved":
      return body["outcome"] === "cancelled" ? { ...body, outcome: "canceled" } : body;
    case "decision.requested":
      return Array.isArray(body["questions"]) ? { ...body, questions: body["questions"].map(upcastQuestion) } : body;
    case "unrecognised":
      return { ...body, type: "unrecognized" };
    default:
      return body;
  }
}

function upcastQuestion(question: unknown): unknown {
  return isObject(question) ? renameFields(question, { several: "multiSelect" }) : question;
}

function upcastContinuation(continues: unknown): unknown {
  return isObject(continues) ? renameFields(continues, { native: "agentSessionId" }) : continues;
}

function renameFields(value: Json, names: Readonly<Record<string, string>>): Json {
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [ownValue(names, name) ?? name, field]));
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null;
}
