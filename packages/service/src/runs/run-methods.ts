import {
  type AgentView,
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
    const [parsed] = parseArguments("checkRun", [request]);
    // Without the foreman: a check leaves no files.
    const check = checkPlan((parsed as RunRequest).plan, await this.agents());
    const problem = await findSandboxProblem();
    if (problem === null) return check;
    return { ...check, problems: [...check.problems, describeSandboxProblem(problem)] };
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

  async #get(run: string): Promise<Foreman> {
    const foreman = await this.#host.getIfUsed();
    if (foreman === null)
      throw new FairleadError("session-not-found", `There is no run "${run}". There are no runs yet.`);
    return foreman;
  }
}
