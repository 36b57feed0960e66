import type { Event } from "@fairlead/contract";
import { InvalidArgumentError, type Command } from "commander";
import { exitCodes } from "../exit-codes.ts";
import { follow } from "../follow.ts";
import { Transcript } from "../render/transcript.ts";
import { openRuntime, type Surroundings } from "../surroundings.ts";
import type { Run } from "./run-command.ts";

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
    .argument("<id>", "the session; the beginning of its id will do")
    .option("-f, --follow", "go on until the session ends")
    .option("--after <number>", "only what comes after this event", count)
    .option("--json", "one JSON value an event")
    .addHelpText("after", "\nExamples:\n  fairlead logs 54tq\n  fairlead logs -f 54tq --json")
    .action((id: string, options: LogsOptions) => run((surroundings) => logs(surroundings, id, options)));
}

async function logs(surroundings: Surroundings, prefix: string, options: LogsOptions): Promise<number> {
  const { screen } = surroundings;
  const { after = 0, json = false } = options;
  await using runtime = await openRuntime(surroundings);
  const id = await runtime.find(prefix);
  await runtime.catchUp(id);
  const { paint, width } = screen;
  const label = (adapter: string): string => runtime.registry.find(adapter).manifest.label;
  const transcript = new Transcript({ paint, width, label });
  const show = (event: Event): void => (json ? screen.json(event) : screen.show(transcript.take(event)));

  const leaving = new AbortController();
  const leave = (): void => leaving.abort();
  process.once("SIGINT", leave);
  const events = options.follow ? follow(runtime, id, after, leaving.signal) : runtime.events(id, after);
  for await (const event of events) {
    show(event);
    if (leaving.signal.aborted) break;
  }
  process.off("SIGINT", leave);

  if (!json && (await runtime.summary(id)).state === "waiting") {
    screen.aside(`It waits for an answer: fairlead resume ${id}`);
  }
  return exitCodes.done;
}

function count(typed: string): number {
  if (!/^\d+$/.test(typed)) throw new InvalidArgumentError("It must be a whole number from 0.");
  return Number(typed);
}
