import type { Fairlead, SessionView } from "@fairlead/api";
import {
  briefUpdateIntroduction,
  FairleadError,
  isSameJson,
  keyedMap,
  type ErrorCode,
  type PermissionMode,
} from "@fairlead/contract";
import { AgentBrief } from "./agent-brief.ts";
import type { ResumeAgentState, SerializedAgentState } from "./agent-state.ts";
import { mockAgent, scriptedMessage, getMockScript } from "./mock-script.ts";
import { findDecision } from "./events/shim-ids.ts";
import { deriveAgentStatus } from "./events/shim-state.ts";
import { requiresApprovals } from "./requires-approvals.ts";
import { parseResolution, type ResolveRequest } from "./resolution.ts";
import { ShimRuns } from "./shim-runs.ts";
import { ShimSession, type AgentHandle } from "./shim-session.ts";
import { toBrief } from "./to-brief.ts";
import { toStartRequest } from "./to-start-request.ts";

export interface ShimOptions {
  readonly fairlead: Fairlead;
  /** The agents' working directory, as an absolute path. */
  readonly workspace: string;
  /** The agent. Default: the choice of the workspace or the environment. */
  readonly agent?: string;
  readonly mock: boolean;
  /**
   * The modes that a brief may select although the agent does not ask for approval in them. Default: none. With
   * `dangerously-skip-permissions`, also agents that never ask and all settings are permitted.
   */
  readonly allowedModes?: readonly PermissionMode[];
}

export interface KillResponse {
  readonly state: SerializedAgentState | null;
  readonly artifactsExtracted: number;
  readonly cleanShutdown: boolean;
}

/** The commands of the shim protocol, which has one agent at a time. */
export class Shim {
  readonly runs = new ShimRuns();
  readonly #options: ShimOptions;
  #queue: Promise<unknown> = Promise.resolve();

  constructor(options: ShimOptions) {
    const agent = options.mock ? mockAgent : options.agent;
    this.#options = { ...options, ...(agent !== undefined && { agent }) };
  }

