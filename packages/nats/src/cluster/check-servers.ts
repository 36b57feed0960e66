/** Older servers cannot read in batches, or were seen to accept several writers with the same fence. */
const oldestVersion = [2, 12] as const;
const fewestServers = 3;
/** A line of an agent may have 4 MiB, and the event that has it is larger. */
export const smallestPayload = 8 * 1024 * 1024;

/** What a server says of its own settings: the answer to `$SYS.REQ.SERVER.PING.VARZ`. */
export interface ServerSettings {
  /** Unique for each start of a server, also among clusters of the same name. */
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly maxPayload: number;
  /** Undefined if the server has no JetStream. */
  readonly jetStream: { readonly syncsAlways: boolean } | undefined;
}

/** What the servers of a cluster said. */
export interface ClusterReport {
  readonly servers: readonly ServerSettings[];
  /** The number of servers with JetStream that the cluster knows, whether or not they answer. */
  readonly size: number;
  /** Whether the servers have a leader that creates streams. They elect one some seconds after they start. */
  readonly hasLeader: boolean;
}

/** Explains what makes the servers unsafe for a fleet: one sentence for each problem, with what to change. */
export function findServerProblems({ servers, size }: Pick<ClusterReport, "servers" | "size">): string[] {
  const storing = servers.filter(({ jetStream }) => jetStream !== undefined);
  return [
    ...servers.filter(({ version }) => !isNewEnough(version)).map(describeOldVersion),
    ...(size < fewestServers ? [describeSmallCluster(size)] : []),
    ...(size > storing.length ? [describeSilentServers(storing, size)] : []),
    ...storing.filter(({ jetStream }) => jetStream?.syncsAlways !== true).map(describeLazySync),
    ...servers.filter(({ maxPayload }) => maxPayload < smallestPayload).map(describeSmallPayload),
  ];
}

/** The sentence for servers whose settings cannot be read. */
export const uncheckedServers =
  "Whether the servers sync each write to disk cannot be checked without their system account: " +
  "configure a user of it on the servers, and give that user as `system` in the fleet's file.";

function describeOldVersion({ name, version }: ServerSettings): string {
  return `Server ${name} has version ${version}, and servers before 2.12 lack what a fleet relies on: upgrade it to 2.12 or newer.`;
}

function describeSmallCluster(size: number): string {
  const count = size === 1 ? "1 server" : `${size} servers`;
  return `The cluster has ${count} with JetStream, and with fewer than three the loss of one stops the fleet or loses events: run three as a cluster.`;
}

function describeSilentServers(answered: readonly ServerSettings[], size: number): string {
  const names = answered.length === 0 ? "" : ` (${answered.map(({ name }) => name).join(", ")})`;
  return `Only ${answered.length} of ${size} servers with JetStream answered${names}, so the others cannot be checked: start them, or remove them from the cluster.`;
}

function describeLazySync({ name }: ServerSettings): string {
  return `Server ${name} acknowledges events before they are on disk: set \`sync_interval: always\` in its \`jetstream\` block.`;
}

function describeSmallPayload({ name, maxPayload }: ServerSettings): string {
  const size = `${Math.floor((maxPayload / 1024 / 1024) * 100) / 100} MiB`;
  return `Server ${name} accepts messages of ${size}, and events need 8 MiB: set \`max_payload: 8MB\`.`;
}

function isNewEnough(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map((part) => Number.parseInt(part, 10));
  return major > oldestVersion[0] || (major === oldestVersion[0] && minor >= oldestVersion[1]);
}
