import { briefInRoom } from "@fairlead/contract";
import type { Adapter, McpServer, Opening, PermissionMode, ProbeResult, Settings } from "@fairlead/contract";
import type { Journal } from "@fairlead/journal";
import type { SecretValues } from "@fairlead/keeper";
import type { SessionActors } from "../../actor/session-actors.ts";
import type { AdapterRegistry } from "../../config/adapter-registry.ts";
import { assertWorkspace } from "../../config/assert-workspace.ts";
import { assertNoUntrustedPrograms, findUntrustedFiles } from "../../config/untrusted-files.ts";
import { assertLimitsKeepable, assertLimitsLeft } from "../../config/assert-limits.ts";
import { findSessionRooms } from "../../config/workspace-rooms.ts";
import { validateStart } from "../../config/validate-start.ts";
import { findCopy, toIsolatedCopy } from "../../copies/copy-facts.ts";
import { findClone } from "../../workspaces/clone-facts.ts";
import { createCopy, findCopySource } from "../../copies/create-copy.ts";
import { runSetup } from "../../copies/run-setup.ts";
import { assertSandboxWithin, withParentPolicy } from "../../delegation/parent-bounds.ts";
import type { Home } from "../../home.ts";
import { readStartCommit } from "../../review/read-start-commit.ts";
import { separateServerSecrets } from "../../tools/server-secrets.ts";
import { assertTakesServers, findSessionServers } from "../../tools/session-servers.ts";
import { assertTakesTools } from "../../tools/tool-registry.ts";
import type { Conversations } from "../conversations.ts";
import type { FailedStarts } from "./failed-starts.ts";
import { randomId } from "../ids.ts";
import type { NameReservations } from "./name-reservations.ts";
import { openSession } from "./open-session.ts";
import { determineSandbox, type SessionSandboxOptions } from "../../sandbox/session-sandbox.ts";
import { describeUnenforced } from "../../policy/describe-unenforced.ts";
import { joinPolicies, type PolicySources } from "../../policy/session-policy.ts";
import { writeSecrets } from "../secret-file.ts";
import { separateSecrets } from "../secret-settings.ts";
import { Session } from "../session.ts";
import { assertBrief, withBriefRoom } from "./start-brief.ts";
import type { StartOptions } from "./start-options.ts";

export interface SessionStarterOptions {
  readonly home: Home;
  readonly journal: Journal;
  readonly registry: AdapterRegistry;
  readonly probe: (agent: string) => Promise<ProbeResult>;
  readonly trustsWorkspace: (workspace: string) => boolean;
  readonly names: NameReservations;
  readonly conversations: Conversations;
  readonly actors: SessionActors;
  readonly failedStarts: FailedStarts;
  readonly sandbox: SessionSandboxOptions;
  readonly policy: Pick<PolicySources, "hasDefault" | "trustsFile">;
}

interface CheckedStart {
  readonly adapter: Adapter;
  readonly mode: PermissionMode;
  readonly settings: Settings;
  readonly probeResult: ProbeResult;
  readonly untrusted: Pick<Opening, "untrustedFiles">;
}

/** Where a session works. */
interface StartPlace {
  readonly workspace: string;
  /** What a person should know about it. */
  readonly notices?: readonly string[];
}

/** Starts sessions. */
export class SessionStarter implements Disposable {
  readonly #options: SessionStarterOptions;
  readonly #closing = new AbortController();

  constructor(options: SessionStarterOptions) {
    this.#options = options;
  }

