import { existsSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import {
  capabilitiesOf,
  FairleadError,
  type Adapter,
  type NoteOf,
  type Opening,
  type ProbeResult,
} from "@fairlead/contract";
import type { Hosts, ObjectStore } from "@fairlead/engine";
import type { Claim, Journal, LogTail } from "@fairlead/journal";
import { createMovedSpool, endKeeper, spoolFolder } from "@fairlead/keeper";
import { decodeEvents } from "../actor/stored-events.ts";
import { SnapshotFile } from "../actor/snapshot.ts";
import type { AdapterRegistry } from "../config/adapter-registry.ts";
import type { Home } from "../home.ts";
import type { SessionState } from "@fairlead/reducer";
import { locateMemory } from "../memory/locate-memory.ts";
import { matchesFingerprint } from "../memory/matches-fingerprint.ts";
import { restoreMemory } from "../memory/restore-memory.ts";
import type { SessionSandboxOptions } from "../sandbox/session-sandbox.ts";
import { buildMissedPart, buildPreamble } from "../sessions/preamble.ts";
import { restoreSecrets } from "../sessions/secret-settings.ts";
import { claimAfterTail } from "../sessions/start/claim-after-tail.ts";
import { awaitBoth } from "./await-both.ts";
import { loadMovedSession, movedNoteId, type LoadedSession } from "./load-moved-session.ts";
import { readNewestChange } from "./newest-change.ts";
import { openingOnHost } from "./opening-on-host.ts";
import { planArrival, type ArrivalPlan } from "./plan-arrival.ts";
import { readImage } from "./session-image.ts";

export interface SessionArrivalOptions {
  readonly home: Home;
  readonly journal: Journal;
  readonly hosts: Pick<Hosts, "isAlive" | "isElsewhere">;
  readonly objects: ObjectStore;
  /** Identifies this process in the journal. */
  readonly owner: string;
  readonly registry: AdapterRegistry;
  readonly probe: (agent: string) => Promise<ProbeResult>;
  readonly sandbox: SessionSandboxOptions;
  /** Whether a person trusts a workspace on this host. */
  readonly trustsWorkspace: (workspace: string) => boolean;
  /** Makes the workspace of a session with a repository on this host, as the last commit has it. */
  readonly restoreWorkspace: (session: string, opening: Opening) => Promise<void>;
  /** Begins to refuse what the earlier host pushes to the repository. */
  readonly claimWorkspace?: (session: string, opening: Opening) => void;
}

/** A session that is ready on this host: only its folder has to be moved to its place. */
interface Prepared {
  readonly opening: Opening;
  readonly folder: StagedFolder;
}

/** How often another writer may append while the session is prepared. */
const maxAttempts = 3;

/**
 * Takes a session over from a host that was lost, or that released it: restores the agent's memory and the workspace, makes its
 * folder from the log, and claims the session. Returns the claim, with which the caller must attach to the session; null if there
 * is nothing to do, because its owner is alive, another host has it, or it has ended. What can fail comes before the claim, so
 * that another host can try. Throws if the session cannot work on this host.
 */
export async function arriveSession(session: string, options: SessionArrivalOptions): Promise<Claim | null> {
  const { journal, owner, home } = options;
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
    const tail = await journal.tail(session);
    if (!(await mayTake(session, tail, options))) return null;
    const prepared = await prepare(session, tail, options);
    if (prepared === null) return null;
    const claim = await claimIfUnchanged(journal, session, tail, owner);
    // What was prepared is the end of the log only if nobody has appended since.
    if (claim === null) continue;
    await placeFolder(prepared.folder, home.sessionFolder(session));
    options.claimWorkspace?.(session, prepared.opening);
    return claim;
  }
  return null;
}

async function claimIfUnchanged(
  journal: Journal,
  session: string,
  tail: LogTail,
  owner: string,
): Promise<Claim | null> {
  try {
    return await claimAfterTail(journal, session, tail, owner);
  } catch (error) {
    if (FairleadError.is(error, "fenced")) return null;
    const newest = await journal.tail(session).catch(() => null);
    if (newest?.epoch !== tail.epoch + 1 || newest.owner !== owner) throw error;
    // The claim is stored, and only its answer was lost. Other hosts leave the session to this one from now on.
    const { epoch, last, fence } = newest;
    return { epoch, last, fence };
  }
}

