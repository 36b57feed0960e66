import { sha256 } from "@noble/hashes/sha2.js";
import { utf8ToBytes } from "@noble/hashes/utils.js";
import { credentialHint, credentialPattern } from "./credential-patterns.ts";

/** The shortest text that can contain a credential. */
const minLength = 16;
const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const keyBegin = /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----/g;
const keyEnd = "-----END";
const maxKeyLength = 16_384;

/**
 * Masks texts that look like credentials: tokens in the formats of well-known services, passwords in URLs and private keys.
 * Keeps the length, the first four characters of a token, which tell its kind, and six that differ for each token. Takes
 * linear time. Returns the same text if it contains none, or only masks.
 */
export function maskCredentials(text: string): string {
  if (text.length < minLength || !credentialHint.test(text)) return text;
  const masked = text.replace(credentialPattern, (found, ...rest) => {
    const { scheme = "", user, password = "", token, bearer } = rest.at(-1) as Readonly<Record<string, string>>;
    if (user !== undefined) return `${user}${"*".repeat(password.length)}`;
    const secret = token ?? bearer ?? "";
    return looksRandom(secret) ? `${scheme}${maskToken(secret)}` : found;
  });
  return maskPrivateKeys(masked);
}

/** A name such as `sk-navigation-link-container` has no digits, or no letters among them. */
function looksRandom(token: string): boolean {
  return /\d/.test(token) && /[A-Za-z]/.test(token.slice(4));
}

/** The tag is a digest of the token, which has too many possible values to be guessed from it. */
function maskToken(token: string): string {
  const tag = Array.from(sha256(utf8ToBytes(token)).subarray(0, 6), (byte) => alphabet[byte % alphabet.length]);
  return `${token.slice(0, 4)}${"*".repeat(token.length - 10)}${tag.join("")}`;
}

/** Masks from a beginning to its end, or as far as a key can reach: an end may be far away or missing. */
function maskPrivateKeys(text: string): string {
  let masked = "";
  let at = 0;
  for (const { 0: label, index } of text.matchAll(keyBegin)) {
    if (index < at) continue;
    const start = index + label.length;
    const body = text.slice(start, start + maxKeyLength);
    const end = body.indexOf(keyEnd);
    const key = end === -1 ? body : body.slice(0, end);
    masked += text.slice(at, start) + key.replace(/[A-Za-z\d+/=]+/g, (one) => "*".repeat(one.length));
    at = start + key.length;
  }
  return at === 0 ? text : masked + text.slice(at);
}

/** Names of an event's own fields that identify something: their values must stay what they are. */
const identifyingFields: ReadonlySet<string> = new Set(["type", "decision", "call", "turn", "parent", "session", "id"]);

/**
 * Masks all texts in a value of JSON, and the names of fields. Not the identifiers at its top, which are Fairlead's own:
 * those further down are an agent's. Returns the same value if it contains no credential.
 */
export function maskCredentialsIn<Value>(value: Value): Value {
  return maskValue(value, identifyingFields);
}

function maskValue<Value>(value: Value, kept?: ReadonlySet<string>): Value {
  if (typeof value === "string") return maskCredentials(value) as Value;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map((item) => maskValue<unknown>(item));
    return items.some((item, index) => item !== value[index]) ? (items as Value) : value;
  }
  const entries = Object.entries(value as Readonly<Record<string, unknown>>);
  const masked = entries.map(
    ([name, item]) => [maskCredentials(name), kept?.has(name) ? item : maskValue(item)] as const,
  );
  const isChanged = masked.some(([name, item], index) => name !== entries[index]?.[0] || item !== entries[index]?.[1]);
  return isChanged ? (Object.fromEntries(masked) as Value) : value;
}
