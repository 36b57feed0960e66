import type { Delta, Event } from "@fairlead/contract";
import { InvalidArgumentError, type Command } from "commander";
import { exitCodes } from "../exit-codes.ts";
import { openFairlead } from "../open-fairlead.ts";
import { Transcript } from "../render/transcript.ts";
import type { Surroundings } from "../surroundings.ts";
import type { Run } from "./run-command.ts";
import { sessionArgument } from "./session-argument.ts";

export interface LogsOptions {
  readonly follow?: boolean;
  readonly after?: number;
  readonly json?: boolean;
}

export function addLogs(program: Command, run: Run): void {
  program
    .command("logs")
    .summary("show what happened in a session")
    .description("Shows a session's journal. Looking on disturbs nobody.")
    .argument(...sessionArgument)
    .option("-f, --follow", "go on until the session ends")
    .option("--after <number>", "only what comes after this event", count)
    .option("--json", "one JSON value an event")
    .addHelpText("after", "\nExamples:\n  fairlead logs 54tq\n  fairlead logs -f 54tq --json")
    .action((id: string, options: LogsOptions) => run((surroundings) => logs(surroundings, id, options)));
}

async function logs(surroundings: Surroundings, named: string, options: LogsOptions): Promise<number> {
  const { screen } = surroundings;
  const { after = 0, json = false } = options;
  await using fairlead = await openFairlead(surroundings);
  const { session: id, label } = await fairlead.session(named);
  const { paint, width, columns } = screen;
  const transcript = new Transcript({ paint, width, columns, label: () => label });
  const show = (item: Event | Delta): void => (json ? screen.json(item) : screen.show(transcript.take(item)));

  const leaving = new AbortController();
  const leave = (): void => leaving.abort();
  process.once("SIGINT", leave);
  const reading = { after, follow: options.follow === true, signal: leaving.signal };
  for await (const item of fairlead.events(id, reading)) show(item);
  process.off("SIGINT", leave);

  if (!json && (await fairlead.session(id)).state === "waiting") {
    screen.aside(`It waits for an answer: fairlead resume ${id}`);
  }
  return exitCodes.done;
}

function count(typed: string): number {
  if (!/^\d+$/.test(typed)) throw new InvalidArgumentError("It must be a whole number from 0.");
  return Number(typed);
}
