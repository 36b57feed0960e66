import type { Fairlead, SessionView } from "@fairlead/api";
import { FairleadError } from "@fairlead/contract";
import { AgentBrief } from "./agent-brief.ts";
import type { GivenState, SerializedAgentState } from "./agent-state.ts";
import { agentStatus } from "./agent-status.ts";
import { briefChange, briefToPrompt } from "./brief-to-prompt.ts";
import { mockAgent, scripted, scriptOf } from "./mock-script.ts";
import { findDecision } from "./question-ids.ts";
import { decidedOf, type ResolveRequest } from "./resolution.ts";
import { Runs } from "./runs.ts";
import { ShimSession, type AgentHandle } from "./shim-session.ts";
import { startOf } from "./start-of.ts";

export interface ShimOptions {
  readonly fairlead: Fairlead;
  /** Where agents work; an absolute path. */
  readonly workspace: string;
  /** Which agent; what the workspace or the environment chooses, if nobody says. */
  readonly agent?: string;
  readonly mock: boolean;
}

export interface KillResponse {
  readonly state: SerializedAgentState | null;
  readonly artifactsExtracted: number;
  readonly cleanShutdown: boolean;
}

/** The commands of this protocol, which knows of one agent at a time. */
export class Shim {
  readonly runs = new Runs();
  readonly #options: ShimOptions;
  #busy: Promise<unknown> = Promise.resolve();

  constructor(options: ShimOptions) {
    const agent = options.mock ? mockAgent : options.agent;
    this.#options = { ...options, ...(agent !== undefined && { agent }) };
  }

  spawn(brief: AgentBrief): Promise<AgentHandle> {
    return this.#alone(async () => {
      await this.#makeRoom(null);
      const { fairlead, mock } = this.#options;
      const text = briefToPrompt(brief);
      const prompt = mock ? scripted(text, brief, 0) : text;
      const { session, agent } = await fairlead.start({ ...(await startOf(brief, this.#options)), prompt });
      return await this.#begin(new ShimSession(fairlead, { session, agent, brief, mock }));
    });
  }

  kill(grace: boolean): Promise<KillResponse> {
    return this.#alone(async () => {
      const { fairlead } = this.#options;
      const run = this.runs.current();
      const state = grace ? await run.serialized(await fairlead.checkpoint(run.session), "kill_grace") : null;
      const { reason } = await fairlead.stop(run.session);
      const { files } = await run.state();
      return { state, artifactsExtracted: files.length, cleanShutdown: reason === "stopped" || reason === "finished" };
    });
  }

  pause(): Promise<SerializedAgentState> {
    return this.#alone(async () => {
      const run = this.runs.current();
      return await run.serialized(await this.#options.fairlead.pause(run.session), "pause");
    });
  }

  /** Takes up what was written down, here or by another process; an agent that was interrupted is told to go on. */
  resume(given: GivenState): Promise<AgentHandle> {
    return this.#alone(async () => {
      const { fairlead, mock } = this.#options;
      const { briefSnapshot: brief, checkpoint } = given;
      const view = this.#accepted(await fairlead.session(checkpoint?.stateSnapshot?.session ?? given.sessionId));
      await this.#makeRoom(view.session);
      const options = { agent: view.agent, brief, mock };
      const known = this.runs.find(view.session) ?? new ShimSession(fairlead, { session: view.session, ...options });
      const state = await known.state();
      const { injected } = await fairlead.checkpoint(view.session);
      const begun = known.position(state) ?? 0;
      const { session } = await fairlead.resume(view.session);
      const run = session === view.session ? known : new ShimSession(fairlead, { session, ...options, begun });
      const message = mock ? scripted(goOn, brief, begun) : goOn;
      const isLeft = mock ? begun < scriptOf(brief).length : state.outcome !== "completed" || injected.length > 0;
      if (state.turn === null && isLeft) await fairlead.send(session, message);
      return await this.#begin(run);
    });
  }

  /** False when no such decision was ever asked; one that is no longer open is refused. */
  async resolve({ decisionId, resolution }: ResolveRequest): Promise<boolean> {
    const run = this.runs.current();
    const found = findDecision(await run.state(), decisionId);
    if (found === undefined) return false;
    const { decision, asked } = found;
    const question = asked.questions[found.index]?.text;
    const isChosen = question !== undefined && question in (run.chosen.get(decision) ?? {});
    if (!asked.open || isChosen) {
      throw new FairleadError("decision-not-open", `Decision ${decisionId} was resolved already.`);
    }
    const decided = decidedOf(resolution, found);
    const { fairlead } = this.#options;
    if (decided.type !== "chosen") {
      await fairlead.answer(run.session, decision, decided);
      return true;
    }
    const answers = { ...run.chosen.get(decision), [decided.question]: decided.label };
    run.chosen.set(decision, answers);
    if (Object.keys(answers).length >= asked.questions.length) {
      await fairlead.answer(run.session, decision, { type: "choose", answers });
    }
    return true;
  }

  /** Null when it is about a decision that was never asked. */
  async checkpoint(decisionId: string | undefined): Promise<SerializedAgentState | null> {
    const run = this.runs.current();
    if (decisionId !== undefined && findDecision(await run.state(), decisionId) === undefined) return null;
    return await run.serialized(await this.#options.fairlead.checkpoint(run.session), "decision_checkpoint");
  }

  async inject(text: string): Promise<void> {
    await this.#options.fairlead.inject(this.runs.current().session, text);
  }

  /** Who it is stays as it is; everything else may be told anew. */
  async updateBrief(given: Readonly<Record<string, unknown>>): Promise<void> {
    const run = this.runs.current();
    const changes = Object.fromEntries(Object.entries(given).filter(([name]) => name !== "agentId"));
    const brief = AgentBrief.safeParse({ ...run.brief, ...changes });
    if (!brief.success) throw new FairleadError("invalid-request", brief.error.message);
    if (Object.keys(changes).length === 0) return;
    await this.#options.fairlead.inject(run.session, briefChange(changes));
    run.brief = brief.data;
  }

  /** One command after the other: what two of them would do to the one agent at once, nobody could say. */
  #alone<Result>(act: () => Promise<Result>): Promise<Result> {
    const done = this.#busy.then(act);
    this.#busy = done.catch(() => {});
    return done;
  }

  /** There is one agent at a time. One that is done gives way; one that is paused is left as it is. */
  async #makeRoom(forSession: string | null): Promise<void> {
    const run = this.runs.last;
    if (run === undefined || run.session === forSession) return;
    const status = agentStatus(await run.state());
    if (["running", "waiting_on_human"].includes(status)) throw new FairleadError("conflict", "An agent is running.");
    if (status !== "paused") await this.#options.fairlead.stop(run.session);
  }

  async #begin(run: ShimSession): Promise<AgentHandle> {
    this.runs.add(run);
    return await run.handle();
  }

  /** A state comes from outside, and must not open sessions that this shim is not about. */
  #accepted(view: SessionView): SessionView {
    const { workspace, agent = view.agent } = this.#options;
    if (view.workspace === workspace && view.agent === agent) return view;
    throw new FairleadError("not-allowed", "That session is of another workspace or another agent.");
  }
}

const goOn = "Go on with what you were doing when you were paused.";
