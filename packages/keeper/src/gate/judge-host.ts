import { isIP } from "node:net";
import type { NetworkGate, NetworkRule } from "@fairlead/contract";

/** Where an agent wants to connect to: a host name in lower case, or an address in its usual spelling. */
export interface Target {
  readonly host: string;
  readonly port: number;
}

export interface HostVerdict {
  /** `ask`: the host is on no list. */
  readonly verdict: "allowed" | "refused" | "ask";
  readonly rule: NetworkRule;
}

/** Labels of letters, digits, hyphens and underscores. No dot at the end, which would be another spelling of a name. */
const hostName = /^(?=.{1,253}$)[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)*$/;
const authority = /^(?<host>\[[0-9a-f:.]{2,45}\]|[a-z0-9._-]{1,253}):(?<port>[0-9]{1,5})$/;
const defaultPorts: readonly number[] = [80, 443];

/**
 * Reads `host:port`. Returns null for everything else, such as a user's name, an escape or a NUL. An address gets one
 * spelling: 2130706433, 0x7f.1 and 127.0.0.1 are the same.
 */
export function parseTarget(text: string): Target | null {
  const { host: name = "", port = "" } = authority.exec(text.toLowerCase())?.groups ?? {};
  // The parser knows all spellings of an address, and reads a name whose last label is a number as one.
  const host = URL.parse(`http://${name}/`)?.hostname.replace(/^\[(.*)\]$/, "$1") ?? "";
  const isValid = isIP(host) !== 0 || (host === name && hostName.test(host));
  const number = Number(port);
  return isValid && number >= 1 && number <= 65_535 ? { host, port: number } : null;
}

/** Returns the key of a target in a list: `host:port`. */
export const targetKey = ({ host, port }: Target): string =>
  isIP(host) === 6 ? `[${host}]:${port}` : `${host}:${port}`;

/**
 * Judges a connection by its name. `answered` has the targets that were allowed for the session. The address of an allowed
 * name is checked when it is resolved, which happens after this: a question to a name server could carry data out.
 */
export function judgeHost(target: Target, gate: NetworkGate, answered: ReadonlySet<string>): HostVerdict {
  const key = targetKey(target);
  const isListed = (list: readonly string[]): boolean =>
    list.includes(key) || (defaultPorts.includes(target.port) && list.includes(target.host));
  if (gate.services.includes(key)) return { verdict: "allowed", rule: "service" };
  if (isLoopbackName(target.host)) {
    // Other names below `localhost` would be resolved, and the question could carry data out.
    return gate.forwards.includes(target.port) && !target.host.endsWith(".localhost")
      ? { verdict: "allowed", rule: "forwarded" }
      : { verdict: "refused", rule: "private" };
  }
  if (isListed(gate.refusedHosts)) return { verdict: "refused", rule: "not-needed" };
  if (isListed(gate.hosts)) return { verdict: "allowed", rule: "listed" };
  if (isIP(target.host) !== 0) return { verdict: "refused", rule: "address" };
  return answered.has(key) ? { verdict: "allowed", rule: "answer" } : { verdict: "ask", rule: "unlisted" };
}

function isLoopbackName(host: string): boolean {
  return host === "localhost" || host.endsWith(".localhost") || host === "127.0.0.1" || host === "::1";
}
