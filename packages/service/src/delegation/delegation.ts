import type { SessionView, StartRequest } from "@fairlead/api";
import { FairleadError, type Event, type Opening, type ToolContext } from "@fairlead/contract";
import { idFromKey, KeyedMutex, type Sessions } from "@fairlead/runtime";
import type { CommandContext } from "../command-methods.ts";
import type { Commands } from "../commands.ts";
import type { Queries } from "../queries.ts";
import { divideLimits, returnUnused } from "./divide-limits.ts";
import { narrowRequest } from "./narrow-request.ts";

/** How many sessions agents may start. */
export interface DelegationBounds {
  /** How many sessions may be above one that an agent starts. */
  readonly depth: number;
  /** How many sessions that one agent started may be open at the same time. */
  readonly children: number;
}

export const delegationBounds: DelegationBounds = { depth: 2, children: 4 };

export interface DelegationOptions {
  readonly handlers: Pick<Commands, "start" | "stop">;
  readonly queries: Pick<Queries, "session" | "opening" | "checkpoint" | "listDelegated">;
  readonly sessions: Pick<Sessions, "withSession">;
  readonly bounds?: DelegationBounds;
}

/**
 * Sessions that agents start, by the tool `start_session`. Each gets a part of its parent's limits, and at most its parent's
 * sandbox, mode and policy. It ends with its parent, also if the parent ended while no process followed it.
 */
export class Delegation {
  readonly #options: DelegationOptions;
  readonly #bounds: DelegationBounds;
  /** The open sessions that each session has started. */
  readonly #children = new Map<string, Set<string>>();
  /** The session that has started each open one. */
  readonly #parents = new Map<string, string>();
  /** Held while a session starts another one, so that two calls cannot both take the last place. */
  readonly #mutex = new KeyedMutex();
  #isClosed = false;

  constructor(options: DelegationOptions) {
    this.#options = options;
    this.#bounds = options.bounds ?? delegationBounds;
  }

