import { homedir } from "node:os";
import { sanitizeText } from "@fairlead/api";
import { hasOwnRule, ruleNumber, ToolActionKind, type SessionPolicy } from "@fairlead/contract";
import { TrustedFiles } from "@fairlead/daemon";
import { Argument, type Command } from "commander";
import { cliExitCodes } from "../../exit-codes.ts";
import { table } from "../../render/text-layout.ts";
import type { CliContext } from "../../cli-context.ts";
import { refuseRemote } from "../../remote/refuse-remote.ts";
import { UsageError } from "../../usage-error.ts";
import type { CommandRunner } from "../command-runner.ts";

interface PolicyOptions {
  readonly json?: boolean;
}

export function addPolicy(program: Command, run: CommandRunner): void {
  program
    .command("policy")
    .summary("Show the policy of this folder, or try a command on it.")
    .description(
      "Show the rules that a session in the current folder would have, or what they decide about a shell command. Nothing is executed.",
    )
    .addArgument(new Argument("<action>", "what to do").choices(["show", "test"]))
    .argument("[command]", "shell command, quoted")
    .option("--json", "print one JSON value")
    .addHelpText("after", "\nExamples:\n  fairlead policy show\n  fairlead policy test 'git push origin main'")
    .action((action: "show" | "test", command: string | undefined, options: PolicyOptions) =>
      run((context) => {
        refuseRemote(context, `policy ${action}`);
        return action === "show" ? show(context, options) : tryCommand(context, command, options);
      }),
    );
}

async function readPolicy(
  { home, folder, screen }: CliContext,
  mode: "full-auto" | "default" = "full-auto",
): Promise<SessionPolicy> {
  const { joinPolicies } = await import("@fairlead/runtime");
  const trustedFiles = new TrustedFiles(home);
  const sources = { home, workspace: folder, trustsFile: trustedFiles.trusts.bind(trustedFiles) };
  const policy = joinPolicies({ ...sources, hasDefault: true, mode }) ?? {
    policies: [],
    unattended: "wait",
  };
  if (mode === "full-auto")
    for (const notice of [...(policy.notices ?? []), ...describeUnknownTools(policy)])
      screen.warn(sanitizeText(notice));
  return policy;
}

async function show(context: CliContext, { json }: PolicyOptions): Promise<number> {
  const { screen } = context;
  const policy = await readPolicy(context);
  if (json) screen.json(policy);
  else {
    const rows = policy.policies.flatMap((one) => [
      ...one.rules.map(({ verdict, ...subject }, at) => [
        one.source,
        String(ruleNumber(one, at)),
        verdict,
        describe(subject),
      ]),
      ...(one.grants ?? []).map((grant, at) => [one.source, `grant ${at + 1}`, "allow", describe(grant)]),
    ]);
    for (const line of table([["SOURCE", "RULE", "VERDICT", "ABOUT"], ...rows])) screen.line(sanitizeText(line));
    screen.printHint("What the default policy allows counts in the mode full-auto. In the others you are asked.");
    const { deadlineSeconds, unattended } = policy;
    if (deadlineSeconds !== undefined) screen.printHint(`Requests are denied after ${deadlineSeconds} s.`);
    if (unattended === "deny") screen.printHint("What is asked about is denied: nobody is asked.");
  }
  return cliExitCodes.success;
}

/** Says which rules name no kind of tool. Each agent has its own names of tools, so that such a rule may be meant. */
function describeUnknownTools({ policies }: SessionPolicy): string[] {
  const kinds = ToolActionKind.options;
  return policies.flatMap((policy) =>
    policy.rules.flatMap(({ tool }, at) =>
      tool === undefined || kinds.some((kind) => kind === tool)
        ? []
        : [
            `Rule ${ruleNumber(policy, at)} of ${policy.source} is only about tools that an agent calls "${tool}". The kinds of tools of all agents are: ${kinds.join(", ")}.`,
          ],
    ),
  );
}

/** Describes what a rule or a grant names. */
function describe(subject: Readonly<Record<string, unknown>>): string {
  const named = Object.entries(subject).filter(([name]) => name !== "because");
  const parts = named.map(([name, value]) => `${name} ${Array.isArray(value) ? value.join(", ") : String(value)}`);
  return parts.length === 0 ? "everything" : parts.join(", ");
}

/** Says in which modes the verdict counts, and what happens in the others. */
function describeModes({ verdict, isGated }: { readonly verdict: string; readonly isGated: boolean }): string {
  if (isGated) return `In full-auto. In default and accept-edits: ${verdict}.`;
  const unless = "until you write a rule";
  return `In full-auto. In default and accept-edits the agent decides what it asks, ${unless}. If it asks: ${verdict}.`;
}

async function tryCommand(context: CliContext, command: string | undefined, { json }: PolicyOptions): Promise<number> {
  if (command === undefined) throw new UsageError("The command is missing.", "fairlead policy test 'git push'");
  const { screen, folder } = context;
  const { decide, formatCommand, readRooms } = await import("@fairlead/runtime");
  const action = { kind: "run", command, workspace: folder, home: homedir(), rooms: readRooms(folder) } as const;
  const { policies } = await readPolicy(context);
  const { verdict, reason, rule, findings, commands, grants } = decide(policies, action);
  const otherPolicy = await readPolicy(context, "default");
  const isGated = hasOwnRule(otherPolicy);
  const other = decide(otherPolicy.policies, action);
  // What no rule is about is left to the mode, which allows what only reads if the agent must ask about everything.
  const isLeftToMode = other.verdict === "allow" && other.rule === null;
  const otherModes = { verdict: isLeftToMode && !(isGated && other.onlyReads) ? "ask" : other.verdict, isGated };
  const read = commands.flatMap((one) => (one.path === null ? [] : [formatCommand(one)]));
  if (json) screen.json({ verdict, reason, rule, findings, commands: read, grants, otherModes });
  else {
    screen.message(sanitizeText(`${verdict}: ${reason}`));
    for (const { category, subject, because } of findings)
      screen.message(sanitizeText(`  ${category}: ${subject} ${because}`));
    for (const line of read) screen.printHint(sanitizeText(`  runs: ${line}`));
    screen.printHint(describeModes(otherModes));
  }
  return cliExitCodes.success;
}
