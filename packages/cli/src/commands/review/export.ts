import { randomUUID } from "node:crypto";
import { createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import { exportJsonLines, exportMarkdown } from "@fairlead/contract";
import { Option, type Command } from "commander";
import { cliExitCodes } from "../../exit-codes.ts";
import { openFairlead } from "../../open-fairlead.ts";
import type { CliContext } from "../../cli-context.ts";
import { UsageError } from "../../usage-error.ts";
import { sessionArgument, type CommandRunner } from "../command-runner.ts";

interface ExportOptions {
  readonly format?: "md" | "jsonl";
  readonly output?: string;
  readonly json?: boolean;
}

export function addExport(program: Command, run: CommandRunner): void {
  program
    .command("export")
    .summary("Write a session as Markdown or JSON lines.")
    .description(
      "Write all that is known about a session until now: messages, texts, calls with input and output, decisions, files and errors. Markdown is for people. JSON lines are the events, as `fairlead logs --json` prints them.",
    )
    .argument(...sessionArgument)
    .addOption(new Option("--format <format>", "format of the export").choices(["md", "jsonl"]).default("md"))
    .option("-o, --output <file>", "write to this file, which only you can read, and replace it if it exists")
    .option("--json", "the same as --format jsonl")
    .addHelpText(
      "after",
      "\nExamples:\n  fairlead export 54tq > session.md\n  fairlead export 54tq --format jsonl -o session.jsonl",
    )
    .action((sessionRef: string, options: ExportOptions) =>
      run((context) => exportSession(context, sessionRef, options)),
    );
}

async function exportSession(
  context: CliContext,
  sessionRef: string,
  { format = "md", output, json = false }: ExportOptions,
): Promise<number> {
  await using fairlead = await openFairlead(context);
  const { session } = await fairlead.session(sessionRef);
  const readEvents = () => fairlead.events(session);
  const lines = json || format === "jsonl" ? exportJsonLines(readEvents()) : exportMarkdown(readEvents);
  // A pipeline waits for a slow reader, so that the export is never in memory as a whole.
  if (output === undefined) await pipeline(lines, context.output, { end: false });
  else await writeFileWhole(resolve(context.folder, output), lines);
  return cliExitCodes.success;
}

/** Why a file cannot be written, by the code of the error. */
const reasons: Readonly<Record<string, string>> = {
  ENOENT: "its folder does not exist",
  ENOTDIR: "a part of its path is not a folder",
  EISDIR: "it is a folder",
  EACCES: "this user may not write there",
  EPERM: "this user may not write there",
  EROFS: "its disk is read-only",
};

/** Writes a file beside its place and moves it there, so that an export that fails does not leave a part of a session. */
async function writeFileWhole(file: string, lines: AsyncIterable<string>): Promise<void> {
  const unfinished = `${file}.${randomUUID()}`;
  try {
    await pipeline(lines, createWriteStream(unfinished, { flags: "wx", mode: 0o600 }));
    await rename(unfinished, file);
  } catch (error) {
    await rm(unfinished, { force: true });
    const reason = reasons[(error as NodeJS.ErrnoException).code ?? ""];
    if (reason === undefined) throw error;
    throw new UsageError(`The export cannot be written to ${file}: ${reason}.`, null, { cause: error });
  }
}
