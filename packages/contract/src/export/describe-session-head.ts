import type { EventOf } from "../agent-event.ts";
import type { DocumentWriter, QuotedMarkdown } from "./document-writer.ts";
import { describeUsage } from "./entry.ts";
import type { SessionTotals } from "./session-totals.ts";

/** Writes the head of an export: what was run where, with which limits, and what it cost. */
export function describeSessionHead(writer: DocumentWriter, totals: SessionTotals, after: number): string {
  const { words } = writer;
  const { first, last, started, ended, models, usage, turns, calls, decisions } = totals;
  if (first === null || last === null) return writer.heading(1, words`Session without events`);
  const { cost, tokens } = describeUsage(writer, usage);
  const end =
    ended === null
      ? words`not ended at ${writer.time(last.occurredAt)}`
      : words`ended, ${writer.keyword(ended.reason)}`;
  const facts = [
    words`Agent: ${first.agent}${started?.agentVersion == null ? words`` : words`, version ${started.agentVersion}`}`,
    models.length === 0
      ? words`Model: not reported`
      : words`Model: ${writer.join(
          models.map((model) => words`${model}`),
          ", ",
        )}`,
    ...(started === null ? [] : describeStart(writer, started)),
    words`Started: ${writer.time(first.occurredAt)}`,
    words`State: ${end}`,
    words`Cost: ${cost}`,
    words`Tokens: ${tokens}`,
    words`Events: ${last.sequence}; turns: ${turns}, calls: ${calls}, decisions: ${decisions}`,
    after === 0 ? null : words`This file: the events after ${after}`,
  ];
  return [
    writer.heading(1, words`Session ${first.session}`),
    writer.list(facts),
    writer.paragraph(
      words`Fairlead wrote this file. Text of people, agents and tools is indented by four spaces or is code in a line.`,
    ),
    writer.paragraph(
      words`Each entry begins with the number and the time of its event. Invisible characters have the form ${"\\u{…}"}.`,
    ),
  ].join("");
}

function describeStart(writer: DocumentWriter, started: EventOf<"session.started">): (QuotedMarkdown | null)[] {
  const { words } = writer;
  const { name, workspace, mode, protocol, continues, sandbox, limits, policy, room, copy, parent, tools } = started;
  return [
    name === null ? null : words`Name: ${name}`,
    words`Workspace: ${workspace}`,
    copy === undefined ? null : words`Isolated copy: ${writer.fields({ ...copy })}`,
    room === undefined ? null : words`Room: ${room}`,
    words`Protocol: ${protocol}`,
    words`Permission mode: ${writer.keyword(mode)}`,
    sandbox === undefined || sandbox.kind === "none"
      ? words`Sandbox: none`
      : words`Sandbox: ${writer.fields({ kind: sandbox.kind, workspace: sandbox.workspace, network: sandbox.network })}`,
    limits === undefined ? null : words`Limits: ${writer.fields({ ...limits })}`,
    policy === undefined ? null : words`Policy: ${writer.fields({ ...policy })}`,
    parent === undefined ? null : words`Started by session: ${parent.session}`,
    tools === undefined ? null : words`Tools of Fairlead: ${tools.join(", ")}`,
    continues === null ? null : describeContinuation(writer, continues),
  ];
}

function describeContinuation(
  writer: DocumentWriter,
  { session, outcome, fork, after }: NonNullable<EventOf<"session.started">["continues"]>,
): QuotedMarkdown {
  const { words } = writer;
  const verb = fork ? words`Fork of session` : words`Continues session`;
  const until = after === undefined ? words`` : words` after its event ${after}`;
  return words`${verb} ${session}${until}, outcome ${writer.keyword(outcome)}`;
}
