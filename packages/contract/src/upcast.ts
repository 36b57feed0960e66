/**
 * The version of the stored form of events. Increase it when a stored field changes, and add the step from the version
 * before to `upcast`: stored events are never rewritten.
 */
export const storedEventVersion = 2;

type Json = Readonly<Record<string, unknown>>;

/**
 * Converts a stored event to today's shape. The result is not validated: parse it with `Event`. Events of a newer
 * version are returned unchanged.
 */
export function upcast(stored: Json, version: number): Json {
  return version < 2 ? fromVersion1(stored) : stored;
}

/** Converts a note of an older spool to today's shape. Notes carry no version, so the old names identify them. */
export function upcastNote(stored: unknown): unknown {
  if (!isObject(stored) || !isObject(stored["opening"])) return stored;
  const { continues } = stored["opening"];
  const opening = { ...renamed(stored["opening"], { adapter: "agent" }), continues: continuation(continues) };
  return { ...stored, opening };
}

function fromVersion1(stored: Json): Json {
  const event = renamed(stored, { provider: "agent" });
  return isObject(stored["body"]) ? { ...event, body: bodyFromVersion1(stored["body"]) } : event;
}

function bodyFromVersion1(body: Json): Json {
  switch (body["type"]) {
    case "session.started":
      return { ...renamed(body, { adapter: "agent" }), continues: continuation(body["continues"]) };
    case "session.changed":
    case "session.resumed":
      return renamed(body, { native: "agentSessionId" });
    case "decision.resolved":
      return body["outcome"] === "cancelled" ? { ...body, outcome: "canceled" } : body;
    case "unrecognised":
      return { ...body, type: "unrecognized" };
    default:
      return body;
  }
}

function continuation(continues: unknown): unknown {
  return isObject(continues) ? renamed(continues, { native: "agentSessionId" }) : continues;
}

function renamed(value: Json, names: Readonly<Record<string, string>>): Json {
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [names[name] ?? name, field]));
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null;
}
