import { type Event, type Opening, type ProbeResult } from "@fairlead/contract";
import type { Engine } from "@fairlead/engine";
import { type SecretValues } from "@fairlead/keeper";
import { FailedStarts } from "./sessions/start/failed-starts.ts";
import { readSecrets } from "./sessions/secret-file.ts";
import { SessionCatalog } from "./sessions/session-catalog.ts";
import { ProbeCache } from "./host/probe-cache.ts";
import { keeperOptionsOf } from "./host/keeper-attendance.ts";
import { SpareKeepers } from "./host/spare-keepers.ts";
import { AdapterRegistry } from "./config/adapter-registry.ts";
import { snapshotSession } from "./moving/session-workspace.ts";
import { type SessionArrivalOptions } from "./moving/arrive-session.ts";
import type { RuntimeOptions } from "./runtime-options.ts";
import { SessionActors } from "./actor/session-actors.ts";
import { SessionStarter } from "./sessions/start/session-starter.ts";
import { ContinuationPlanner } from "./sessions/continuation-planner.ts";
import { Conversations } from "./sessions/conversations.ts";
import { NameReservations } from "./sessions/start/name-reservations.ts";
import { SessionProjections } from "./projection/session-projections.ts";
import { createSandboxTrial } from "./sandbox/sandbox-trial.ts";
import { ToolRegistry } from "./tools/tool-registry.ts";
import { SessionCopies } from "./copies/session-copies.ts";
import { RepositoryWorkspaces } from "./workspaces/repository-workspaces.ts";
import { SessionDirectory } from "./sessions/session-directory.ts";

interface RuntimeContext {
  readonly engine: Engine;
  readonly owner: string;
  readonly probe: (agent: string) => Promise<ProbeResult>;
  readonly events: (session: string) => AsyncIterable<Event>;
}

/** The objects that a runtime consists of. */
export type RuntimeParts = ReturnType<typeof createRuntimeParts>;

/** Creates the parts of a runtime and connects them. Starts no process, except a spare keeper if the options ask for one. */
// oxlint-disable-next-line typescript/explicit-module-boundary-types -- the type of each part is that of its class
export function createRuntimeParts(options: RuntimeOptions, { engine, owner, probe, events }: RuntimeContext) {
  const { home, adapters, environment = process.env } = options;
  const registry = new AdapterRegistry(adapters);
  const tools = new ToolRegistry(options.tools);
  const { log: journal, index, hosts } = engine;
  const catalog = new SessionCatalog(home, journal, registry, hosts);
  const projections = new SessionProjections({
    index,
    journal,
    owner,
    ...(options.onIndexFailure && { onUpdateFailure: options.onIndexFailure }),
    isUnfinished: (session) => catalog.isUnfinished(session),
    ...(options.onJournalLoss && { onJournalLoss: options.onJournalLoss }),
    findLoss: (session) => catalog.findLoss(session),
    summarizeDamaged: (session, error, known) => catalog.summarizeDamaged(session, error, known),
  });
  const has = (session: string): Promise<boolean> => catalog.has(session);
  const copies = new SessionCopies({ home, projections, registry, has });
  const clones = options.workspacesFolder === undefined ? {} : { folder: options.workspacesFolder };
  const hasEnded = (session: string): Promise<boolean> => catalog.hasEnded(session);
  const stored = { home, projections, has, hasEnded, journal, hosts };
  const workspaces = new RepositoryWorkspaces({ ...stored, ...clones, environment });
  const directory = new SessionDirectory(catalog, projections);
  const secrets = (session: string): SecretValues => readSecrets(home.secretsFile(session));
  const continuations = new ContinuationPlanner({ catalog, registry, events, probe, secrets });
  const names = new NameReservations({ index, projections, catalog, directory, hosts, owner });
  const conversations = new Conversations(projections);
  const probes = new ProbeCache(home.probeCacheFile);
  const hasGate = options.sandbox !== "none" && options.network === "gate";
  const spares = new SpareKeepers(home.sparesFolder, hasGate, keeperOptionsOf(options.attendance));
  if (options.keepSpareKeeper) spares.start();
  const journalOptions: Pick<RuntimeOptions, "onJournaled"> =
    options.onJournaled === undefined ? {} : { onJournaled: options.onJournaled };
  const failedStarts = new FailedStarts({ home, journal, hosts, owner, ...journalOptions });
  const { objects } = engine;
  const snapshot = (opening: Opening, turn: string | null): Promise<string | null> =>
    snapshotSession({ home, environment, opening, turn });
  const images = { objects, snapshotWorkspace: snapshot, onError: options.onImageFailure ?? (() => {}) };
  const actors = new SessionActors({
    home,
    journal,
    hosts,
    owner,
    environment,
    spares,
    attendance: options.attendance,
    projections,
    ...(options.snapshotInterval && { snapshotInterval: options.snapshotInterval }),
    observeFiles: options.observeFiles ?? false,
    // On one machine, the spool has all that the next process needs.
    ...(journal.carriesNotes && { images }),
    ...(options.withheld && { withheld: options.withheld }),
    findTool: (opening, name) => tools.find(opening, name),
    ...journalOptions,
  });
  const defaults = { fallback: options.sandbox ?? "bwrap", network: options.network ?? "open" } as const;
  const { loginFiles = [] } = options;
  const sandbox = { adapters, environment, home, loginFiles, ...defaults, problem: createSandboxTrial() };
  const restoreWorkspace = (session: string, opening: Opening): Promise<void> => workspaces.restore(session, opening);
  const claimWorkspace = (session: string, opening: Opening): void => workspaces.claim(session, opening);
  const trustsWorkspace = options.trustsWorkspace ?? (() => false);
  const moving = { restoreWorkspace, claimWorkspace, trustsWorkspace };
  const arrivals: SessionArrivalOptions = { home, journal, hosts, objects, owner, registry, probe, sandbox, ...moving };
  const starter = new SessionStarter({
    home,
    journal,
    registry,
    probe,
    trustsWorkspace,
    names,
    conversations,
    actors,
    failedStarts,
    sandbox,
    policy: { hasDefault: options.defaultPolicy ?? false, trustsFile: options.trustsFile ?? (() => false) },
  });
  return {
    registry,
    tools,
    catalog,
    projections,
    copies,
    workspaces,
    directory,
    environment,
    probes,
    spares,
    continuations,
    names,
    conversations,
    journalOptions,
    actors,
    failedStarts,
    arrivals,
    starter,
  };
}
