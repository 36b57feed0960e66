import { realpathSync } from "node:fs";
import { isAbsolute, relative, resolve, sep } from "node:path";
import {
  type EventReadOptions,
  type Fairlead,
  type ForkRequest,
  type MethodRouteName,
  type Route,
  routes,
  type SessionQuery,
  type StartRequest,
} from "@fairlead/api";
import { FairleadError, type Delta, type Event } from "@fairlead/contract";

/**
 * Returns an interface to the sessions in some folders, and in folders below them. Every other session and folder is
 * refused with `not-allowed`, by one check for all methods that take a session. Lists leave them out.
 */
export function limitToWorkspaces(fairlead: Fairlead, workspaces: readonly string[]): Fairlead {
  const limit = new WorkspaceLimit(fairlead, workspaces);
  const methods = Object.entries<Route>(routes).flatMap(([name, { args }]) =>
    args === null ? [] : [[name, limit.wrap(name as MethodRouteName, args.indexOf("session"))]],
  );
  const limited: Pick<Fairlead, "events"> = { events: (session, options) => limit.events(session, options) };
  return { ...(Object.fromEntries(methods) as Omit<Fairlead, "events">), ...limited };
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
        this.#assertFolder((request as StartRequest).workspace);
        return fairlead.start(request as StartRequest, ...(options as []));
      },
      sessions: async (query) => {
        const page = await fairlead.sessions(query as SessionQuery | undefined);
        return { ...page, sessions: page.sessions.filter(({ workspace }) => this.#isInside(workspace)) };
      },
      decisions: async () => await this.#filter(await fairlead.decisions()),
      usage: async (session) => {
        if (session === undefined) return await this.#filter(await fairlead.usage());
        return await fairlead.usage(await this.#resolve(session as string));
      },
    };
  }

  /** Wraps a method. A method without a session that has no rule above is refused. */
  wrap(name: MethodRouteName, sessionIndex: number): AnyMethod {
    if (sessionIndex < 0) return this.#withoutSession[name] ?? (() => Promise.reject(outside(this.#workspaces)));
    const method = (this.#fairlead[name] as AnyMethod).bind(this.#fairlead);
    return async (...values) => {
      // The id takes the place of a name, which another session could get before the method looks it up.
      const id = await this.#resolve(values[sessionIndex] as string);
      if (name === "fork") this.#assertFolder((values[1] as ForkRequest | undefined)?.workspace);
      return await method(...values.with(sessionIndex, id));
    };
  }

  async *events(session: string, options?: EventReadOptions): AsyncGenerator<Event | Delta> {
    yield* this.#fairlead.events(await this.#resolve(session), options);
  }

  async #resolve(session: string): Promise<string> {
    const view = await this.#fairlead.session(session);
    this.#assertFolder(view.workspace);
    return view.session;
  }

  async #filter<Item extends { readonly session: string }>(items: readonly Item[]): Promise<Item[]> {
    const allowed = new Map<string, boolean>();
    for (const id of new Set(items.map(({ session }) => session))) {
      const view = await this.#fairlead.session(id).catch(() => null); // it may have been deleted meanwhile
      allowed.set(id, view !== null && this.#isInside(view.workspace));
    }
    return items.filter(({ session }) => allowed.get(session));
  }

  #assertFolder(folder: string | undefined): void {
    if (folder !== undefined && !this.#isInside(folder)) throw outside(this.#workspaces);
  }

  #isInside(folder: string): boolean {
    const path = toRealPath(folder);
    return isAbsolute(folder) && this.#workspaces.some((workspace) => isWithin(path, toRealPath(workspace)));
  }
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
