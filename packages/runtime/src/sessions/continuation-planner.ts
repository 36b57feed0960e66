import { briefInRoom, capabilitiesOf, FairleadError, tightenLimits } from "@fairlead/contract";
import type {
  Capability,
  Continuation,
  Event,
  ProbeResult,
  Opening,
  Settings,
  SpendingLimits,
} from "@fairlead/contract";
import type { SecretValues } from "@fairlead/keeper";
import { spentOf, type SessionState } from "@fairlead/reducer";
import type { SessionCatalog } from "./session-catalog.ts";
import type { SessionCheckpoint } from "./session-checkpoint.ts";
import { acceptLessHistory } from "../actor/command-rejected.ts";
import { isSafeAgentSessionId } from "../transcript/locate-transcript.ts";
import { buildPreamble } from "./preamble.ts";
import type { AdapterRegistry } from "../config/adapter-registry.ts";
import { restoreSecrets } from "./secret-settings.ts";
import { restoreServerSecrets } from "../tools/server-secrets.ts";
import { pickSandboxChoice } from "../sandbox/compute-sandbox.ts";
import { inheritedPolicy } from "../policy/session-policy.ts";
import type { StartOptions } from "./start/start-options.ts";

export interface SessionResumeOptions {
  /** The id of a session that continues the conversation. */
  readonly newId?: string;
  /** Ends the session that is continued, if it has not ended. */
  readonly endSession?: () => Promise<void>;
  /** Limits that differ from those of the session that is continued. */
  readonly limits?: SpendingLimits;
  /** Leaves out what the policies allow: the caller may not approve in advance. */
  readonly approvalsRequired?: boolean;
}

export interface SessionForkOptions {
  /** The id of the new session. Random by default. */
  readonly session?: string;
  readonly name?: string;
  /** Another workspace. Agents store conversations by folder, so a fork to it cannot be `native`. */
  readonly workspace?: string;
  /**
   * What the caller accepts: a copy that the agent makes (`native`, the default), one from the journal (`rebuilt`), or
   * none (`fresh`).
   */
  readonly outcome?: Continuation["outcome"];
  /** Limits that the fork keeps besides those of the session. */
  readonly limits?: SpendingLimits;
  /** Leaves out what the policies allow: the caller may not approve in advance. */
  readonly approvalsRequired?: boolean;
}

interface ContinuationPlannerOptions {
  readonly catalog: SessionCatalog;
  readonly registry: AdapterRegistry;
  events(session: string): AsyncIterable<Event>;
  probe(agent: string): Promise<ProbeResult>;
  /** Reads the values of the references in a session's settings. */
  secrets(session: string): SecretValues;
}

/** Plans the start of a session that continues the conversation of another one. */
export class ContinuationPlanner {
  readonly #options: ContinuationPlannerOptions;

  constructor(options: ContinuationPlannerOptions) {
    this.#options = options;
  }