  /** Checks everything about a start that can be checked without starting a process of the session. */
  async check({
    agent,
    workspace,
    mode = "default",
    settings: requested,
    isolated = false,
    brief,
    ...spending
  }: StartOptions): Promise<CheckedStart> {
    const { registry, probe, home } = this.#options;
    const { limits = {}, spent, tools = [], mcpServers = [] } = spending;
    const adapter = registry.find(agent);
    assertWorkspace(workspace);
    if (brief !== undefined) assertBrief(adapter.manifest, brief);
    if (isolated !== false) await findCopySource(home, workspace);
    const start = { mode, ...(requested !== undefined && { settings: requested }) };
    const { settings, probeResult } = await validateStart(adapter, start, () => probe(agent));
    const untrusted = findUntrustedFiles(adapter.manifest, probeResult, workspace, (one) => this.#trusts(one));
    assertTakesTools(adapter.manifest, probeResult, tools);
    assertTakesServers(adapter.manifest, probeResult, mcpServers);
    assertLimitsKeepable(adapter.manifest, probeResult, limits);
    assertLimitsLeft({ limits, spent });
    return { adapter, mode, settings, probeResult, untrusted };
  }

  /**
   * Starts a session. Rejects invalid options, and a conversation that another session has, before it starts a process. A
   * fork drives a new conversation.
   */
  async start(requested: StartOptions): Promise<Session> {
    const options = withBriefRoom(requested);
    const checked = await this.check(options);
    const { session = randomId(), agent, continues } = options;
    const agentSessionId = continues?.fork === true ? null : (continues?.agentSessionId ?? null);
    const use = { session, agent, agentSessionId, continues: continues?.session ?? "" };
    return await this.#options.conversations.drive(use, () => this.#start({ ...options, session }, checked));
  }

  async #start(options: StartOptions & { readonly session: string }, checked: CheckedStart): Promise<Session> {
    const { home, journal, names, conversations, actors, failedStarts } = this.#options;
    const { adapter, settings } = checked;
    const { session } = options;
    await using reservation = await names.reserve(options.name, session);
    const { settings: openingSettings, secrets } = separateSecrets(adapter.manifest, settings);
    const { servers, serverSecrets, notices } = this.#findServers(options, checked);
    const prepareOpening = async ({ workspace, notices: placeNotices = [] }: StartPlace): Promise<Opening> => {
      const place = { workspace, notices: [...notices, ...placeNotices] };
      return await this.#prepareOpening({ ...options, mcpServers: servers }, checked, openingSettings, place);
    };
    // Nothing of a session is created before it is known that it can start.
    const opening =
      (options.isolated ?? false) !== false ? null : await prepareOpening({ workspace: options.workspace });
    const parts = {
      actors,
      failedStarts,
      folder: home.sessionFolder(session),
      prepareOpening: async () => opening ?? (await prepareOpening(await this.#createCopy(options))),
      // Before the opening: a session that was opened can launch its agent, also after a crash.
      prepare: (): void => writeSecrets(home.secretsFile(session), { ...secrets, ...serverSecrets }),
    };
    const actor = await openSession(parts, adapter, session, options);
    reservation.keep();
    return new Session(session, actor, journal, conversations);
  }

  #findServers(
    options: StartOptions,
    { adapter, probeResult }: CheckedStart,
  ): { readonly servers: McpServer[]; readonly serverSecrets: SecretValues; readonly notices: readonly string[] } {
    const { home, policy } = this.#options;
    const workspace = findCopy(home, options.workspace)?.workspace ?? options.workspace;
    const sources = { home, workspace, trustsFile: policy.trustsFile, adapter, probeResult };
    const found = findSessionServers(options, sources);
    const { servers, secrets: serverSecrets } = separateServerSecrets(found.servers);
    return { servers, serverSecrets, notices: found.notices };
  }

  /** Creates the isolated copy of a new session. */
  async #createCopy({
    session,
    workspace,
    isolated,
  }: StartOptions & { readonly session: string }): Promise<StartPlace> {
    const { home, policy, sandbox } = this.#options;
    const { signal } = this.#closing;
    const setup = { workspace, environment: sandbox.environment, trustsFile: policy.trustsFile, signal };
    const setUp = (folder: string): Promise<string[]> => runSetup(folder, setup);
    const origin = typeof isolated === "object" ? { origin: isolated } : {};
    return await createCopy({ home, session, workspace, signal, setUp, ...origin });
  }

  async #prepareOpening(
    options: StartOptions & { readonly session: string },
    { adapter, mode, settings, probeResult, untrusted }: CheckedStart,
    openingSettings: Settings,
    { workspace, notices = [] }: StartPlace,
  ): Promise<Opening> {
    const { home } = this.#options;
    const { session, approvalsRequired, policy: requested } = options;
    const copy = findCopy(home, workspace);
    const clone = findClone(home, workspace);
    const folder = copy?.workspace ?? workspace;
    const sources = { ...this.#options.policy, home, workspace: folder, mode, requested, approvalsRequired };
    const { parent } = options;
    const policy = withParentPolicy(joinPolicies(sources), parent?.policy);
    const unenforced = policy && describeUnenforced(adapter.manifest, policy, { mode, probeResult });
    const warnings = [...notices, ...(unenforced == null ? [] : [unenforced])];
    const rooms = findSessionRooms(folder, options);
    const startCommit = await readStartCommit(workspace);
    const unlimited: Opening = {
      session,
      name: options.name ?? null,
      agent: adapter.manifest.id,
      adapterVersion: adapter.manifest.version,
      workspace,
      mode,
      settings: openingSettings,
      probeResult,
      continues: options.continues ?? null,
      ...untrusted,
      ...(startCommit !== undefined && { startCommit }),
      ...(options.limits !== undefined && { limits: options.limits }),
      ...(options.spent !== undefined && { spent: options.spent }),
      ...(policy !== undefined && { policy }),
      ...rooms,
      ...(options.brief !== undefined && { brief: briefInRoom(options.brief, rooms.room) }),
      ...offeredTools(options),
      ...(parent !== undefined && { parent: { session: parent.session, depth: parent.depth } }),
      ...(options.mcpServers?.length && { mcpServers: [...options.mcpServers] }),
      ...(copy !== null && { copy: toIsolatedCopy(copy) }),
      ...(clone !== null && { repository: clone.repository }),
      ...(warnings.length > 0 && { notices: warnings }),
      ...(options.park === true && { park: true }),
      ...(options.moving !== undefined && { moving: options.moving }),
    };
    // With the settings themselves: one of them can name the agent's service.
    const known = { ...unlimited, settings };
    const sandbox = await determineSandbox(adapter, known, options.sandbox ?? {}, this.#options.sandbox);
    assertSandboxWithin(sandbox, parent?.sandbox);
    if (sandbox.kind === "none" || unlimited.mcpServers !== undefined) {
      const { environment } = this.#options.sandbox;
      assertNoUntrustedPrograms(adapter, unlimited, environment, () => this.#trusts(workspace));
    }
    return { ...unlimited, sandbox };
  }

  /** Whether a person trusts a workspace. A copy is trusted like the folder that it is a copy of. */
  #trusts(workspace: string): boolean {
    return this.#options.trustsWorkspace(findCopy(this.#options.home, workspace)?.workspace ?? workspace);
  }

  /** Stops the creation of copies. */
  [Symbol.dispose](): void {
    this.#closing.abort();
  }
}

/** The tools that the agent is offered. A caller who may not approve can continue a session, and offer no tool that acts. */
function offeredTools(options: StartOptions): Pick<Opening, "tools" | "toolProgram"> {
  const { tools = [], toolProgram, approvalsRequired, parent } = options;
  // The tools of a session that another one starts were checked by it.
  const mayAct = approvalsRequired !== true || parent !== undefined;
  const offered = tools.filter(({ readOnly }) => mayAct || readOnly === true);
  return offered.length === 0 ? {} : { tools: offered, ...(toolProgram && { toolProgram }) };
}
