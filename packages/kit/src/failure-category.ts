import type { ErrorCategory } from "@fairlead/contract";

/** Derives the error category from an HTTP status or, without one, from the error message. */
export function failureCategory(status: number | null | undefined, message: string): ErrorCategory {
  if (status === 401 || status === 403) return "not-authenticated";
  if (status === 429) return "rate-limited";
  if (status !== null && status !== undefined && status >= 500) return "provider-failed";
  if (status !== null && status !== undefined && status >= 400) return "bad-request";
  const head = patternHead(message);
  return phrases.find(([phrase]) => phrase.test(head))?.[1] ?? "unknown";
}

/** Length of the beginning of a text on which patterns are tried. An error names its cause at its beginning. */
const maxPatternLength = 4096;

/**
 * Returns the beginning of an agent's text, to try patterns on. A line may have 4 MiB, and one thread serves all sessions:
 * several patterns on each line of a flood would delay the others.
 */
export function patternHead(text: string): string {
  return text.slice(0, maxPatternLength);
}

const phrases: readonly (readonly [RegExp, ErrorCategory])[] = [
  // Before the codes of a broken connection: behind a network gate, an unreachable service looks like one.
  [/could not be reached|error sending request|network connection was interrupted/i, "unreachable"],
  [/ECONNREFUSED|ENOTFOUND|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN|connection ?refused/i, "unreachable"],
  [
    /ECONNRESET|UND_ERR_SOCKET|EPIPE|socket hang up|connection (was )?(dropped|closed|lost|reset)|terminated/i,
    "connection-lost",
  ],
  [/not logged in|log ?in|api key|unauthori[sz]ed|authenticat/i, "not-authenticated"],
  [/rate.?limit|quota|too many requests/i, "rate-limited"],
  [/timed? ?out|ETIMEDOUT/i, "timed-out"],
  [/connection (failed|error)|unable to connect|waiting for network/i, "unreachable"],
  [/stream disconnected/i, "connection-lost"],
  [/missing environment variable/i, "not-authenticated"],
  [/usage.?limit/i, "rate-limited"],
  [/internal.?server.?error|overloaded|capacity|high demand/i, "provider-failed"],
  [/bad.?request|invalid_request_error/i, "bad-request"],
];
