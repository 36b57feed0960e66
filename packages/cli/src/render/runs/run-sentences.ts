import { formatMoney, type RunEvent, type RunEventBody, toOneLine } from "@fairlead/api";
import { formatFailure, findingLine, outputLines } from "./run-problems.ts";

/** What happened in a run, and what enforced it. */
export interface RunSentence {
  readonly at: string;
  readonly text: string;
  /** Why it could not have been otherwise; null where nothing had to be enforced. */
  readonly enforced: string | null;
  /** Findings, failed commands and conflicts, one line each. */
  readonly details: readonly string[];
  /** The end of the output of failed commands. */
  readonly output: readonly string[];
}

type BodyOf<Type extends RunEventBody["type"]> = Extract<RunEventBody, { type: Type }>;

const shortLength = 12;
const short = (id: string): string => toOneLine(id).slice(0, shortLength);
const nameOf = (task: string | null): string => (task === null ? "the joined work" : `task ${task}`);

/** Explains the events of a run, one sentence each. */
export function runSentences(events: readonly RunEvent[]): RunSentence[] {
  return events.map(({ at, body }) => ({ at, enforced: null, details: [], output: [], ...explain(body, events) }));
}

function explain(body: RunEventBody, events: readonly RunEvent[]): Omit<Partial<RunSentence>, "at"> & { text: string } {
  switch (body.type) {
    case "run.started":
      return {
        text: `${toOneLine(body.by)} started ${events[0]?.run ?? "the run"} in ${toOneLine(body.workspace)}, from commit ${short(body.base)}.`,
        enforced: "The plan as it was then counts. A change of its file has no effect.",
      };
    case "task.started":
      return {
        text: `${describeAgent(body)} builds task ${body.task} in session ${body.session}.`,
        enforced: "It works in a clone of its own, and cannot change your files.",
      };
    case "snapshot.made":
      return {
        text: `Fairlead stored ${nameOf(body.task)} as tree ${short(body.tree)}: ${formatChanges(body.changes)}.`,
        enforced: "Fairlead made the tree from the files of the clone. No git command of the agent takes part.",
      };
    case "command.started":
      return { text: `${toOneLine(body.command)} runs in session ${body.session}.` };
    case "acceptance.ended":
      return explainAcceptance(body);
    case "work.returned": {
      const reason = body.reason === "acceptance" ? "a command failed" : "the reviewer asked for changes";
      return {
        text: `${capitalize(nameOf(body.task))} was sent back to session ${body.session}, because ${reason} (round ${body.round}).`,
      };
    }
    case "task.ended":
      return { text: `Task ${body.task} ended: ${body.outcome}.${withReason(body.reason)}` };
    case "join.started":
      return {
        text: `${describeAgent(body)} resolves a conflict in session ${body.session}.${withReason(body.reason)}`,
        enforced: "The session is neither author's. Their clones stay as they are.",
        details: body.conflicts.map(toOneLine),
      };
    case "work.joined":
      return {
        text: `The work of the tasks was joined as tree ${short(body.tree)}: ${formatChanges(body.changes)}.`,
        ...(body.conflicts.length === 0 && { enforced: "git merged it without a conflict." }),
      };
    case "review.started":
      return {
        text: `${describeAgent(body)} reviews tree ${short(body.tree)} in session ${body.session} (round ${body.round}).`,
        enforced: "The sandbox mounts the tree read-only, and no host but the model's can be reached.",
      };
    case "verdict.given": {
      const verdict = body.verdict === "approve" ? "approved" : "asked for changes of";
      const count = body.findings.length === 1 ? "1 finding" : `${body.findings.length} findings`;
      return {
        text: `${describeAgent(body)} ${verdict} tree ${short(body.tree)}: ${count}.`,
        enforced: "Only a call of submit_review counts, and only for this tree.",
        details: body.findings.map(findingLine),
      };
    }
    case "decision.requested": {
      const cost = body.usd === null ? "" : `, ${formatMoney(body.usd)} so far`;
      const until = body.deadline === null ? "" : ` The deadline is ${body.deadline}.`;
      return {
        text: `A person was asked to approve tree ${short(body.tree)}: ${formatChanges(body.changes)}${cost}.${until}`,
      };
    }
    case "decision.resolved":
      return explainResolution(body);
    case "branch.pushed":
      return explainPush(body, events);
    case "request.made":
      return { text: `The request for ${toOneLine(body.branch)} is ${toOneLine(body.address)}.` };
    case "run.ended":
      return { text: `The run ended: ${body.outcome}.${withReason(body.reason)}` };
  }
}

function explainAcceptance({ passed, tree, commands }: BodyOf<"acceptance.ended">) {
  const failed = commands.filter((one) => !one.passed);
  const count = commands.length === 1 ? "The command" : `All ${commands.length} commands`;
  const text =
    commands.length === 0
      ? `The plan has no commands that decide about tree ${short(tree)}.`
      : passed
        ? `${count} passed on tree ${short(tree)}: ${commands.map(({ command }) => toOneLine(command)).join(", ")}.`
        : `${failed.length} of ${commands.length} commands failed on tree ${short(tree)}.`;
  return {
    text,
    enforced:
      commands.length === 0
        ? null
        : "Exit codes decide. The commands ran in a sandbox, on a fresh checkout of this tree, whatever the agent said.",
    details: failed.map(formatFailure),
    output: failed.flatMap(outputLines),
  };
}

function explainResolution({ outcome, by, message }: BodyOf<"decision.resolved">) {
  const person = toOneLine(by ?? "A person");
  const because = message === undefined ? "" : ` ${toOneLine(message)}`;
  const texts = {
    allowed: `${person} approved it.`,
    denied: `${person} denied it.${because}`,
    canceled: `${person} canceled the run before it was decided.`,
    "timed-out": "Nobody decided before the deadline.",
  } as const;
  return { text: texts[outcome], enforced: "The first answer counts." };
}

function explainPush({ branch, tree, remote }: BodyOf<"branch.pushed">, events: readonly RunEvent[]) {
  const bodies = events.map(({ body }) => body);
  const isReviewed = bodies.some(
    (one) => one.type === "verdict.given" && one.verdict === "approve" && one.tree === tree,
  );
  const isApproved = bodies.some((one) => one.type === "decision.requested" && one.tree === tree);
  return {
    text: `Fairlead pushed tree ${short(tree)} as ${toOneLine(branch)} to ${toOneLine(remote)}.`,
    enforced:
      isReviewed && isApproved
        ? "It is the tree that was reviewed and approved. It was pushed from Fairlead's own repository."
        : "The events do not show a review and an approval of this tree.",
  };
}

function describeAgent({ agent, vendor }: { readonly agent: string; readonly vendor: string }): string {
  return `${toOneLine(agent)} (${toOneLine(vendor)})`;
}

/** Formats changed files and lines: `2 files, +10 −1`. */
export function formatChanges({ files, added, removed }: { files: number; added: number; removed: number }): string {
  return `${files === 1 ? "1 file" : `${files} files`}, +${added} −${removed}`;
}

function withReason(reason: string): string {
  return reason === "" ? "" : ` ${toOneLine(reason)}`;
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