/**
 * Whether the session has no owner that drives it: its host was lost, or has paused it to leave, or is this one, on which an
 * earlier arrival did not end.
 */
async function mayTake(
  session: string,
  { epoch, last, owner }: LogTail,
  options: SessionArrivalOptions,
): Promise<boolean> {
  const { home, hosts } = options;
  if (epoch === 0 || last === 0) return false;
  const newest = await readNewestChange(options.journal, session, last);
  if (newest?.body.type === "session.ended") return false;
  if (newest?.body.type === "session.paused" && newest.body.reason === "moved" && owner !== options.owner) return true;
  if (!hosts.isElsewhere(owner)) return !existsSync(home.sessionFolder(session));
  return !(await hosts.isAlive(owner));
}

async function load(session: string, options: SessionArrivalOptions): Promise<LoadedSession | null> {
  const { journal: log, objects, registry } = options;
  const loaded = await loadMovedSession(session, { log, objects, findAdapter: (agent) => registry.find(agent) });
  return loaded === null || loaded.state.ledger.over ? null : loaded;
}

/** Makes all that the session needs on this host. May be repeated. Throws if an agent cannot work for it here. */
async function prepare(session: string, { owner }: LogTail, options: SessionArrivalOptions): Promise<Prepared | null> {
  const { registry, probe, hosts } = options;
  const loaded = await load(session, options);
  if (loaded === null) return null;
  const adapter = registry.find(loaded.opening.agent);
  const probeResult = await probe(adapter.manifest.id);
  if (!probeResult.installed)
    throw new FairleadError("not-installed", `${adapter.manifest.label} is not installed on this host.`);
  const { repository } = loaded.opening;
  const workspace = repository === undefined ? Promise.resolve() : options.restoreWorkspace(session, loaded.opening);
  // A clone mostly waits for other processes.
  const [, memoryProblem] = await awaitBoth(workspace, restoreAgentMemory(session, loaded, adapter, options));
  if (!existsSync(loaded.opening.workspace))
    throw new FairleadError("invalid-request", `This host has no folder ${loaded.opening.workspace}.`);
  const opening = await openingOnHost(adapter, loaded.state.opening ?? loaded.opening, { ...options, probeResult });
  const isOwnerAlive = await hosts.isAlive(owner);
  const plan = planArrival({
    moving: opening.moving ?? "native",
    memoryProblem,
    hostProblem: findMissingSecrets(opening),
    isOwnerAlive,
    hasEndedTurn: !isNew(loaded.state) && (opening.continues?.outcome === "native" || loaded.hasRememberedTurn),
  });
  // It is well where it is, and must not end by a move.
  if (plan.outcome === "lost" && isOwnerAlive)
    throw new FairleadError("conflict", plan.reason ?? "The session cannot continue on another host.");
  return { opening, folder: await stageFolder(session, { loaded, adapter, opening, plan }, options) };
}

/** Whether there is nothing to remember: a pause before the first message stores an image, too. */
function isNew({ isNew: hasNoMessage, opening }: SessionState): boolean {
  return hasNoMessage && opening?.continues?.outcome !== "native";
}

/** The text of a secret setting is only on the host on which the session was started. */
function findMissingSecrets({ settings, mcpServers = [] }: Opening): string | null {
  const { missing } = restoreSecrets(settings, {});
  const hasServerSecrets = mcpServers.some((server) => JSON.stringify(server).includes("fairlead-secret:"));
  if (missing.length === 0 && !hasServerSecrets) return null;
  return "Its settings have secrets, whose text was on that host only.";
}

