import { daemonNodeFlags } from "../../packages/daemon/src/daemon-command.ts";
import { ChildProgram } from "../../measure/child-program.ts";

const program = new URL("../../packages/cli/dist/src/main.js", import.meta.url);
/** The kernel kills the process when this one dies, in whatever way it dies. */
const tie = ["setpriv", "--pdeathsig", "KILL", "--"];

export interface FleetProcessOptions {
  /** A command that runs it somewhere else. */
  readonly prefix?: readonly string[];
  /** More flags for Node. */
  readonly nodeFlags?: readonly string[];
}

/** A command of `fairlead` that runs until it is killed: a host or a gateway, compiled as users have it. */
export class FleetProcess implements AsyncDisposable {
  /** Errors that the process logged. */
  readonly errors: string[] = [];
  readonly #child: ChildProgram;
  readonly #ready = Promise.withResolvers<void>();

  private constructor(
    args: readonly string[],
    env: NodeJS.ProcessEnv,
    readyMessage: string,
    { prefix = [], nodeFlags: moreFlags = [] }: FleetProcessOptions,
  ) {
    const wrapper = [...tie, ...prefix];
    const nodeFlags = [...daemonNodeFlags, "--conditions=built", ...moreFlags];
    this.#child = new ChildProgram(program, null, { env, wrapper, nodeFlags, args });
    void this.#readLog(readyMessage);
  }

  /** Starts a command. Resolves when it has logged that it is ready. */
  static async start(
    args: readonly string[],
    env: NodeJS.ProcessEnv,
    readyMessage: string,
    options: FleetProcessOptions = {},
  ): Promise<FleetProcess> {
    const started = new FleetProcess(args, env, readyMessage, options);
    await started.#ready.promise;
    return started;
  }

  /** The process id of the command, or of the command that runs it somewhere else. */
  get pid(): number {
    return this.#child.pid;
  }

  /** Resolves when it has ended. */
  get ended(): Promise<unknown> {
    return this.#child.ended;
  }

  /** Kills it with SIGKILL. */
  async kill(): Promise<void> {
    await this.#child.kill();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
  }

  /** Reads until the process ends: it would block when the pipe is full. */
  async #readLog(readyMessage: string): Promise<void> {
    const lines: string[] = [];
    try {
      for (;;) {
        const line = await this.#child.readLine();
        if (lines.length < 20) lines.push(line);
        if (!line.startsWith("{")) continue; // text for a person
        const { level, msg } = JSON.parse(line) as { readonly level: string; readonly msg: string };
        if (level === "error") this.errors.push(line);
        if (msg === readyMessage) this.#ready.resolve();
      }
    } catch (error) {
      this.#ready.reject(new Error(`The process ended before it was ready:\n${lines.join("\n")}`, { cause: error }));
    }
  }
}
