import {
  type AgentView,
  type Diff,
  type DiffQuery,
  parseArguments,
  type RunCheck,
  type RunEventPage,
  type RunEventQuery,
  type RunListQuery,
  type RunPage,
  type RunRequest,
  type RunRequestInput,
  type RunView,
} from "@fairlead/api";
import { FairleadError } from "@fairlead/contract";
import { checkPlan, describeSandboxProblem, type Foreman } from "@fairlead/foreman";
import { findSandboxProblem } from "@fairlead/runtime";
import { CommandMethods, type CommandMethodsOptions } from "../command-methods.ts";
import type { ForemanHost } from "./foreman-host.ts";

/** A base class with the methods of all commands, and those that read runs. */
export abstract class RunMethods extends CommandMethods {
  readonly #host: ForemanHost;

  abstract agents(): Promise<readonly AgentView[]>;

  constructor(options: CommandMethodsOptions, host: ForemanHost) {
    super(options);
    this.#host = host;
  }

  async checkRun(request: RunRequestInput): Promise<RunCheck> {
    const [parsed] = parseArguments("checkRun", [request]) as [RunRequest];
    // Without the foreman: a check leaves no files.
    const { problems, roles } = checkPlan(parsed.plan, await this.agents());
    const sandboxProblem = await findSandboxProblem();
    return {
      problems: [
        ...problems,
        ...(await this.#host.findProblems(parsed)),
        ...(sandboxProblem === null ? [] : [describeSandboxProblem(sandboxProblem)]),
      ],
      roles,
    };
  }

  async runs(query?: RunListQuery): Promise<RunPage> {
    const [parsed] = parseArguments("runs", [query]);
    return (await (await this.#host.getIfUsed())?.runs(parsed as RunListQuery)) ?? { runs: [], next: null };
  }

  async run(run: string): Promise<RunView> {
    return await (await this.#get(run)).run(run);
  }

  async runEvents(query: RunEventQuery): Promise<RunEventPage> {
    const [parsed] = parseArguments("runEvents", [query]) as [RunEventQuery];
    return await (await this.#get(parsed.run)).events(parsed);
  }

  /** Returns the changes of a run; null if the id is not that of a run. */
  protected async diffRun(id: string, { turn, since, room }: DiffQuery = {}): Promise<Diff | null> {
    const run = await this.#host.findRun(id);
    if (run === null) return null;
    if (turn !== undefined || since !== undefined || room !== undefined)
      throw new FairleadError("invalid-request", `${run} is a run: its changes are shown as a whole.`);
    return await (await this.#get(run)).diff(run);
  }

  async #get(run: string): Promise<Foreman> {
    const foreman = await this.#host.getIfUsed();
    if (foreman === null)
      throw new FairleadError("session-not-found", `There is no run "${run}". There are no runs yet.`);
    return foreman;
  }
}
