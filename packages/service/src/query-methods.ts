import {
  type AgentView,
  type Checkpoint,
  type Diff,
  type DiffQuery,
  type FileView,
  parseArguments,
  type SearchPage,
  type SearchQuery,
  type SessionPage,
  type SessionQuery,
  type SessionView,
  type TurnBucket,
  type TurnPage,
  type TurnQuery,
  type UsageBucket,
  type UsageHistoryQuery,
  type UsageView,
} from "@fairlead/api";
import type { CommandMethodsOptions } from "./command-methods.ts";
import type { SessionCount } from "./index-queries.ts";
import type { Queries } from "./queries.ts";
import type { ForemanHost } from "./runs/foreman-host.ts";
import { RunMethods } from "./runs/run-methods.ts";

/** A base class with the methods of all commands, and those that only read sessions and runs. */
export abstract class QueryMethods extends RunMethods {
  readonly #queries: Queries;
  readonly #resolveId: CommandMethodsOptions["resolveId"];

  constructor(options: CommandMethodsOptions, foremanHost: ForemanHost, queries: Queries) {
    super(options, foremanHost);
    this.#queries = queries;
    this.#resolveId = options.resolveId;
  }

  async agents(): Promise<readonly AgentView[]> {
    return await this.#queries.agents();
  }

  async sessions(query?: SessionQuery): Promise<SessionPage> {
    const [parsedQuery] = parseArguments("sessions", [query]);
    return await this.#queries.sessions(parsedQuery as SessionQuery);
  }

  /** Counts the sessions by agent and state. Its cost does not depend on the number of ended sessions. */
  async countSessions(): Promise<readonly SessionCount[]> {
    return await this.#queries.countSessions();
  }

  async session(session: string): Promise<SessionView> {
    return await this.#queries.session(await this.resolveSession(session));
  }

  async turns(session: string, query?: TurnQuery): Promise<TurnPage> {
    const [, parsed] = parseArguments("turns", [session, query]) as [string, TurnQuery | undefined];
    return await this.#queries.turns(await this.resolveSession(session), parsed);
  }

  async search(session: string, query: SearchQuery): Promise<SearchPage> {
    const [, parsed] = parseArguments("search", [session, query]) as [string, SearchQuery];
    return await this.#queries.search(await this.resolveSession(session), parsed);
  }

  async checkpoint(session: string): Promise<Checkpoint> {
    return await this.#queries.checkpoint(await this.resolveSession(session));
  }

  async files(session: string): Promise<readonly FileView[]> {
    return await this.#queries.files(await this.resolveSession(session));
  }

  async diff(session: string, query?: DiffQuery): Promise<Diff> {
    const [, parsed] = parseArguments("diff", [session, query]) as [string, DiffQuery | undefined];
    const ofRun = await this.diffRun(session, parsed);
    return ofRun ?? (await this.#queries.diff(await this.resolveSession(session), parsed));
  }

  async usage(session?: string): Promise<readonly UsageView[]> {
    return await this.#queries.usage(session === undefined ? undefined : await this.resolveSession(session));
  }

  async usageHistory(query: UsageHistoryQuery): Promise<readonly UsageBucket[]> {
    return await this.#queries.usageHistory(query);
  }

  async turnHistory(query: UsageHistoryQuery): Promise<readonly TurnBucket[]> {
    return await this.#queries.turnHistory(query);
  }

  /** Returns the id of a session by its id, its name or a prefix of its id. */
  protected resolveSession(session: string): Promise<string> {
    return this.#resolveId(session, "send");
  }
}