/** Restores the agent's memory of the conversation. Returns why it could not; null if it did. */
async function restoreAgentMemory(
  session: string,
  { state, image }: LoadedSession,
  adapter: Adapter,
  { objects, sandbox }: SessionArrivalOptions,
): Promise<string | null> {
  const { label } = adapter.manifest;
  if (adapter.memory === undefined) return `${label} keeps no memory that another host could use.`;
  const { version = null, flags } = state.opening?.probeResult ?? {};
  if (!capabilitiesOf(adapter.manifest, version, flags).includes("resume"))
    return `${label} cannot continue a conversation in another process.`;
  const { environment } = sandbox;
  const memory = locateMemory(adapter, state, environment);
  if (memory === null || image?.memory == null) return `The memory of ${label} was not stored before.`;
  try {
    await restoreMemory({ objects, session, memory, stored: image.memory });
    if (await matchesFingerprint(adapter, state, environment)) return null;
    return `The memory of ${label} that was stored does not continue the one that the session had.`;
  } catch (error) {
    // Otherwise this host is the problem, for example its disk, and another one can try.
    if (!FairleadError.is(error, "corrupt") && !FairleadError.is(error, "no-conversation")) throw error;
    // A host that was paused, and is the owner until the claim, may have removed what its image before needed.
    const newest = await readImage(objects, session, Infinity);
    if (JSON.stringify(newest?.memory) !== JSON.stringify(image.memory))
      throw new FairleadError("unavailable", `The earlier host of session ${session} has just stored another memory.`);
    return `The memory of ${label} could not be restored: ${error.message}`;
  }
}

/** What the folder of a session is made from. */
interface FolderParts {
  readonly loaded: LoadedSession;
  readonly adapter: Adapter;
  readonly opening: Opening;
  readonly plan: ArrivalPlan;
}

/** A folder that a session gets when it is claimed, and where the folder of an earlier stay on this host is moved. */
interface StagedFolder {
  readonly folder: string;
  readonly oldFolder: string;
}

/** Makes the session's folder beside its place: the snapshot that the log gives, and a spool that begins with the move. */
async function stageFolder(session: string, parts: FolderParts, options: SessionArrivalOptions): Promise<StagedFolder> {
  const { home, journal } = options;
  const { loaded, adapter, opening, plan } = parts;
  const context = await readContext(session, parts, journal);
  const note: NoteOf<"moved"> = { type: "moved", ...plan, ...(context.length > 0 && { context }) };
  const seq = loaded.lastSeq + 1;
  const folder = join(home.arrivalsFolder, session);
  const oldFolder = join(home.arrivalsFolder, `${session}.old`);
  for (const earlier of [folder, oldFolder]) await rm(earlier, { recursive: true, force: true });
  await mkdir(folder, { recursive: true, mode: 0o700 });
  createMovedSpool(spoolFolder(folder), loaded.commandIds, {
    seq,
    kind: "note",
    process: 0,
    at: Date.now(),
    id: movedNoteId(seq),
    bytes: Buffer.from(JSON.stringify(note)),
  });
  new SnapshotFile(join(folder, "snapshot.json")).save({
    upToSeq: loaded.lastSeq,
    adapterVersion: adapter.manifest.version,
    state: { ...loaded.state, opening },
    pendingEffects: [],
    alarms: [],
    approvals: [],
    rejections: loaded.image?.rejections ?? [],
  });
  await mkdir(home.sessionsFolder, { recursive: true, mode: 0o700 });
  // The session was on this host before, and comes back.
  if (existsSync(home.sessionFolder(session))) await endKeeper(home.sessionFolder(session));
  return { folder, oldFolder };
}

/** A crash in between leaves a session without a folder, and the next attach to it arrives again. */
async function placeFolder({ folder, oldFolder }: StagedFolder, place: string): Promise<void> {
  if (existsSync(place)) await rename(place, oldFolder);
  await rename(folder, place);
  await rm(oldFolder, { recursive: true, force: true }).catch(() => {}); // the next arrival removes it
}

/** Returns what the agent does not remember: all of the conversation, or what came after its memory was stored. */
async function readContext(
  session: string,
  { loaded, adapter, plan }: FolderParts,
  journal: Journal,
): Promise<string[]> {
  // It would execute the text.
  if (adapter.manifest.messages === "command") return [];
  if (plan.outcome === "rebuilt") return await buildPreamble((one) => decodeEvents(journal.read(one, 0)), session);
  if (plan.outcome === "lost" || !loaded.hasNewerTurn) return [];
  return await buildMissedPart(decodeEvents(journal.read(session, loaded.image?.lastSequence ?? 0)));
}
