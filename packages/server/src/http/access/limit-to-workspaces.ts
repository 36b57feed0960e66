import { realpathSync } from "node:fs";
import { isAbsolute, relative, resolve, sep } from "node:path";
import {
  type CommandOptions,
  type DecisionView,
  type EventReadOptions,
  type Fairlead,
  type ForkRequest,
  listSessions,
  type MethodRouteName,
  type OverviewFrame,
  type OverviewOptions,
  type Route,
  routes,
  type RunEventQuery,
  type RunListQuery,
  type RunRequestInput,
  type RunView,
  type SessionQuery,
  type SessionView,
  type StartRequest,
  type UsageHistoryQuery,
} from "@fairlead/api";
import { FairleadError, type Delta, type ReadEvent } from "@fairlead/contract";
import { limitOverview } from "./limit-overview.ts";

/**
 * Returns an interface to the sessions in some folders, and in folders below them. Every other session and folder is
 * refused with `not-allowed`, by one check for all methods that take a session. Lists leave them out.
 */
export function limitToWorkspaces(fairlead: Fairlead, workspaces: readonly string[]): Fairlead {
  const limit = new WorkspaceLimit(fairlead, workspaces);
  const methods = Object.entries<Route>(routes).flatMap(([name, { args }]) =>
    args === null ? [] : [[name, limit.wrap(name as MethodRouteName, args)]],
  );
  const limited: Pick<Fairlead, "events" | "overview"> = {
    events: (session, options) => limit.events(session, options),
    overview: (options) => limit.overview(options),
  };
  return { ...(Object.fromEntries(methods) as Omit<Fairlead, "events" | "overview">), ...limited };
}

/** Throws `not-allowed`. For routes that concern all workspaces at once. */
export function refuseLimitedCaller(workspaces: readonly string[] | undefined): void {
  if (workspaces !== undefined) throw outside(workspaces);
}

type AnyMethod = (...values: unknown[]) => Promise<unknown>;

class WorkspaceLimit {
  readonly #fairlead: Fairlead;
  readonly #workspaces: readonly string[];
  readonly #withoutSession: Partial<Record<MethodRouteName, AnyMethod>>;

