import type { AgentView, Checkpoint, DecisionView, Diff, FileView, SessionView, UsageView } from "@fairlead/api";
import { changesOf, checkpointOf, filesOf, type Runtime, type SessionEnd, type Sessions } from "@fairlead/runtime";
import type { Account } from "./account.ts";
import { Accounts } from "./accounts.ts";
import { agentView, sessionView } from "./views.ts";

export interface LookingParts {
  readonly runtime: Runtime;
  readonly sessions: Sessions;
  /** Whether an agent was ever judged. */
  readonly verified: (agent: string) => boolean;
}

/** What can be seen without changing anything. */
export class Looking {
  readonly #parts: LookingParts;
  readonly #accounts: Accounts;

  constructor(parts: LookingParts) {
    this.#parts = parts;
    this.#accounts = new Accounts((session, after) => parts.runtime.events(session, after));
  }

  async agents(): Promise<AgentView[]> {
    const { runtime, verified } = this.#parts;
    const view = async (adapter: (typeof runtime.registry.all)[number]): Promise<AgentView> =>
      agentView(adapter, await runtime.probe(adapter.manifest.id), verified(adapter.manifest.id));
    return await Promise.all(runtime.registry.all.map(view));
  }

  async sessions(): Promise<SessionView[]> {
    const views: SessionView[] = [];
    for await (const end of this.#parts.runtime.catalogue.ends()) views.push(await this.#view(end));
    return views;
  }

  async session(id: string): Promise<SessionView> {
    return await this.#view(await this.#parts.runtime.catalogue.end(id));
  }

  async decisions(): Promise<DecisionView[]> {
    return (await this.#all()).flatMap(({ decisions }) => decisions);
  }

  async usage(id?: string): Promise<UsageView[]> {
    const accounts = id === undefined ? await this.#all() : [await this.#account(id)];
    return accounts.flatMap(({ usage }) => usage.views);
  }

  async files(id: string): Promise<FileView[]> {
    return filesOf(await Array.fromAsync(this.#parts.runtime.events(id, 0)));
  }

  async diff(id: string): Promise<Diff> {
    const { workspace } = await this.session(id);
    const { base, patch, truncated } = await changesOf(workspace);
    return { base, patch, truncated };
  }

  async checkpoint(id: string): Promise<Checkpoint> {
    const { runtime, sessions } = this.#parts;
    const driven = sessions.driven(id);
    if (driven !== undefined) return checkpointOf(driven.state, driven.last, Date.now());
    const { agent, last } = await this.session(id);
    return checkpointOf(runtime.catalogue.replay(id, agent).state, last, Date.now());
  }

  /** Lets go of what was seen of a session that is no more. */
  forget(id: string): void {
    this.#accounts.forget(id);
  }

  async #view({ session, last, owner }: SessionEnd): Promise<SessionView> {
    const { sessions } = this.#parts;
    const { summary } = await this.#accounts.upTo(session, last);
    if (summary === undefined) throw new TypeError("A journal begins with the start of its session.");
    return sessionView(summary, {
      label: this.#label(summary.agent),
      driven: sessions.driven(session),
      lost: sessions.isLost(session, owner),
      now: Date.now(),
    });
  }

  async #account(id: string): Promise<Account> {
    return await this.#accounts.upTo(id, (await this.#parts.runtime.catalogue.end(id)).last);
  }

  async #all(): Promise<Account[]> {
    const accounts: Account[] = [];
    for await (const { session, last } of this.#parts.runtime.catalogue.ends()) {
      accounts.push(await this.#accounts.upTo(session, last));
    }
    return accounts;
  }

  /** An agent that is no longer known here goes by its id. */
  #label(agent: string): string {
    return this.#parts.runtime.registry.all.find(({ manifest }) => manifest.id === agent)?.manifest.label ?? agent;
  }
}
