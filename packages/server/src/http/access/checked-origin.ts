import { FairleadError } from "@fairlead/contract";
import { isLoopback } from "../is-loopback.ts";

/** Labels of letters, digits and hyphens, or an IPv6 address. A wildcard or a dot at the end would be other names. */
const hostPattern = /^([a-z\d]([a-z\d-]*[a-z\d])?(\.[a-z\d]([a-z\d-]*[a-z\d])?)*|\[[\da-f:.]+\])$/;

/** An origin at which a browser reaches a service through a tunnel or a reverse proxy. */
export interface CheckedOrigin {
  /** As browsers send it in `Origin`. */
  readonly origin: string;
  /** As they send it in `Host`. */
  readonly host: string;
}

/**
 * Checks an origin that the operator named. It must be written as browsers write it, because it is compared character by
 * character. Throws `invalid-settings`. A page over plain HTTP from another machine would send its token unencrypted.
 */
export function checkOrigin(text: string): CheckedOrigin {
  const url = URL.parse(text);
  const isWeb = url !== null && (url.protocol === "https:" || url.protocol === "http:");
  if (!isWeb || !hostPattern.test(url.hostname)) throw refuse(text, "it is not of the form https://agents.example");
  if (url.protocol === "http:" && !isLoopback(url.hostname.replace(/^\[(.*)\]$/, "$1")))
    throw refuse(text, "without TLS, anyone on the network could read the tokens");
  if (url.origin !== text) throw refuse(text, `browsers write it as ${url.origin}`);
  return { origin: url.origin, host: url.host };
}

function refuse(text: string, reason: string): FairleadError {
  return new FairleadError("invalid-settings", `The origin "${text}" cannot be used: ${reason}.`);
}
