import { isIPv6 } from "node:net";
import { FairleadError } from "@fairlead/contract";

/** A host name or an address, and perhaps a port. No wildcards: any name could then lead to the service. */
const namePattern = /^([a-z\d]([a-z\d.-]*[a-z\d])?|\[[\da-f:.]+\])(:\d{1,5})?$/;
const wildcards = ["0.0.0.0", "::", "::0", "0:0:0:0:0:0:0:0", ""];

export interface NamedAddress {
  readonly listen?: { readonly host: string };
  /** Present if the listener speaks TLS. */
  readonly tls?: object;
  readonly names?: readonly string[];
}

/** Throws `invalid-settings` for a name that no request could have. */
export function checkNames(names: readonly string[]): void {
  const wrong = names.find((name) => !namePattern.test(name.toLowerCase()));
  if (wrong === undefined) return;
  const message = `"${wrong}" is not the name of a host, with or without a port: name it as in agents.example:7443.`;
  throw new FairleadError("invalid-settings", message);
}

/** Returns the `Host` values that a listener accepts: the names of the service first, then the address itself. */
export function acceptedHosts({ listen, tls, names = [] }: NamedAddress, port: number): readonly string[] {
  // Clients leave the default port of the scheme out of the header.
  const defaultPort = tls === undefined ? ":80" : ":443";
  const own = listen === undefined ? [] : namesOfAddress(listen.host);
  const hosts = [...names, ...own].map((name) => {
    const lower = name.toLowerCase();
    return /:\d+$/.test(lower.replace(/^\[.*\]/, "")) ? lower : `${lower}:${port}`;
  });
  const withoutPort = hosts
    .filter((host) => host.endsWith(defaultPort))
    .map((host) => host.slice(0, -defaultPort.length));
  return [...new Set([...hosts, ...withoutPort])];
}

function namesOfAddress(host: string): string[] {
  if (wildcards.includes(host)) return [];
  if (host === "localhost" || host === "127.0.0.1") return ["127.0.0.1", "localhost"];
  return [isIPv6(host) ? `[${host}]` : host];
}
