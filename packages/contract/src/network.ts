import { z } from "zod";

const Host = z.string().min(1).max(255);
const Port = z.int().min(1).max(65_535);

/** Where the gate inserts a key that the agent does not have. */
export const CredentialEndpoint = z.strictObject({
  /** The port on the loopback inside at which the agent finds its service. */
  port: Port,
  /** The URL of the service. */
  url: z.string(),
  /** The header that contains the key, and the text before it. */
  header: z.string(),
  prefix: z.string(),
  /** The variable that contains the key outside. */
  variable: z.string(),
  /** What the agent's environment has instead. A variable without a value is removed. */
  variables: z.record(z.string(), z.string().nullable()),
});
export type CredentialEndpoint = z.infer<typeof CredentialEndpoint>;

/** Returns the URL at which the agent finds its service inside. */
export function endpointUrl({ port, url }: Pick<CredentialEndpoint, "port" | "url">): string {
  const path = (URL.parse(url)?.pathname ?? "").replace(/(?<!\/)\/+$/, "");
  return `http://127.0.0.1:${port}${path}`;
}

/** What the gate of a sandbox lets through. A host is an exact name, with a port or for the ports 80 and 443. */
export const NetworkGate = z.strictObject({
  /** Hosts that the agent's processes can reach: those of its service, and those that the user listed. */
  hosts: z.array(z.string()),
  /** Hosts that are refused without a question, because the agent works without them. */
  refusedHosts: z.array(z.string()),
  /** Hosts that the agent's program also contacts on its own. They are refused without a question while no call runs. */
  backgroundHosts: z.array(z.string()).optional(),
  /** Where the agent's configuration says that its service is, each with a port. They may have a private address. */
  services: z.array(z.string()),
  /** Set if the agent's key is withheld from it. */
  endpoint: CredentialEndpoint.optional(),
  /** Ports of this machine's loopback that are forwarded to the same ports inside. */
  forwards: z.array(Port),
});
export type NetworkGate = z.infer<typeof NetworkGate>;

/**
 * Why a connection was allowed, refused or held. `service`: it is the agent's configured service. `listed`: the host is one
 * of the allowed. `forwarded`: a port that the user forwards. `answer`: a person, the mode or the runtime answered.
 * `not-needed`: the agent works without the host. `private`: the address belongs to this machine or its network.
 * `address`: an address and not a name. `invalid`: not a host and a port. `unresolved`: the name has no address.
 * `unlisted`: the host is not on a list. `no-answer`: it was held, and no answer came in time. `too-many`: too many hosts
 * wait for an answer.
 */
export const NetworkRule = z.enum([
  "service",
  "listed",
  "forwarded",
  "answer",
  "not-needed",
  "private",
  "address",
  "invalid",
  "unresolved",
  "unlisted",
  "no-answer",
  "too-many",
]);
export type NetworkRule = z.infer<typeof NetworkRule>;

/** Content of a `network` record: what the gate did with a connection, or what it was told to do. */
export const NetworkRecord = z.strictObject({
  host: Host,
  /** 0 if the request named none. */
  port: z.int().min(0).max(65_535),
  /** `held`: the connection waits for an answer. */
  verdict: z.enum(["allowed", "refused", "held"]),
  rule: NetworkRule,
});
export type NetworkRecord = z.infer<typeof NetworkRecord>;