  spawn(brief: AgentBrief): Promise<AgentHandle> {
    return this.#enqueue(async () => {
      await this.#releasePrevious(null);
      const { fairlead, mock } = this.#options;
      const { goal, ...rest } = toBrief(brief);
      const task = { ...rest, goal: mock ? scriptedMessage(goal, brief, 0) : goal };
      const request = await toStartRequest(brief, this.#options);
      const { session, agent } = await fairlead.start({ ...request, brief: task }).catch(async (error: unknown) => {
        if (!FairleadError.is(error, "not-supported")) throw error;
        // The agent executes each message as it is.
        return await fairlead.start({ ...request, prompt: goal });
      });
      return await this.#begin(new ShimSession(fairlead, { session, agent, brief, mock }));
    });
  }

  kill(grace: boolean): Promise<KillResponse> {
    return this.#enqueue(async () => {
      const { fairlead } = this.#options;
      const run = this.runs.current();
      const state = grace ? await run.serialize(await fairlead.checkpoint(run.session), "kill_grace") : null;
      const { reason } = await fairlead.stop(run.session);
      const { files } = await run.state();
      return { state, artifactsExtracted: files.size, cleanShutdown: reason === "stopped" || reason === "finished" };
    });
  }

  pause(): Promise<SerializedAgentState> {
    return this.#enqueue(async () => {
      const run = this.runs.current();
      return await run.serialize(await this.#options.fairlead.pause(run.session), "pause");
    });
  }

  /** Resumes a serialized agent, of this or another process. An interrupted agent gets a message to continue. */
  resume(savedState: ResumeAgentState): Promise<AgentHandle> {
    return this.#enqueue(async () => {
      const { fairlead, mock } = this.#options;
      const { briefSnapshot: brief, checkpoint } = savedState;
      const view = this.#assertOwnSession(
        await fairlead.session(checkpoint?.stateSnapshot?.session ?? savedState.sessionId),
      );
      await this.#releasePrevious(view.session);
      const options = { agent: view.agent, brief, mock };
      const knownRun = this.runs.find(view.session) ?? new ShimSession(fairlead, { session: view.session, ...options });
      const state = await knownRun.state();
      const { injected } = await fairlead.checkpoint(view.session);
      const startPosition = knownRun.position(state) ?? 0;
      const approvalsRequired = requiresApprovals(view.mode, this.#options);
      const { session } = await fairlead.resume(view.session, { approvalsRequired });
      const run =
        session === view.session ? knownRun : new ShimSession(fairlead, { session, ...options, startPosition });
      const message = mock ? scriptedMessage(continuePrompt, brief, startPosition) : continuePrompt;
      const hasWorkLeft = mock
        ? startPosition < getMockScript(brief).length
        : state.outcome !== "completed" || injected.length > 0;
      if (state.turn === null && hasWorkLeft) {
        // The agent may not have read what was sent into a turn that was then cut off.
        const steered = state.outcome === "interrupted" ? keyedMap.values(state.steered) : [];
        // A brief that it may not have read waits for the next message already.
        for (const text of steered) if (!text.startsWith(briefUpdateIntroduction)) await fairlead.inject(session, text);
        await fairlead.send(session, message);
      }
      return await this.#begin(run);
    });
  }

  /** Answers a decision. Returns false if it is unknown, and throws if it is no longer open. */
  async resolve({ decisionId, resolution }: ResolveRequest): Promise<boolean> {
    const run = this.runs.current();
    const found = findDecision(await run.state(), decisionId);
    if (found === undefined) return false;
    const { request, details } = found;
    const { decision, digest } = details;
    const question = details.questions[found.index]?.text;
    const isAnswered = question !== undefined && question in (run.partialAnswers.get(request) ?? {});
    if (!details.isOpen || isAnswered) {
      throw new FairleadError("decision-not-open", `Decision ${decisionId} is already resolved.`);
    }
    const { fairlead } = this.#options;
    const { capabilities } = await fairlead.session(run.session);
    const answer = parseResolution(resolution, found, capabilities);
    if (answer.type !== "chosen") {
      await fairlead.answer(run.session, decision, { ...answer, digest });
      return true;
    }
    const answers = { ...run.partialAnswers.get(request), [answer.question]: answer.label };
    run.partialAnswers.set(request, answers);
    if (Object.keys(answers).length >= details.questions.length) {
      await fairlead.answer(run.session, decision, { type: "choose", digest, answers });
    }
    return true;
  }

  /** Serializes the running agent. Returns null if the decision is unknown. */
  async checkpoint(decisionId: string | undefined): Promise<SerializedAgentState | null> {
    const run = this.runs.current();
    if (decisionId !== undefined && findDecision(await run.state(), decisionId) === undefined) return null;
    return await run.serialize(await this.#options.fairlead.checkpoint(run.session), "decision_checkpoint");
  }

  /** Gives context to the agent: at once if it works and can receive it, otherwise with its next message. */
  async inject(text: string): Promise<void> {
    const { fairlead } = this.#options;
    const { session } = this.runs.current();
    const { state, capabilities } = await fairlead.session(session);
    if (capabilities.includes("steer") && turnStates.includes(state) && (await this.#steer(session, text))) return;
    await fairlead.inject(session, text);
  }

  /** Changes any field of the brief except the agent's id, and gives the agent the whole brief if it reads differently. */
  async updateBrief(update: Readonly<Record<string, unknown>>): Promise<void> {
    const run = this.runs.current();
    const changes = Object.fromEntries(Object.entries(update).filter(([name]) => name !== "agentId"));
    const brief = AgentBrief.safeParse({ ...run.brief, ...changes });
    if (!brief.success) throw new FairleadError("invalid-request", brief.error.message);
    const changedFields = new Set([...run.changedFields, ...Object.keys(changes)]);
    const task = toBrief(brief.data, changedFields);
    if (!isSameJson(task, toBrief(run.brief, run.changedFields)))
      await this.#options.fairlead.updateBrief(run.session, task);
    run.brief = brief.data;
    run.changedFields = changedFields;
  }

  /** Sends a text into the open turn. Returns false if that ended before, or the agent did not take it. */
  async #steer(session: string, text: string): Promise<boolean> {
    try {
      await this.#options.fairlead.steer(session, text);
      return true;
    } catch (error) {
      if (FairleadError.isInstance(error) && notSteered.includes(error.code)) return false;
      throw error;
    }
  }

  /** Runs commands one at a time, because concurrent commands to the one agent would have no defined result. */
  #enqueue<Result>(action: () => Promise<Result>): Promise<Result> {
    const result = this.#queue.then(action);
    this.#queue = result.catch(() => {});
    return result;
  }

  /** Makes way for the next run: stops a finished agent, leaves a paused one, and throws if one is running. */
  async #releasePrevious(forSession: string | null): Promise<void> {
    const run = this.runs.latest;
    if (run === undefined || run.session === forSession) return;
    const status = deriveAgentStatus(await run.state());
    if (["running", "waiting_on_human"].includes(status))
      throw new FairleadError("conflict", "An agent is running. Stop it with: POST /kill");
    if (status !== "paused") await this.#options.fairlead.stop(run.session);
  }

  async #begin(run: ShimSession): Promise<AgentHandle> {
    this.runs.add(run);
    return await run.handle();
  }

  /** A client may send any state, so a session of another workspace or agent is rejected. */
  #assertOwnSession(view: SessionView): SessionView {
    const { workspace, agent = view.agent } = this.#options;
    if (view.workspace === workspace && view.agent === agent) return view;
    throw new FairleadError("not-allowed", "The session belongs to another workspace or another agent.");
  }
}

/** States with an open turn. */
const turnStates: readonly SessionView["state"][] = ["working", "waiting", "silent", "stuck"];
/** Errors after which a text can still be sent with the next message. */
const notSteered: readonly ErrorCode[] = ["no-open-turn", "not-supported", "session-paused", "too-large"];

const continuePrompt = "Continue with what you were doing when you were paused.";