  /** The open sessions that a session has started. */
  childrenOf(parent: string): readonly string[] {
    return [...(this.#children.get(parent) ?? [])];
  }

  /** Starts a session for the agent of another one. A repeated call with the same key finds the same session. */
  async start(request: StartRequest, { session: parent, key }: ToolContext): Promise<SessionView> {
    return await this.#mutex.run(parent, () => this.#start(request, parent, `delegated-${key}`));
  }

  /** Finds the sessions that agents started, and stops those whose parent has ended. */
  async restore(): Promise<void> {
    for await (const { session, parent } of this.#options.queries.listDelegated()) {
      this.#add(parent, session);
      if (!(await this.#isOpen(parent))) await this.#stopWithParent(session);
    }
  }

  /** Follows the events of all sessions. */
  onEvent({ session, body }: Pick<Event, "session" | "body">): void {
    if (body.type === "session.started" && body.parent !== undefined) this.#add(body.parent.session, session);
    if (body.type !== "session.ended") return;
    for (const child of this.childrenOf(session)) void this.#stopWithParent(child);
    const parent = this.#parents.get(session);
    if (parent === undefined) return;
    this.#remove(parent, session);
    void this.#returnLimits(parent, session);
  }

  /** Stops nothing: sessions continue without this process. */
  [Symbol.dispose](): void {
    this.#isClosed = true;
  }

  async #start(request: StartRequest, parent: string, key: string): Promise<SessionView> {
    const { handlers, queries } = this.#options;
    const opening = await queries.opening(parent);
    const session = idFromKey(key);
    const isRepeated = this.childrenOf(parent).includes(session);
    const depth = (opening.parent?.depth ?? 0) + 1;
    if (!isRepeated) await this.#assertWithinBounds(parent, depth);
    const limits = isRepeated ? {} : await this.#takeLimits(parent, session, request);
    const context: CommandContext = {
      key,
      isRetry: isRepeated,
      label: `session ${parent}`,
      approvalsRequired: true,
      parent: { session: parent, depth, mode: opening.mode, ...pickBounds(opening) },
    };
    try {
      const started = await handlers.start({ ...narrowRequest(request, opening), ...limits }, context);
      // The parent may have ended meanwhile, before this one was known as its child.
      if (!(await this.#isOpen(parent))) await this.#stopWithParent(session);
      return started;
    } catch (error) {
      if (!this.childrenOf(parent).includes(session)) await this.#returnLimits(parent, session, limits.limits);
      throw error;
    }
  }

  async #assertWithinBounds(parent: string, depth: number): Promise<void> {
    const { depth: maxDepth, children } = this.#bounds;
    if (depth > maxDepth)
      throw new FairleadError("not-allowed", `At most ${maxDepth} sessions may be above a session. Do it yourself.`);
    if (this.childrenOf(parent).length >= children) {
      const message = `You have ${children} open sessions, the most that are allowed. Stop one with \`stop_session\` first.`;
      throw new FairleadError("not-allowed", message);
    }
    if (!(await this.#isOpen(parent))) throw new FairleadError("session-ended", "Your own session has ended.");
  }

  /** Takes a part of the parent's limits for a session. Before it starts, so that a crash cannot spend the part twice. */
  async #takeLimits(parent: string, session: string, request: StartRequest): Promise<Pick<StartRequest, "limits">> {
    const { limits, spent } = await this.#options.queries.checkpoint(parent);
    if (limits === undefined || spent === undefined)
      return request.limits === undefined ? {} : { limits: request.limits };
    const shares = this.#bounds.children - this.childrenOf(parent).length + 1;
    const division = divideLimits(limits, spent, request.limits ?? {}, shares);
    await this.#setLimits(parent, division.parent, `take-${session}`);
    return { limits: division.child };
  }

  /** Returns what a session has not used of its part. If this fails, the parent has less than it could have. */
  async #returnLimits(parent: string, session: string, part?: StartRequest["limits"]): Promise<void> {
    const { queries } = this.#options;
    try {
      const given = part ?? (await queries.opening(session)).limits;
      const { limits } = await queries.checkpoint(parent);
      if (given === undefined || limits === undefined || !(await this.#isOpen(parent))) return;
      const spent = part === undefined ? (await queries.checkpoint(session)).spent : undefined;
      const raised = returnUnused(limits, given, spent ?? { usd: 0, tokens: 0, seconds: 0 });
      if (Object.keys(raised).length > 0) await this.#setLimits(parent, raised, `return-${session}`);
    } catch {
      // The parent has ended, or its keeper is gone.
    }
  }

  async #setLimits(session: string, limits: NonNullable<StartRequest["limits"]>, key: string): Promise<void> {
    const change = { mayRaise: true, key, label: "delegation" };
    await this.#options.sessions.withSession(session, (driven) => driven.limit(limits, change));
  }

  /** Stops a session whose parent has ended. If this fails, `restore` of the next process does it. */
  async #stopWithParent(session: string): Promise<void> {
    if (this.#isClosed) return;
    const context = {
      key: `stop-${session}-with-parent`,
      isRetry: false,
      label: "delegation",
      approvalsRequired: false,
    };
    await this.#options.handlers.stop(session, context).catch(() => {});
  }

  async #isOpen(session: string): Promise<boolean> {
    try {
      return (await this.#options.queries.session(session)).state !== "ended";
    } catch (error) {
      if (FairleadError.is(error, "session-not-found")) return false;
      throw error;
    }
  }

  #add(parent: string, session: string): void {
    this.#parents.set(session, parent);
    this.#children.set(parent, (this.#children.get(parent) ?? new Set()).add(session));
  }

  #remove(parent: string, session: string): void {
    this.#parents.delete(session);
    const children = this.#children.get(parent);
    children?.delete(session);
    if (children?.size === 0) this.#children.delete(parent);
  }
}

function pickBounds({ sandbox, policy }: Opening): Pick<Opening, "sandbox" | "policy"> {
  return { ...(sandbox !== undefined && { sandbox }), ...(policy !== undefined && { policy }) };
}
