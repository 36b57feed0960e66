import { once } from "node:events";
import type { BroughtBranch, Checkpoint, ForkRequest, ResumeRequest, SessionView, StartRequest } from "@fairlead/api";
import { FairleadError, raisesLimit } from "@fairlead/contract";
import type { Answer, Brief, SpendingLimits, TerminalSize } from "@fairlead/contract";
import {
  assertWorkspace,
  commandRejected,
  selectAgent,
  idFromKey,
  keepableLimits,
  type AgentSelectionOptions,
  type Environment,
  type Runtime,
  type SelectedAgent,
  type Session,
  type Sessions,
} from "@fairlead/runtime";
import { answerDecision } from "./answer-decision.ts";
import { assertAsksForApproval } from "./assert-asks-for-approval.ts";
import { assertStartAllowed } from "./assert-start-allowed.ts";
import type { CommandContext, CommandHandlers } from "./command-methods.ts";
import { chooseLimits } from "./choose-limits.ts";
import { findStartPlace } from "./find-start-place.ts";
import type { Queries } from "./queries.ts";
import { waitForEvent, wakeSession } from "./wait-for-event.ts";

/** Milliseconds that a session may take to end before it is killed. An agent gets 5 seconds of it to exit. */
const stopTimeout = 30_000;

export interface CommandsOptions {
  readonly runtime: Runtime;
  readonly sessions: Sessions;
  readonly queries: Queries;
  readonly environment: Environment;
  /** The agent if neither the request nor the workspace nor the environment names one. */
  readonly fallback: string;
  /** Whether a person trusts a workspace file with everything it sets. */
  readonly trusts: NonNullable<AgentSelectionOptions["trusts"]>;
  /** The names of the tools by which an agent starts and leads other sessions. */
  readonly delegationTools: readonly string[];
  /** The user's policy, to which answers in advance are added. */
  readonly policyFile: string;
  /** Erases the stored outcomes of a forgotten session's commands, except that of the command that forgets it. */
  readonly forgetOutcomes: (id: string, exceptKey: string) => void;
}

/** States in which a session can be ended and continued in a new one without cutting off a turn. */
const quietStates: ReadonlySet<SessionView["state"]> = new Set(["idle", "paused", "input-closed", "lost", "damaged"]);

/**
 * The command handlers. Each derives the ids of sessions, turns and records from the command's key. A command that is
 * executed again with the same key, by this process or after a crash, therefore has the same effect once.
 */
export class Commands implements Omit<CommandHandlers, "startRun" | "cancelRun"> {
  readonly #options: CommandsOptions;

  constructor(options: CommandsOptions) {
    this.#options = options;
  }

  async start(request: StartRequest, context: CommandContext): Promise<SessionView> {
    const place = findStartPlace(request);
    const start = (workspace: string): Promise<SessionView> => this.#startIn(workspace, request, context);
    if (typeof place === "string") return await start(place);
    return await this.#options.runtime.workspaces.use(idFromKey(context.key), place, start);
  }