  constructor(fairlead: Fairlead, workspaces: readonly string[]) {
    this.#fairlead = fairlead;
    this.#workspaces = workspaces;
    this.#withoutSession = {
      health: () => fairlead.health(),
      agents: () => fairlead.agents(),
      start: (request, ...options) => {
        const { workspace, repository } = request as StartRequest;
        // The folder of a clone is in no workspace of the caller.
        if (repository !== undefined) throw outside(this.#workspaces);
        this.#assertFolder(workspace);
        return fairlead.start(request as StartRequest, ...(options as []));
      },
      sessions: async (query) => {
        const page = await fairlead.sessions(query as SessionQuery | undefined);
        return { ...page, sessions: page.sessions.filter((view) => this.#isInside(folderOf(view))) };
      },
      decisions: async () => {
        const all = await fairlead.decisions();
        const ofSessions = await this.#filter(all, { state: ["waiting"] });
        return [...ofSessions, ...(await this.#filterRuns(all.filter(({ session }) => session.startsWith("run-"))))];
      },
      startRun: (request, ...options) => {
        this.#assertFolder((request as RunRequestInput).workspace);
        return fairlead.startRun(request as RunRequestInput, ...(options as []));
      },
      checkRun: (request) => {
        this.#assertFolder((request as RunRequestInput).workspace);
        return fairlead.checkRun(request as RunRequestInput);
      },
      runs: async (query) => {
        const page = await fairlead.runs(query as RunListQuery | undefined);
        return { ...page, runs: page.runs.filter(({ workspace }) => this.#isInside(workspace)) };
      },
      run: async (run) => await this.#readRun(run as string),
      runEvents: async (query) => {
        const { run } = await this.#readRun((query as RunEventQuery).run);
        return await fairlead.runEvents({ ...(query as RunEventQuery), run });
      },
      cancelRun: async (request, options) => {
        const assertWorkspace = (folder: string): void => this.#assertFolder(folder);
        return await fairlead.cancelRun(request as { run: string }, {
          ...(options as CommandOptions),
          assertWorkspace,
        });
      },
      usage: async (session) => {
        if (session === undefined) return await this.#filter(await fairlead.usage());
        return await fairlead.usage(await this.#resolve(session as string));
      },
      usageHistory: async (query) => {
        const buckets = await fairlead.usageHistory(query as UsageHistoryQuery);
        return buckets.filter(({ workspace }) => this.#isInside(workspace));
      },
      turnHistory: async (query) => {
        const buckets = await fairlead.turnHistory(query as UsageHistoryQuery);
        return buckets.filter(({ workspace }) => this.#isInside(workspace));
      },
    };
  }

  /** Wraps a method. A method without a session that has no rule above is refused. */
  wrap(name: MethodRouteName, args: readonly unknown[]): AnyMethod {
    const sessionIndex = args.indexOf("session");
    if (sessionIndex < 0) return this.#withoutSession[name] ?? (() => Promise.reject(outside(this.#workspaces)));
    const method = (this.#fairlead[name] as AnyMethod).bind(this.#fairlead);
    return async (...values) => {
      if (name === "fork") this.#assertFolder((values[1] as ForkRequest | undefined)?.workspace);
      // A repeated command has a stored outcome, which does not depend on the session that has the name now.
      if ((routes[name] as Route).command) {
        const assertWorkspace = (folder: string): void => this.#assertFolder(folder);
        const options = { ...(values[args.length] as CommandOptions | undefined), assertWorkspace };
        return await method(...args.map((_, index) => values[index]), options);
      }
      // The id takes the place of a name, which another session could get before the method looks it up.
      const ref = values[sessionIndex] as string;
      const run = name === "diff" ? await this.#findRun(ref) : null;
      return await method(...values.with(sessionIndex, run ?? (await this.#resolve(ref))));
    };
  }

  async *events(session: string, options?: EventReadOptions): AsyncGenerator<ReadEvent | Delta> {
    yield* this.#fairlead.events(await this.#resolve(session), options);
  }

  overview({ signal }: OverviewOptions = {}): AsyncIterable<OverviewFrame> {
    return limitOverview(this.#fairlead.overview(signal && { signal }), {
      isInside: (view) => this.#isInside(folderOf(view)),
      isRunInside: async (run) => this.#isInside((await this.#fairlead.run(run)).workspace),
      readSession: (session) => this.#fairlead.session(session),
    });
  }

  async #readRun(ref: string): Promise<RunView> {
    const view = await this.#fairlead.run(ref);
    this.#assertFolder(view.workspace);
    return view;
  }

  /** Returns the id if it is that of a run, or null. Throws `not-allowed` for a run in another workspace. */
  async #findRun(id: string): Promise<string | null> {
    if (!id.startsWith("run-")) return null;
    const view = await this.#fairlead.run(id).catch((error: unknown) => {
      if (FairleadError.is(error, "session-not-found")) return null;
      throw error;
    });
    if (view?.run !== id) return null;
    this.#assertFolder(view.workspace);
    return id;
  }

  /** Leaves out the decisions of runs in other workspaces. */
  async #filterRuns(decisions: readonly DecisionView[]): Promise<DecisionView[]> {
    const runs = await Promise.all(decisions.map(({ session }) => this.#fairlead.run(session)));
    return decisions.filter((_, index) => this.#isInside(runs[index]?.workspace ?? ""));
  }

  async #resolve(session: string): Promise<string> {
    const view = await this.#fairlead.session(session);
    this.#assertFolder(folderOf(view));
    return view.session;
  }

  /** Leaves out the items of other workspaces. The query must find the sessions of all items. */
  async #filter<Item extends { readonly session: string }>(
    items: readonly Item[],
    query: SessionQuery = {},
  ): Promise<Item[]> {
    const allowed = new Set<string>();
    const isInsideByFolder = new Map<string, boolean>();
    const sessions = listSessions(this.#fairlead, { ...query, order: "session", limit: 1000 });
    for await (const view of items.length === 0 ? [] : sessions) {
      const { session } = view;
      const workspace = folderOf(view);
      const isInside = isInsideByFolder.get(workspace) ?? this.#isInside(workspace);
      isInsideByFolder.set(workspace, isInside);
      if (isInside) allowed.add(session);
    }
    return items.filter(({ session }) => allowed.has(session));
  }

  #assertFolder(folder: string | undefined): void {
    if (folder !== undefined && !this.#isInside(folder)) throw outside(this.#workspaces);
  }

  #isInside(folder: string): boolean {
    const path = toRealPath(folder);
    return isAbsolute(folder) && this.#workspaces.some((workspace) => isWithin(path, toRealPath(workspace)));
  }
}

/** The person's folder that a session works in, or in a copy of. */
function folderOf({ copy, workspace }: SessionView): string {
  return copy?.workspace ?? workspace;
}

function isWithin(path: string, folder: string): boolean {
  const steps = relative(folder, path);
  return steps !== ".." && !steps.startsWith(`..${sep}`) && !isAbsolute(steps);
}

/** Resolves links, so that a link in a permitted folder does not lead out of it. */
function toRealPath(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return resolve(folder); // it was removed
  }
}

function outside(workspaces: readonly string[]): FairleadError {
  return new FairleadError("not-allowed", `The token is limited to these workspaces: ${workspaces.join(", ")}`);
}
