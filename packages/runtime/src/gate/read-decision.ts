import { homedir } from "node:os";
import { mustAskAboutAll, type DecisionReading, type EventOf, type Manifest, type Opening } from "@fairlead/contract";
import type { ShellCommand } from "@fairlead/kit";
import type { RequestReader } from "@fairlead/reducer";
import { decide, type PolicyDecision } from "./decide.ts";
import type { PolicyAction } from "./policy-action.ts";
import type { PolicyFinding } from "./policy-finding.ts";

type DecisionRequest = EventOf<"decision.requested">;

/** Where the answers of a session come from that count for the rest of it. */
export const sessionGrants = "your answers in this session";

/** What a person is shown of a reading. The input itself is shown whole. */
const maxShownCommands = 30;
const maxShownFindings = 10;
const maxShownLength = 200;

/** What is said of a tool that Fairlead runs, and that no rule is about. */
const offeredReading = { verdict: "allow", reason: "The session was started with this tool." } as const;

/** Creates the function with which the reducer reads requests. The function is pure and total, as `decide` is. */
export function createRequestReader(manifest: Manifest, home: string = homedir()): RequestReader {
  const { workspaceFiles = [], workspacePrograms = [] } = manifest;
  const agentFiles = [...workspaceFiles, ...workspacePrograms];
  return (request, opening, grants) => {
    const { policies = [] } = opening.policy ?? {};
    const answers = grants.length === 0 ? [] : [{ source: sessionGrants, rules: [], grants: [...grants] }];
    const decision = decide([...policies, ...answers], { ...actionOf(request, opening), home, agentFiles });
    const { offered } = request.action ?? {};
    const isReading = decision.onlyReads && decision.rule === null && mustAskAboutAll(manifest, opening);
    const category = decision.category ?? decision.findings[0]?.category;
    const options = request.options?.filter(
      ({ scope }) => scope === "once" || canAgentRemember(decision, mustAskAboutAll(manifest, opening)),
    );
    return {
      ...(options !== undefined && { options }),
      ...(category !== undefined && { category }),
      reading: {
        ...describe(decision, isReading || offered === "reads"),
        // The session was started with the tool.
        ...(offered !== undefined && decision.verdict === "allow" && decision.rule === null && offeredReading),
      },
    };
  };
}

/**
 * Reports whether a person may choose an option that the agent remembers. Later calls would not be asked about, so it is not
 * offered where a rule asks about the call or denies it, nor where the agent must ask about every call.
 */
function canAgentRemember({ verdict }: PolicyDecision, isGated: boolean): boolean {
  return verdict === "allow" && !isGated;
}

function describe(decision: PolicyDecision, onlyReads: boolean): DecisionReading {
  const { verdict, reason, rule, commands, grants } = decision;
  const shown = commands.flatMap((command) => (command.path === null ? [] : [formatCommand(command)]));
  const alsoFound = verdict === "allow" ? [] : listOtherFindings(decision);
  const omittedCommands = shown.length - maxShownCommands;
  return {
    // An action that no rule is about is the mode's to decide.
    verdict: verdict === "allow" && rule === null ? "none" : verdict,
    reason,
    rule,
    ...(alsoFound.length > 0 && { alsoFound }),
    commands: shown.slice(0, maxShownCommands),
    ...(onlyReads && { onlyReads }),
    ...(omittedCommands > 0 && { omittedCommands }),
    ...(grants.length > 0 && { grants: [...grants] }),
  };
}

/** Lists what was found besides what the reason says, each once. */
function listOtherFindings({ findings, category }: PolicyDecision): string[] {
  const named = findings.find((one) => one.category === category);
  const isOfCommand = (one: PolicyFinding, other: PolicyFinding): boolean =>
    one !== other && one.command !== undefined && one.command === other.command;
  // That a subcommand is unknown says nothing more where it is known what the command does.
  const others = findings.filter(
    (one) => one !== named && !(one.isUnknown === true && findings.some((other) => isOfCommand(one, other))),
  );
  const lines = [...new Set(others.map(formatFinding))].filter(
    (line) => named === undefined || line !== formatFinding(named),
  );
  const omitted = lines.length - maxShownFindings;
  return omitted <= 0 ? lines : [...lines.slice(0, maxShownFindings - 1), `and ${omitted + 1} more`];
}

const formatFinding = ({ category, subject, because }: PolicyFinding): string =>
  cut(`${category}: \`${subject}\` ${because}`);

const cut = (line: string): string => (line.length <= maxShownLength ? line : `${line.slice(0, maxShownLength)}…`);

/** Translates a request to an action. A call that the adapter says nothing about is incomplete, and so it is asked about. */
function actionOf(request: DecisionRequest, { workspace, rooms = {} }: Opening): PolicyAction {
  const { kind, tool, input, action } = request;
  const common = { workspace, rooms, ...(tool !== undefined && { tool }), isIncomplete: action?.incomplete === true };
  if (kind === "network") return { ...common, kind: "fetch", hosts: [hostOf(input)] };
  const { command, folder, paths, hosts } = action ?? {};
  switch (action?.kind) {
    case "run":
      if (command === undefined) return { ...common, kind: "run", command: "", isIncomplete: true };
      return { ...common, kind: "run", command, ...(folder !== undefined && { folder }) };
    case "edit":
    case "read":
      return { ...common, kind: action.kind, paths: paths ?? [], isIncomplete: common.isIncomplete || !paths?.length };
    case "search":
      return { ...common, kind: "search", paths: paths ?? [] };
    case "fetch":
      return { ...common, kind: "fetch", hosts: hosts ?? [] };
    case "other":
      return { ...common, kind: "other" };
    default:
      return { ...common, kind: "other", isIncomplete: true };
  }
}

function hostOf(input: unknown): string {
  const host = typeof input === "object" && input !== null && "host" in input ? input.host : undefined;
  return typeof host === "string" ? host : "";
}

/** Formats a command as it was read: quotes resolved, wrappers in front. */
export function formatCommand({ wrappers, path, args }: Pick<ShellCommand, "wrappers" | "path" | "args">): string {
  const words = args.map(({ value, text }) => {
    if (value === null) return text;
    return /^[\w@%+=:,./-]+$/.test(value) ? value : JSON.stringify(value);
  });
  return cut([...wrappers, path ?? "", ...words].join(" "));
}
