import { type DecisionView, pathSegmentPattern } from "@fairlead/api";

const prefix = "/inbox/";

/** Precedes an id that is encoded. An id that begins with it is encoded, too. */
const encodedPrefix = "-.";

/**
 * The path of a request's card: a link for chats. The agent chooses the id and may use any character. The service refuses
 * paths with percent signs, so that an id with other characters is in base64url.
 */
export function inboxPath({ session, decision }: Pick<DecisionView, "session" | "decision">): string {
  return `${prefix}${encodeId(session)}/${encodeId(decision)}`;
}

/** Reads the path of a card; null if it is another path. */
export function readInboxPath(path: string): Pick<DecisionView, "session" | "decision"> | null {
  if (!path.startsWith(prefix)) return null;
  const [session, decision, ...rest] = path.slice(prefix.length).split("/").map(decodeId);
  if (!session || !decision || rest.length > 0) return null;
  return { session, decision };
}

function encodeId(id: string): string {
  if (pathSegmentPattern.test(id) && !id.startsWith(encodedPrefix)) return id;
  // As JSON, because an id may have half of a surrogate pair, which UTF-8 cannot have.
  const bytes = new TextEncoder().encode(JSON.stringify(id));
  const base64 = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  return encodedPrefix + base64.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

function decodeId(segment: string): string | null {
  if (!segment.startsWith(encodedPrefix)) return segment;
  try {
    const binary = atob(segment.slice(encodedPrefix.length).replaceAll("-", "+").replaceAll("_", "/"));
    const id: unknown = JSON.parse(new TextDecoder().decode(Uint8Array.from(binary, (byte) => byte.charCodeAt(0))));
    return typeof id === "string" ? id : null;
  } catch {
    return null;
  }
}