  async #startIn(workspace: string, request: StartRequest, context: CommandContext): Promise<SessionView> {
    const { runtime, environment, fallback, trusts } = this.#options;
    const { agent, settings, mode, name, prompt, brief, sandbox, policy, room, park, moving, isolated } = request;
    const tools = [...(request.tools ?? []), ...(request.mayDelegate === true ? this.#options.delegationTools : [])];
    const { parent } = context;
    const delegating = request.tools?.find((name) => this.#options.delegationTools.includes(name));
    if (delegating !== undefined && request.toolProgram === undefined)
      throw new FairleadError(
        "invalid-request",
        `${delegating} is offered with mayDelegate (--may-delegate), not by name.`,
      );
    const { tools: offers, toolProgram } = await runtime.tools.select(tools, request.toolProgram);
    const { mcpServers } = request;
    if (prompt !== undefined && brief !== undefined)
      throw new FairleadError("invalid-request", "A start takes a prompt or a brief, not both.");
    const approvalsRequired = context.approvalsRequired || request.approvalsRequired === true;
    assertWorkspace(workspace);
    const defaults = { workspace, environment, fallback, trusts };
    const overrides = { ...(agent && { agent }), ...(settings && { settings }), ...(mode && { mode }) };
    const choice = selectAgent(runtime.registry, { ...defaults, ...overrides, approvalsRequired });
    if (approvalsRequired) {
      // The agent of a session that may delegate can let others delegate.
      assertStartAllowed(request, parent === undefined ? offers : []);
      assertAsksForApproval(runtime.registry.find(choice.agent).manifest, {
        mode: choice.mode ?? "default",
        settings: choice.settings,
        probeResult: await runtime.probe(choice.agent),
      });
    }
    const limits = chooseLimits(request.limits, await this.#workspaceLimits(choice), approvalsRequired);
    const options = {
      agent: choice.agent,
      workspace,
      settings: choice.settings,
      ...(choice.mode && { mode: choice.mode }),
      ...(sandbox && { sandbox }),
      ...(limits && { limits }),
      ...(policy && { policy }),
      ...(room !== undefined && { room }),
      ...(brief !== undefined && { brief }),
      ...(isolated && { isolated }),
      ...(park !== undefined && { park }),
      ...(moving !== undefined && { moving }),
      ...(offers.length > 0 && { tools: offers }),
      ...(toolProgram && { toolProgram }),
      ...(parent !== undefined && { parent }),
      ...(mcpServers && { mcpServers }),
      approvalsRequired,
    };
    const start = (session: string): Promise<Session> => runtime.start({ ...options, session, ...(name && { name }) });
    return await this.#startSession(context, start, prompt);
  }

  /** Returns the limits of the workspace file, as far as the agent reports what they limit. */
  async #workspaceLimits({ agent, limits }: SelectedAgent): Promise<SpendingLimits | undefined> {
    const { runtime } = this.#options;
    if (limits === undefined) return undefined;
    return keepableLimits(runtime.registry.find(agent).manifest, await runtime.probe(agent), limits);
  }

  async send(id: string, text: string, context: CommandContext): Promise<{ turn: string }> {
    const turn = await this.#withSession(id, context, async (session) => {
      await wakeSession(session);
      return await session.send(text, context.key);
    });
    return { turn };
  }

  async steer(id: string, text: string, context: CommandContext): Promise<void> {
    await this.#withSession(id, context, (session) => session.steer(text, context.key));
  }

  async inject(id: string, text: string, context: CommandContext): Promise<void> {
    await this.#withSession(id, context, (session) => session.inject(text, context.key));
  }

  async updateBrief(id: string, brief: Brief, context: CommandContext): Promise<void> {
    await this.#withSession(id, context, (session) => session.updateBrief(brief, context.key));
  }

  async answer(id: string, decision: string, answer: Answer, context: CommandContext): Promise<void> {
    const { policyFile } = this.#options;
    await this.#withSession(id, context, (session) => answerDecision(session, policyFile, decision, answer, context));
  }

