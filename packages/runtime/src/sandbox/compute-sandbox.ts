import { join } from "node:path";
import {
  endpointUrl,
  type AgentCredential,
  type AgentNeeds,
  type CredentialEndpoint,
  type NetworkGate,
  type Sandbox,
} from "@fairlead/contract";
import { noSandbox } from "@fairlead/keeper";
import type { GitFolders } from "./find-git-folders.ts";
import type { UserOpenings } from "./user-openings.ts";
import { secretHomePaths, secretMachinePaths, workspacePrograms } from "./home-paths.ts";

/** The limits that a caller chose. */
export type SandboxChoice = Pick<Sandbox, "kind" | "workspace" | "network">;

/** What a view of a session says about its sandbox. */
export type SandboxView = SandboxChoice & Pick<Sandbox, "credential">;

export const viewSandbox = ({ credential, ...sandbox }: Sandbox): SandboxView => ({
  ...pickSandboxChoice({ ...sandbox }),
  ...(credential !== undefined && { credential }),
});

export const pickSandboxChoice = ({ kind, workspace, network }: Sandbox): SandboxChoice => ({
  kind,
  workspace,
  network,
});

/** What the sandbox of a session depends on. All paths are absolute, with links resolved. */
export interface SandboxFacts {
  readonly workspace: string;
  readonly home: string;
  /** Fairlead's data directory. Who reaches its sockets can approve. */
  readonly dataDirectory: string;
  /** Files with credentials of this process. */
  readonly loginFiles?: readonly string[];
  readonly needs: AgentNeeds;
  /** What the other agents need: their folders are hidden, and their files in the workspace protected. */
  readonly otherNeeds: readonly AgentNeeds[];
  readonly gitFolders: GitFolders;
  /** What the user opened for this workspace. */
  readonly openings: UserOpenings;
}

/** Computes what the processes of a session can reach. The keeper applies it to the paths that exist. */
export function computeSandbox(choice: SandboxChoice, facts: SandboxFacts): Sandbox {
  if (choice.kind === "none") return noSandbox;
  const { workspace, home, dataDirectory, loginFiles = [], needs, otherNeeds, gitFolders, openings } = facts;
  const inHome = (paths: readonly string[]): string[] => paths.map((path) => join(home, path));
  const inWorkspace = (paths: readonly string[]): string[] => paths.map((path) => join(workspace, path));
  const canWrite = choice.workspace === "write";
  return {
    ...choice,
    workspaceFolder: workspace,
    ...(needs.nests === true && { nests: true }),
    writes: unique([...needs.writes.map(withoutSlash), ...(canWrite ? gitFolders.writes : []), ...openings.writes]),
    protects: unique([
      ...inWorkspace([...needs.protects, ...otherNeeds.flatMap(({ protects }) => protects), ...workspacePrograms]),
      ...gitFolders.protects,
    ]),
    hides: unique([
      dataDirectory,
      ...loginFiles,
      ...secretMachinePaths,
      ...inHome(secretHomePaths),
      ...otherNeeds.flatMap(({ writes, reads = [] }) => [...writes, ...reads].map(withoutSlash)),
      ...needs.hides.map(withoutSlash),
    ]).filter((path) => ![...needs.writes, ...(needs.reads ?? [])].map(withoutSlash).includes(path)),
    shows: unique([...(needs.reads ?? []), ...gitFolders.shows, ...openings.shows]),
    ...(choice.network === "gate" && { gate: computeGate(needs, openings) }),
  };
}

/** A host that the user lists is not refused, even if the agent works without it. */
function computeGate(needs: AgentNeeds, { hosts, forwards }: UserOpenings): NetworkGate {
  const { hosts: needed = [], refusedHosts = [], backgroundHosts, services = [], credential } = needs;
  // An agent whose key is withheld reaches its service at the endpoint. At the hosts themselves it could use another key.
  const [open, background] =
    credential === undefined ? [needed, backgroundHosts] : [[], [...needed, ...(backgroundHosts ?? [])]];
  const gate = {
    hosts: unique([...open, ...hosts]),
    refusedHosts: unique(refusedHosts).filter((host) => !hosts.includes(host)),
    ...(background && { backgroundHosts: unique(background) }),
    services: unique(services.flatMap((url) => authorityOf(url) ?? [])),
    forwards: unique(forwards),
  };
  return credential === undefined ? gate : { ...gate, endpoint: computeEndpoint(credential, gate) };
}

/** A key that is worth nothing. Agents refuse to start without one. */
export const standInKey = "withheld-by-fairlead";
const firstEndpointPort = 8787;

/** The loopback inside is the agent's own, so every port is free that is not forwarded. */
function computeEndpoint(
  { variable, url, header, prefix, variables }: AgentCredential,
  { forwards, services }: NetworkGate,
): CredentialEndpoint {
  let port = firstEndpointPort;
  while (forwards.includes(port) || services.some((service) => service.endsWith(`:${port}`))) port += 1;
  const inside = variables(endpointUrl({ port, url }), standInKey);
  return { port, url, header, prefix, variable, variables: { ...inside } };
}

/** Returns the host and port of a URL, or null if it is not one. */
function authorityOf(text: string): string | null {
  const url = URL.parse(text);
  if (url === null || url.hostname === "") return null;
  return `${url.hostname}:${url.port === "" ? (url.protocol === "http:" ? 80 : 443) : url.port}`;
}

const unique = <Item>(items: readonly Item[]): Item[] => [...new Set(items)];

/** A path that ends with a slash is a folder that may be created. */
export const withoutSlash = (path: string): string =>
  path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
