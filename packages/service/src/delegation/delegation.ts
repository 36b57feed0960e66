import type { SessionView, StartRequest } from "@fairlead/api";
import { FairleadError, tightenLimits, type Event, type Opening, type ToolContext } from "@fairlead/contract";
import type { SpendingLimits, Spent } from "@fairlead/contract";
import { idFromKey, KeyedMutex, type Sessions } from "@fairlead/runtime";
import type { CommandContext } from "../command-methods.ts";
import type { Commands } from "../commands.ts";
import type { Queries } from "../queries.ts";
import { divideLimits, returnUnused } from "./divide-limits.ts";
import { narrowRequest } from "./narrow-request.ts";

const noneSpent: Spent = { usd: 0, tokens: 0, seconds: 0 };

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
  readonly bounds?: DelegationBounds | undefined;
  /** Stops a session that another host has. Of hosts of a fleet. */
  readonly stopElsewhere?: ((session: string, key: string) => Promise<unknown>) | undefined;
}

/** Milliseconds between two looks at the sessions that other hosts have, whose events this process does not see. */
const checkInterval = 30_000;

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
  /** Resolves when the sessions are known that were open when this process began. */
  #found: Promise<void> = Promise.resolve();
  readonly #checks: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: DelegationOptions) {
    this.#options = options;
    this.#bounds = options.bounds ?? delegationBounds;
    if (options.stopElsewhere === undefined) return;
    this.#checks = setInterval(() => void this.check().catch(() => {}), checkInterval).unref();
  }

  /** The open sessions that a session has started. */
  childrenOf(parent: string): readonly string[] {
    return [...(this.#children.get(parent) ?? [])];
  }

  /** Starts a session for the agent of another one. A repeated call with the same key finds the same session. */
  async start(request: StartRequest, { session: parent, key, signal }: ToolContext): Promise<SessionView> {
    await this.#found;
    return await this.#mutex.run(parent, async () => {
      // The turn may have been interrupted while this call waited for another one.
      if (signal.aborted) throw new FairleadError("not-allowed", "The call was canceled.");
      return await this.#start(request, parent, `delegated-${key}`);
    });
  }

  /** Finds the sessions that agents started, and stops those whose parent has ended. */
  async restore(): Promise<void> {
    const finding = this.#find();
    this.#found = finding.catch(() => {});
    await finding;
    const stopped = [...this.#children].map(async ([parent, children]) => {
      if (await this.#isOpen(parent)) return;
      await Promise.all([...children].map((session) => this.#stopWithParent(session)));
    });
    await Promise.all(stopped);
  }

  async #find(): Promise<void> {
    for await (const { session, parent } of this.#options.queries.listDelegated()) this.#add(parent, session);
  }

  /** Follows the events of all sessions. */
  onEvent({ session, body }: Pick<Event, "session" | "body">): void {
    if (body.type === "session.started" && body.parent !== undefined) this.#add(body.parent.session, session);
    if (body.type !== "session.ended") return;
    for (const child of this.childrenOf(session)) void this.#stopWithParent(child);
    const parent = this.#parents.get(session);
    if (parent !== undefined) this.#forgetChild(parent, session);
  }

  /** A child has ended. */
  #forgetChild(parent: string, session: string): void {
    this.#remove(parent, session);
    void this.#returnUnused(parent, session);
  }

  /** Notes the parent of a session that has come from another host. */
  async onArrival(session: string): Promise<void> {
    const { parent } = await this.#options.queries.opening(session);
    if (parent !== undefined) this.#add(parent.session, session);
  }

  /** Looks at the sessions that agents started: a child, or its parent, may have ended on another host. */
  async check(): Promise<void> {
    for (const [session, parent] of this.#parents)
      if (!(await this.#isOpen(session))) this.#forgetChild(parent, session);
      else if (!(await this.#isOpen(parent))) await this.#stopWithParent(session);
  }

  /** Stops nothing: sessions continue without this process. */
  [Symbol.dispose](): void {
    this.#isClosed = true;
    clearInterval(this.#checks);
  }

  async #start(request: StartRequest, parent: string, key: string): Promise<SessionView> {
    const { handlers, queries } = this.#options;
    const opening = await queries.opening(parent);
    const session = idFromKey(key);
    const isRepeated = await this.#isKnown(session);
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
      if (limits.limits !== undefined && !(await this.#isKnown(session)))
        await this.#raiseLimits(parent, session, limits.limits, noneSpent).catch(() => {});
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

  /**
   * Returns what a session has not used of its part to its parent, or to the next session above that is open. If this
   * fails, that session has less than it could have.
   */
  async #returnUnused(parent: string, session: string): Promise<void> {
    const { queries } = this.#options;
    try {
      const [{ limits: part }, { limits: left, spent }] = [
        await queries.opening(session),
        await queries.checkpoint(session),
      ];
      if (part === undefined || left === undefined || spent === undefined) return;
      const receiver = await this.#findOpen(parent);
      if (receiver === null) return;
      // It may have given parts away, and a person may have raised its limit.
      const unused = tightenLimits(part, left);
      await this.#mutex.run(receiver, () => this.#raiseLimits(receiver, session, unused, spent));
    } catch {
      // The session above has ended, or its keeper is gone.
    }
  }

  async #findOpen(session: string): Promise<string | null> {
    for (let found: string | undefined = session; found !== undefined;) {
      if (await this.#isOpen(found)) return found;
      found = (await this.#options.queries.opening(found)).parent?.session;
    }
    return null;
  }

  /** Call it while no other call changes the limits of the session. */
  async #raiseLimits(parent: string, session: string, part: SpendingLimits, spent: Spent): Promise<void> {
    const { limits } = await this.#options.queries.checkpoint(parent);
    const raised = limits === undefined ? {} : returnUnused(limits, part, spent);
    if (Object.keys(raised).length > 0) await this.#setLimits(parent, raised, `return-${session}`);
  }

  async #setLimits(session: string, limits: SpendingLimits, key: string): Promise<void> {
    const change = { mayRaise: true, key, label: "delegation" };
    await this.#options.sessions.withSession(session, (driven) => driven.limit(limits, change));
  }

  /** Stops a session whose parent has ended. If this fails, the next check does it, or `restore` of the next process. */
  async #stopWithParent(session: string): Promise<void> {
    if (this.#isClosed) return;
    const context = {
      key: `stop-${session}-with-parent`,
      isRetry: false,
      label: "delegation",
      approvalsRequired: false,
    };
    const { handlers, stopElsewhere } = this.#options;
    try {
      await handlers.stop(session, context);
    } catch (error) {
      if (FairleadError.is(error, "fenced")) await stopElsewhere?.(session, context.key).catch(() => {});
    }
  }

  async #isOpen(session: string): Promise<boolean> {
    const state = await this.#readState(session);
    return state !== null && state !== "ended";
  }

  async #isKnown(session: string): Promise<boolean> {
    return (await this.#readState(session)) !== null;
  }

  async #readState(session: string): Promise<SessionView["state"] | null> {
    try {
      return (await this.#options.queries.session(session)).state;
    } catch (error) {
      if (FairleadError.is(error, "session-not-found")) return null;
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
