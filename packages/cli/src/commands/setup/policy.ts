import { Argument, type Command } from "commander";
import { cliExitCodes } from "../../exit-codes.ts";
import { sanitizeText } from "../../render/sanitize-text.ts";
import { table } from "../../render/text-layout.ts";
import type { CliContext } from "../../cli-context.ts";
import { UsageError } from "../../usage-error.ts";
import type { CommandRunner } from "../command-runner.ts";

interface PolicyOptions {
  readonly json?: boolean;
}

export function addPolicy(program: Command, run: CommandRunner): void {
  program
    .command("policy")
    .summary("Show the default policy, or try a command on it.")
    .description(
      "Show which actions the default policy asks about, or what it would decide about a shell command in the current folder. Nothing is executed. No session uses the policy yet: today the permission mode decides.",
    )
    .addArgument(new Argument("<action>", "what to do").choices(["show", "test"]))
    .argument("[command]", "shell command, quoted")
    .option("--json", "print one JSON value")
    .addHelpText("after", "\nExamples:\n  fairlead policy show\n  fairlead policy test 'git push origin main'")
    .action((action: "show" | "test", command: string | undefined, options: PolicyOptions) =>
      run((context) => (action === "show" ? show(context, options) : tryCommand(context, command, options))),
    );
}

async function show({ screen }: CliContext, { json }: PolicyOptions): Promise<number> {
  const { defaultPolicy } = await import("@fairlead/runtime");
  if (json) screen.json(defaultPolicy);
  else {
    const rows = defaultPolicy.rules.map(({ verdict, category = "" }, at) => [String(at + 1), verdict, category]);
    for (const line of table([["RULE", "VERDICT", "CATEGORY"], ...rows])) screen.line(line);
    screen.printHint("No session uses the policy yet.");
  }
  return cliExitCodes.success;
}

async function tryCommand(
  { screen, folder }: CliContext,
  command: string | undefined,
  { json }: PolicyOptions,
): Promise<number> {
  if (command === undefined) throw new UsageError("The command is missing.", "fairlead policy test 'git push'");
  const { decide, defaultPolicy } = await import("@fairlead/runtime");
  const { verdict, reason, rule, findings, commands } = decide([defaultPolicy], {
    kind: "run",
    command,
    workspace: folder,
  });
  const read = commands.flatMap(({ path, args }) =>
    path === null
      ? []
      : [[path, ...args.map(({ value, text }) => (value === null ? text : JSON.stringify(value)))].join(" ")],
  );
  if (json) screen.json({ verdict, reason, rule, findings, commands: read });
  else {
    screen.message(sanitizeText(`${verdict}: ${reason}`));
    for (const { category, subject, because } of findings)
      screen.message(sanitizeText(`  ${category}: ${subject} ${because}`));
    for (const line of read) screen.printHint(sanitizeText(`  runs: ${line}`));
  }
  return cliExitCodes.success;
}
