import type { RunRequest, RunView } from "@fairlead/api";
import type { Answer } from "@fairlead/contract";
import { assertWorkspace } from "@fairlead/runtime";
import type { CommandContext, CommandHandlers } from "../command-methods.ts";
import { Commands, type CommandsOptions } from "../commands.ts";
import type { ForemanHost } from "./foreman-host.ts";

/** The command handlers of sessions and runs. */
export class RunCommands extends Commands implements CommandHandlers {
  readonly #host: ForemanHost;

  constructor(options: CommandsOptions, host: ForemanHost) {
    super(options);
    this.#host = host;
  }

  async startRun(
    request: RunRequest,
    { key, label, assertWorkspace: assertReachable }: CommandContext,
  ): Promise<RunView> {
    assertReachable?.(request.workspace);
    assertWorkspace(request.workspace);
    return await (await this.#host.get()).start(request, { key, by: label });
  }

  async cancelRun({ run }: { readonly run: string }, context: CommandContext): Promise<RunView> {
    const foreman = await this.#host.get();
    const { run: id, workspace } = await foreman.run(run);
    context.assertWorkspace?.(workspace);
    return await foreman.cancel(id, { by: context.label });
  }

  override async answer(id: string, decision: string, answer: Answer, context: CommandContext): Promise<void> {
    // Only for such ids: runs that cannot be read must not keep a person from answering a session.
    if ((await this.#host.findRun(id)) !== null)
      return await (await this.#host.get()).answer(id, decision, answer, { by: context.label });
    await super.answer(id, decision, answer, context);
  }
}