  async interrupt(id: string, context: CommandContext): Promise<{ turn: string }> {
    return { turn: await this.#withSession(id, context, (session) => session.interrupt(context.key, context.label)) };
  }

  async pause(id: string, context: CommandContext): Promise<Checkpoint> {
    const { queries } = this.#options;
    const { state, last } = await queries.session(id);
    if (state !== "paused") {
      await this.#withSession(id, context, async (session) => {
        await session.pause(context.key, context.label);
        await waitForEvent(session, last, "session.paused");
        // The agent may have died meanwhile.
        if (session.state.ledger.over) throw commandRejected("session-ended");
      });
    }
    return await queries.checkpoint(id);
  }

  async resume(id: string, request: ResumeRequest, context: CommandContext): Promise<SessionView> {
    const { runtime, queries } = this.#options;
    const { outcome = "native", limits } = request;
    const approvalsRequired = context.approvalsRequired || request.approvalsRequired === true;
    const mayRaise = !approvalsRequired;
    if (request.approvalsRequired === true) await this.assertSessionAsks(id);
    if (outcome === "native" && (await queries.session(id)).state !== "ended") {
      await this.#withSession(id, context, async (session) => {
        const { key, label } = context;
        if (limits !== undefined) await session.limit(limits, { mayRaise, key: `${key}-limit`, label });
        await wakeSession(session);
      });
      return await queries.session(id);
    }
    if (!mayRaise && limits !== undefined && raisesLimit((await queries.session(id)).limits ?? {}, limits))
      throw commandRejected("not-allowed");
    const endSession = async (): Promise<void> => {
      const { state, lead } = await queries.session(id);
      if (lead === "human" || !quietStates.has(state)) {
        const hint = `Session ${id} is ${lead === "human" ? "led by a person" : state}. Stop it first with: fairlead stop ${id}`;
        throw new FairleadError("conflict", hint);
      }
      await this.stop(id, context);
    };
    return await this.#startSession(context, (newId) =>
      runtime.resume(id, outcome, { newId, endSession, approvalsRequired, ...(limits && { limits }) }),
    );
  }

  async fork(id: string, { name, workspace, outcome }: ForkRequest, context: CommandContext): Promise<SessionView> {
    if (workspace !== undefined) assertWorkspace(workspace);
    const { approvalsRequired } = context;
    const limits = workspace !== undefined && approvalsRequired ? await this.#forkLimits(id, workspace) : undefined;
    const chosen = { ...(name && { name }), ...(workspace && { workspace }), ...(outcome && { outcome }) };
    const options = { ...chosen, approvalsRequired, ...(limits && { limits }) };
    await this.#options.sessions.recoverOne(id).catch(() => {}); // otherwise the fork would attach beside a recovery
    return await this.#startSession(context, (session) => this.#options.runtime.fork(id, { ...options, session }));
  }

  /** Returns the limits of a workspace file that a fork into the workspace must keep. */
  async #forkLimits(id: string, workspace: string): Promise<SpendingLimits | undefined> {
    const { runtime, queries, environment, fallback, trusts } = this.#options;
    const { agent } = await queries.opening(id);
    const defaults = { workspace, environment, fallback, trusts };
    return await this.#workspaceLimits(selectAgent(runtime.registry, { ...defaults, agent, approvalsRequired: true }));
  }

  bring(id: string): Promise<BroughtBranch> {
    return this.#options.runtime.copies.bring(id);
  }

  async stop(id: string, context: CommandContext): Promise<SessionView> {
    const { queries, sessions } = this.#options;
    const { state, last } = await queries.session(id);
    if (state !== "ended") {
      const error = await this.#end(id, last, context).then(
        () => new FairleadError("timed-out", "The session did not end in time."),
        (reason: unknown) => reason,
      );
      // A person can always stop an agent: also if its keeper does not respond, or its files are damaged.
      if ((await queries.session(id)).state !== "ended") await sessions.endByForce(id, error);
    }
    return await queries.session(id);
  }

  /** Ends a session by a command to its agent. Resolves when it has ended, or did not end in time. */
  async #end(id: string, last: number, context: CommandContext): Promise<void> {
    const signal = AbortSignal.timeout(stopTimeout);
    const ending = this.#withSession(id, context, async (session) => {
      await session.end(context.key, context.label);
      await waitForEvent(session, last, "session.ended", signal);
    });
    ending.catch(() => {}); // it may fail after the timeout, when the session is killed
    await Promise.race([ending, once(signal, "abort")]);
  }

  async takeOver(id: string, size: TerminalSize, context: CommandContext): Promise<void> {
    await this.#withSession(id, context, (session) => session.takeOver(size, context.key, context.label));
  }

  async handBack(id: string, context: CommandContext): Promise<void> {
    await this.#withSession(id, context, (session) => session.handBack(context.key));
  }

  async forget(id: string, { key }: CommandContext): Promise<void> {
    const { runtime, forgetOutcomes } = this.#options;
    await runtime.forget(id, () => forgetOutcomes(id, key));
  }

  /** Checks the mode, the settings and the policy of a session. A continuation or fork inherits them. */
  async assertSessionAsks(id: string): Promise<void> {
    const { runtime, queries } = this.#options;
    const { agent, mode, settings, policy } = await queries.opening(id);
    const probeResult = await runtime.probe(agent);
    const { manifest } = runtime.registry.find(agent);
    assertAsksForApproval(manifest, { mode, settings, probeResult, ...(policy && { policy }) });
  }

  async #withSession<Result>(
    id: string,
    { isRetry }: CommandContext,
    action: (session: Session) => Promise<Result>,
  ): Promise<Result> {
    const { sessions } = this.#options;
    return isRetry ? await sessions.retryWithSession(id, action) : await sessions.withSession(id, action);
  }

  /** Starts a session with the id that is derived from the key, unless an earlier attempt has started it. */
  async #startSession(
    { key }: CommandContext,
    start: (id: string) => Promise<Session>,
    prompt?: string,
  ): Promise<SessionView> {
    const { runtime, sessions, queries } = this.#options;
    const id = idFromKey(key);
    try {
      const isKnown = await runtime.catalog.has(id);
      const session = isKnown ? await sessions.get(id) : await sessions.adopt(start(id), id);
      if (prompt !== undefined) await session.send(prompt, key);
    } catch (error) {
      // An agent that failed at once was still started. The events of its session show the failure.
      if (!FairleadError.is(error, "session-ended")) throw error;
    }
    return await queries.session(id);
  }
}
