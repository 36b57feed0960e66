import type { Delta, Event } from "@fairlead/contract";
import type { Command } from "commander";
import { parseInteger } from "../../arguments/parse-options.ts";
import { cliExitCodes } from "../../exit-codes.ts";
import { openFairlead } from "../../open-fairlead.ts";
import { TranscriptRenderer } from "../../render/transcript-renderer.ts";
import type { CliContext } from "../../cli-context.ts";
import { findRemoteUrl } from "../../remote/find-remote-url.ts";
import { createFailureExplainer } from "../../sandbox-hints/explain-failure.ts";
import { sessionArgument, type CommandRunner } from "../command-runner.ts";

export interface LogsCommandOptions {
  readonly follow?: boolean;
  readonly after?: number;
  readonly json?: boolean;
}

export function addLogs(program: Command, run: CommandRunner): void {
  program
    .command("logs")
    .summary("Show the events of a session.")
    .description("Show the events of a session from the journal. Following does not affect the session.")
    .argument(...sessionArgument)
    .option("-f, --follow", "follow new events until the session ends")
    .option("--after <number>", "show only events after this sequence number", (text: string) => parseInteger(text, 0))
    .option("--json", "print one JSON value per event")
    .addHelpText("after", "\nExamples:\n  fairlead logs 54tq\n  fairlead logs -f 54tq --json")
    .action((sessionRef: string, options: LogsCommandOptions) => run((context) => logs(context, sessionRef, options)));
}

async function logs(context: CliContext, sessionRef: string, options: LogsCommandOptions): Promise<number> {
  const { screen } = context;
  const { after = 0, json = false } = options;
  await using fairlead = await openFairlead(context);
  const view = await fairlead.session(sessionRef);
  const { session: id, label } = view;
  const { paint, width, columns } = screen;
  const transcript = new TranscriptRenderer({
    paint,
    width,
    columns,
    label: () => label,
    explainFailure: createFailureExplainer({
      view,
      configFile: context.home.configFile,
      isRemote: findRemoteUrl(context) !== null,
    }),
  });
  const show = (item: Event | Delta): void => (json ? screen.json(item) : screen.show(transcript.render(item)));

  const closing = new AbortController();
  const onInterrupt = (): void => closing.abort();
  process.once("SIGINT", onInterrupt);
  const readOptions = { after, follow: options.follow === true, signal: closing.signal };
  for await (const item of fairlead.events(id, readOptions)) show(item);
  process.off("SIGINT", onInterrupt);

  if (!json && (await fairlead.session(id)).state === "waiting") {
    screen.printHint(`The session waits for an answer. Read what it asks with: fairlead approve ${id} --show`);
  }
  return cliExitCodes.success;
}
