import { existsSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { FairleadError } from "@fairlead/contract";
import type { AdapterRegistry } from "../config/adapter-registry.ts";
import type { Home } from "../home.ts";
import type { SessionProjections } from "../projection/session-projections.ts";
import { bringCopy, type BroughtCopy } from "./bring-copy.ts";
import { findCopy, placeInCopy, readCopyFacts, writeCopyFacts, type CopyFacts } from "./copy-facts.ts";
import { KeyedMutex } from "../sessions/start/keyed-mutex.ts";
import { findCopyWork, type CopyWork } from "./read-copy-work.ts";
import { removeBaseReference } from "./remove-copy.ts";

export interface SessionCopiesOptions {
  readonly home: Home;
  readonly projections: SessionProjections;
  readonly registry: AdapterRegistry;
  /** Whether the journal has a session. */
  readonly has: (session: string) => Promise<boolean>;
}

/** Milliseconds that git may take to find the work in a copy. */
const workTimeout = 120_000;

/** The isolated copies that sessions work in. */
export class SessionCopies {
  readonly #options: SessionCopiesOptions;
  /** Held while the branch of a copy is brought. */
  readonly #mutex = new KeyedMutex();

  constructor(options: SessionCopiesOptions) {
    this.#options = options;
  }

  /** Finds the copy that a session works in; null if it works in a person's folder. */
  async find(session: string): Promise<CopyFacts | null> {
    const { home, projections } = this.#options;
    const summary = (await projections.read(session))?.summary;
    return (summary && findCopy(home, summary.workspace)) ?? readCopyFacts(home, session);
  }

  /** Fetches the branch of a session's copy into the person's repository, and merges nothing. */
  async bring(session: string): Promise<BroughtCopy> {
    const { home, registry } = this.#options;
    const facts = await this.find(session);
    if (facts === null) {
      const message = `Session ${session} does not work in an isolated copy, so there is nothing to bring.`;
      throw new FairleadError("not-supported", `${message} See its changes with: fairlead diff ${session}`);
    }
    return await this.#mutex.run(facts.session, async () => {
      const agentFiles = registry.all.flatMap(({ manifest }) => [
        ...(manifest.workspaceFiles ?? []),
        ...(manifest.workspacePrograms ?? []),
      ]);
      const brought = await bringCopy(facts, agentFiles, AbortSignal.timeout(workTimeout));
      if (brought.commit !== null) writeCopyFacts(home, { ...facts, brought: brought.commit });
      return brought;
    });
  }

  /**
   * Prepares the removal of a session. Returns what removes its copy when the session is gone. Throws `conflict` if the copy
   * has work: it is never removed. A copy that another session works in stays.
   */
  async release(session: string): Promise<() => Promise<void>> {
    const facts = await this.find(session);
    if (facts === null || (await this.#isUsed(facts, session))) return () => Promise.resolve();
    const work = existsSync(facts.folder) ? await this.#findWork(facts) : { uncommitted: [], commits: 0, others: [] };
    if (hasWork(work)) throw workLeft(session, facts, work);
    return () => this.#remove(facts);
  }

  /** Removes copies without work that no session has: their removal was interrupted. Never rejects. */
  async sweep(): Promise<void> {
    const { home, projections } = this.#options;
    try {
      const names = await readdir(home.copiesFolder).catch(() => []);
      if (names.length === 0 || !(await projections.waitUntilComplete())) return;
      // The next process tries one that fails again, and the others must not wait for it.
      for (const session of names) await this.#sweepOne(session).catch(() => {});
    } catch {
      // The next process tries again.
    }
  }

  async #sweepOne(session: string): Promise<void> {
    const { home, has } = this.#options;
    const facts = readCopyFacts(home, session);
    // A start that is in progress, or that failed, has a marker.
    if (facts === null || existsSync(home.startMarkerFile(session)) || (await has(session))) return;
    if (await this.#isUsed(facts, session)) return;
    if (!existsSync(facts.folder) || !hasWork(await this.#findWork(facts))) await this.#remove(facts);
  }

  /** Whether another session works in a copy: one that continued this one, or an unfinished one in any of its folders. */
  async #isUsed(facts: CopyFacts, except: string): Promise<boolean> {
    const { projections } = this.#options;
    // Not a scan of all sessions: old ones are many, and each removal would read them all.
    const rows = [
      projections.list({ workspace: placeInCopy(facts, facts.workspace) }),
      projections.list({ unfinished: true }),
    ];
    for (const list of rows)
      for await (const row of list) if (row.session !== except && isInCopy(row.workspace, facts)) return true;
    return false;
  }

  async #findWork(facts: CopyFacts): Promise<CopyWork> {
    return await findCopyWork(facts, AbortSignal.timeout(workTimeout));
  }

  async #remove(facts: CopyFacts): Promise<void> {
    await removeBaseReference(facts);
    await rm(this.#options.home.copyFolder(facts.session), { recursive: true, force: true });
  }
}

const isInCopy = (workspace: string, { folder }: CopyFacts): boolean => `${workspace}/`.startsWith(`${folder}/`);

const hasWork = ({ uncommitted, commits, others }: CopyWork): boolean =>
  uncommitted.length > 0 || commits > 0 || others.length > 0;

function workLeft(session: string, { folder }: CopyFacts, { uncommitted, commits, others }: CopyWork): FairleadError {
  const parts = [
    ...(commits > 0 ? [commits === 1 ? "a commit" : `${commits} commits`] : []),
    ...(uncommitted.length > 0
      ? [uncommitted.length === 1 ? "an uncommitted file" : `${uncommitted.length} uncommitted files`]
      : []),
    ...others,
  ];
  const message = `Session ${session} cannot be removed: its isolated copy ${folder} has ${parts.join(" and ")} that you do not have.`;
  const commit = uncommitted.length > 0 ? `Commit with: git -C ${folder} add -A && git -C ${folder} commit\n` : "";
  const get = commit !== "" || commits > 0 ? `Get the commits with: fairlead bring ${session}\nOr remove` : "Remove";
  const advice = `${commit}${get} the copy: rm -r ${folder}`;
  return new FairleadError("conflict", `${message} ${advice}`);
}