  /** Plans the continuation of a session that has ended, with the outcome that the caller accepts. */
  async planContinuation(
    session: string,
    wanted: Continuation["outcome"],
    changedLimits: SpendingLimits = {},
  ): Promise<StartOptions> {
    const { last: after } = await this.#options.catalog.readTail(session);
    const { opening, agentSessionId, isNew, pendingContext, spending, brief } = await this.#readFinalState(session);
    const { agent, workspace, mode, name, continues: before } = opening;
    const settings = this.#restoreSettings(opening);
    if (wanted === "native" && (agentSessionId === null || !(await this.#can("resume", agent)))) {
      const reason = `Session ${session} has ended, and its agent stores no conversation that could be continued.`;
      throw this.#notSupported(agent, reason);
    }
    // Most agents store no conversation before its first message, and nothing is forgotten.
    const outcome = wanted === "native" && isNew && before?.outcome !== "native" ? "fresh" : wanted;
    const continues = { session, agentSessionId: outcome === "native" ? agentSessionId : null, outcome, after };
    const preamble = outcome === "rebuilt" ? await this.#preamble(opening, after) : [];
    const injected = [...preamble, ...pendingContext];
    return {
      agent,
      workspace,
      mode,
      settings,
      continues,
      injected,
      ...sameSandbox(opening),
      ...continueLimits(spending, changedLimits),
      ...inheritedPolicy(opening),
      ...(opening.room !== undefined && { room: opening.room }),
      ...(opening.park === true && { park: true }),
      ...(opening.moving !== undefined && { moving: opening.moving }),
      ...continueBrief(brief, outcome),
      ...continueTools(opening),
      ...this.#restoreServers(opening),
      ...(opening.toolProgram !== undefined && { toolProgram: opening.toolProgram }),
      ...(name !== null && { name }),
    };
  }

  async planFork(session: string, options: SessionForkOptions): Promise<StartOptions> {
    const { last: after } = await this.#options.catalog.readTail(session);
    const { opening, agentSessionId, isNew, pendingContext, spending, brief } = await this.#readFinalState(session);
    const { agent, mode } = opening;
    const settings = this.#restoreSettings(opening);
    const { outcome = "native", workspace = opening.workspace } = options;
    if (outcome === "native") {
      if (workspace !== opening.workspace)
        throw this.#notSupported(
          agent,
          `The agent of session ${session} cannot copy its conversation to another workspace.`,
        );
      if (!(await this.#can("fork", agent)))
        throw this.#notSupported(agent, `The agent of session ${session} cannot copy its conversation.`);
      if (agentSessionId === null || (isNew && opening.continues?.outcome !== "native"))
        throw this.#notSupported(agent, `Session ${session} has no conversation yet that could be copied.`);
    }
    const preamble = outcome === "rebuilt" ? await this.#preamble(opening, after) : [];
    const source = outcome === "native" ? agentSessionId : null;
    const limits = tightenLimits(spending.limits, options.limits ?? {});
    return {
      agent,
      workspace,
      mode,
      settings,
      ...sameSandbox(opening),
      // The fork has used nothing of them.
      ...(hasLimits(limits) && { limits }),
      ...inheritedPolicy(opening),
      ...(opening.room !== undefined && { room: opening.room }),
      ...(opening.park === true && { park: true }),
      ...(opening.moving !== undefined && { moving: opening.moving }),
      ...continueBrief(brief, outcome),
      ...continueTools(opening),
      ...this.#restoreServers(opening),
      ...(opening.toolProgram !== undefined && { toolProgram: opening.toolProgram }),
      approvalsRequired: options.approvalsRequired ?? false,
      ...(options.session !== undefined && { session: options.session }),
      ...(options.name !== undefined && { name: options.name }),
      injected: [...preamble, ...pendingContext],
      continues: { session, agentSessionId: source, outcome, fork: true, after },
    };
  }

  /** Plans the continuation of a session that this journal does not have, but whose conversation the agent may have. */
  planRestore(checkpoint: SessionCheckpoint, secretSettings: Settings): StartOptions {
    const { session, agentSessionId, agent, workspace, mode, injected, queued = [], sequence: after } = checkpoint;
    const settings = addSecretSettings(checkpoint, secretSettings);
    if (agentSessionId === null) {
      const message = `The checkpoint of session ${session} cannot be restored: it has no agent session id, and this journal does not have the session.`;
      throw new FairleadError("not-supported", message);
    }
    if (!isSafeAgentSessionId(agentSessionId)) {
      const message = `The checkpoint of session ${session} cannot be restored: its agent session id is not a plain name.`;
      throw new FairleadError("invalid-request", message);
    }
    return {
      agent,
      workspace,
      mode,
      settings,
      ...(checkpoint.sandbox !== undefined && { sandbox: checkpoint.sandbox }),
      ...(checkpoint.limits !== undefined && { limits: checkpoint.limits }),
      ...(checkpoint.spent !== undefined && { spent: checkpoint.spent }),
      ...(checkpoint.brief !== undefined && { brief: briefInRoom(checkpoint.brief, undefined) }),
      injected,
      queued,
      continues: { session, agentSessionId, outcome: "native", after },
    };
  }

  #restoreSettings({ session, settings }: Opening): Settings {
    const { settings: restored, missing } = restoreSecrets(settings, this.#options.secrets(session));
    if (missing.length > 0) throw missingSecrets(session, missing);
    return restored;
  }

  #restoreServers({ session, mcpServers }: Opening): Pick<StartOptions, "mcpServers"> {
    if (mcpServers === undefined) return {};
    const { servers, missing } = restoreServerSecrets(mcpServers, this.#options.secrets(session));
    if (missing.length > 0) throw missingSecrets(session, missing);
    return { mcpServers: servers };
  }

  /** Whether the agent's installed version has a capability. */
  async #can(capability: Capability, id: string): Promise<boolean> {
    const { version, flags } = await this.#options.probe(id);
    return capabilitiesOf(this.#options.registry.find(id).manifest, version, flags).includes(capability);
  }

  async #readFinalState(session: string): Promise<SessionState & { readonly opening: Opening }> {
    const { catalog } = this.#options;
    const { state } = catalog.replay(session, (await catalog.readFirstEvent(session)).agent);
    if (state.opening === null)
      throw new FairleadError("session-not-found", `The spool of session ${session} is empty.`);
    return { ...state, opening: state.opening };
  }

  async #preamble({ session, agent }: Opening, last: number): Promise<string[]> {
    if (this.#options.registry.find(agent).manifest.messages === "command") {
      const reason = `${agent} executes each message as it is, so it cannot be given the conversation of session ${session}.`;
      throw this.#notSupported(agent, reason);
    }
    return await buildPreamble((id) => this.#options.events(id), session, last);
  }

  #notSupported(agent: string, reason: string): FairleadError {
    const advice = acceptLessHistory(this.#options.registry.find(agent).manifest);
    return new FairleadError("not-supported", `${reason} ${advice}`);
  }
}

function missingSecrets(session: string, missing: readonly string[]): FairleadError {
  const message = `Session ${session} cannot be continued: the values of ${missing.join(", ")} are not stored here.`;
  return new FairleadError("invalid-settings", `${message} Start a new session with them.`);
}

/** Adds the secret settings of a checkpoint, which the caller must have from elsewhere. Top-level settings are merged. */
function addSecretSettings({ session, settings, secretSettings = [] }: SessionCheckpoint, added: Settings): Settings {
  const merged: Record<string, unknown> = { ...settings };
  for (const [name, value] of Object.entries(added)) {
    merged[name] = isRecord(merged[name]) && isRecord(value) ? { ...merged[name], ...value } : value;
  }
  const missing = secretSettings.filter((name) => !Object.hasOwn(added, name.split(".", 1)[0] ?? ""));
  if (missing.length === 0) return merged;
  const message = `The checkpoint of session ${session} contains no secrets. To restore it, pass values for`;
  throw new FairleadError("invalid-settings", `${message}: ${missing.join(", ")}.`);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A continuation has the limits of the session that it continues. */
function sameSandbox({ sandbox }: Opening): Pick<StartOptions, "sandbox"> {
  return { sandbox: sandbox === undefined ? { kind: "none" } : pickSandboxChoice(sandbox) };
}

/** A continuation does the same work, so that what was used before it counts. */
function continueLimits(
  spending: SessionState["spending"],
  changedLimits: SpendingLimits,
): Pick<StartOptions, "limits" | "spent"> {
  const limits = { ...spending.limits, ...changedLimits };
  return hasLimits(limits) ? { limits, spent: spentOf(spending) } : {};
}

/** A continuation has the brief of the session that it continues, and gets it again if the agent does not have it. */
function continueBrief(
  { current, isTold }: SessionState["brief"],
  outcome: Continuation["outcome"],
): Pick<StartOptions, "brief" | "tellBrief"> {
  return current === null ? {} : { brief: current, tellBrief: outcome !== "native" || !isTold };
}

function hasLimits(limits: SpendingLimits): boolean {
  return Object.keys(limits).length > 0;
}

/** A person who continues what an agent started gets a session without the parent's bounds, so it does not delegate. */
function continueTools({ tools, parent }: Opening): Pick<StartOptions, "tools"> {
  if (tools === undefined) return {};
  return { tools: parent === undefined ? tools : tools.filter(({ readOnly }) => readOnly === true) };
}
