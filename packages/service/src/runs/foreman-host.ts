import { existsSync } from "node:fs";
import type { DecisionView, RunRequest } from "@fairlead/api";
import { FairleadError } from "@fairlead/contract";
import { Foreman, type ForemanOptions } from "@fairlead/foreman";

/** How the runs of a data directory are done. */
export interface ForemanSetup extends Omit<ForemanOptions, "fairlead" | "home"> {
  /** Finds what prevents a run in a workspace, one sentence each. Default: nothing is checked before the start. */
  readonly findProblems?: (request: RunRequest) => Promise<string[]>;
}

export interface ForemanHostOptions {
  readonly home: ForemanOptions["home"];
  readonly setup: ForemanSetup;
  readonly fairlead: () => ForemanOptions["fairlead"];
}

/** Opens the foreman when it is first needed, so that a data directory without runs has no files of it. */
export class ForemanHost implements AsyncDisposable {
  readonly #options: ForemanHostOptions;
  #opened: Promise<Foreman> | null = null;
  #isClosed = false;

  constructor(options: ForemanHostOptions) {
    this.#options = options;
  }

  async get(): Promise<Foreman> {
    if (this.#isClosed) throw new FairleadError("unavailable", "The service is closing.");
    const { home, setup, fairlead } = this.#options;
    const opening = (this.#opened ??= Foreman.open({ ...setup, home, fairlead: fairlead() }));
    try {
      return await opening;
    } catch (error) {
      // The next call opens it again: the disk may have been full.
      if (this.#opened === opening) this.#opened = null;
      throw error;
    }
  }

  /** Returns the foreman if the data directory has runs, also those of another process, or null. */
  async getIfUsed(): Promise<Foreman | null> {
    return this.#opened !== null || existsSync(this.#options.home.foremanFolder) ? await this.get() : null;
  }

  /** Finds what prevents a run in its workspace, without the foreman: a check leaves no files. */
  async findProblems(request: RunRequest): Promise<string[]> {
    return (await this.#options.setup.findProblems?.(request)) ?? [];
  }

  /** Lists the decisions of runs. Runs that cannot be read must not hide the decisions of sessions: `runs` reports why. */
  async decisions(): Promise<DecisionView[]> {
    try {
      return (await (await this.getIfUsed())?.decisions()) ?? [];
    } catch (error) {
      if (FairleadError.isInstance(error)) return [];
      throw error;
    }
  }

  /** Returns the id if it is that of a run, or null. */
  async findRun(id: string): Promise<string | null> {
    // No id of a session has this form. A name may: the run is meant then, and the session still has its id.
    if (typeof id !== "string" || !id.startsWith("run-")) return null;
    return (await (await this.getIfUsed())?.has(id)) === true ? id : null;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    const foreman = await this.#opened?.catch(() => null);
    await foreman?.[Symbol.asyncDispose]();
  }
}
