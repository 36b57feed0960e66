import { type BroughtBranch, toOneLine } from "@fairlead/api";
import type { Command } from "commander";
import { cliExitCodes } from "../../exit-codes.ts";
import { openFairlead } from "../../open-fairlead.ts";
import type { CliContext } from "../../cli-context.ts";
import { findRemoteUrl } from "../../remote/find-remote-url.ts";
import { sessionArgument, type CommandRunner } from "../command-runner.ts";

export function addBring(program: Command, run: CommandRunner): void {
  program
    .command("bring")
    .summary("Fetch the branch of an isolated session.")
    .description(
      "Fetch the commits of a session that was started with --isolated into your repository, as a branch of the same name. Merges nothing. Names files that could run something when you build, commit or open the project.",
    )
    .argument(...sessionArgument)
    .option("--json", "print one JSON value")
    .addHelpText("after", "\nExample:\n  fairlead bring 54tq")
    .action((sessionRef: string, { json = false }: { json?: boolean }) =>
      run((context) => bring(context, sessionRef, json)),
    );
}

/** Paths that a list names before it only counts. */
const maxNamed = 20;

async function bring(context: CliContext, sessionRef: string, json: boolean): Promise<number> {
  const { screen } = context;
  const remoteUrl = findRemoteUrl(context);
  await using fairlead = await openFairlead(context);
  const brought = await fairlead.bring(sessionRef);
  if (json) screen.json(brought);
  else for (const line of broughtLines(brought)) screen.line(line);
  if (!json && remoteUrl !== null) screen.printHint(`The branch is in the repository on the machine of ${remoteUrl}.`);
  if (!json) warnAboutRest(context, sessionRef, brought);
  return cliExitCodes.success;
}

export function broughtLines({ branch, commit, base, commits, newCommits, files, runnable }: BroughtBranch): string[] {
  if (commit === null) return ["The copy has no commit of its own. Nothing was brought."];
  const added = newCommits === commits ? "" : `, ${newCommits} of them new`;
  const merge = `See them with: git log -p ${base.slice(0, 12)}..${branch}\nMerge them with: git merge ${branch}`;
  return [
    `Branch ${branch}: ${count(commits, "commit")}${added}, ${count(files, "changed file")}. Nothing was merged.`,
    ...(runnable.length === 0
      ? []
      : [
          "These files could run something. Read them before you merge, build or open the project:",
          ...runnable.slice(0, maxNamed).map(({ path, reason }) => `  ${toOneLine(path)} (${reason})`),
          ...more(runnable.length),
        ]),
    ...merge.split("\n"),
  ];
}

function warnAboutRest({ screen }: CliContext, sessionRef: string, brought: BroughtBranch): void {
  const { uncommitted, uncommittedFiles, otherCommits, folder } = brought;
  if (uncommittedFiles > 0) {
    const names = uncommitted.slice(0, maxNamed).map((path) => toOneLine(path));
    screen.warn(`Not committed in the copy, and not brought: ${[...names, ...more(uncommittedFiles)].join(", ")}`);
    screen.warn(`Let the agent commit: fairlead send ${sessionRef} "commit your work"`);
    screen.warn(`Or commit it yourself: git -C ${toOneLine(folder)} add -A && git -C ${toOneLine(folder)} commit`);
  }
  if (otherCommits > 0)
    screen.warn(
      `${count(otherCommits, "commit")} on other branches of the copy ${otherCommits === 1 ? "was" : "were"} not brought: ${toOneLine(folder)}`,
    );
}

const more = (length: number): string[] => (length > maxNamed ? [`  and ${length - maxNamed} more`] : []);

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? "" : "s"}`;
