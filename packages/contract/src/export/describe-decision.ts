import type { EventOf } from "../agent-event.ts";
import type { DecidedBy } from "../events/decision.ts";
import type { PolicyRuleRef } from "../policy/policy.ts";
import type { DocumentWriter, QuotedBlock, QuotedMarkdown } from "./document-writer.ts";
import { nameCall, toIndentedJson, type Entry, type ExportState } from "./entry.ts";

/** Describes the request of a decision, with Fairlead's reading of it. */
export function describeRequest(
  writer: DocumentWriter,
  state: ExportState,
  body: EventOf<"decision.requested">,
): Entry {
  const { words } = writer;
  const { decision, kind, title, call, tool, input, questions, options, category, reading, deadline, digest } = body;
  const number = state.decisions.begin(decision);
  const ask = (label: QuotedMarkdown, value: unknown): QuotedBlock[] =>
    value === undefined || (Array.isArray(value) && value.length === 0) ? [] : [{ label, text: toIndentedJson(value) }];
  const readingBlocks: QuotedBlock[] = reading
    ? [
        {
          label: words`Fairlead's reading: ${writer.keyword(reading.verdict)}${reading.rule ? words`, ${nameRule(writer, reading.rule)}` : words``}.`,
          text: reading.reason,
        },
        ...ask(words`Also found:`, reading.alsoFound),
        ...ask(
          reading.omittedCommands === undefined
            ? words`Commands that would be executed:`
            : words`Commands that would be executed, and ${reading.omittedCommands} more:`,
          reading.commands,
        ),
        ...ask(words`Grants that were offered:`, reading.grants),
      ]
    : [];
  return {
    heading: words`Decision ${number} requested: ${writer.keyword(kind)}`,
    facts: [
      words`title ${title}`,
      tool === undefined ? null : words`tool ${tool}`,
      call === undefined ? null : nameCall(writer, state, call),
      category === undefined ? null : words`category ${writer.keyword(category)}`,
      deadline === undefined ? null : words`denied without an answer at ${writer.time(deadline)}`,
      digest === undefined ? null : words`digest ${digest}`,
    ],
    blocks: [
      ...ask(words`Input:`, input),
      ...ask(words`Questions:`, questions),
      ...ask(words`Options of the agent:`, options),
      ...readingBlocks,
    ],
  };
}

/** Describes the outcome of a decision, who decided it and by which rule. */
export function describeResolution(
  writer: DocumentWriter,
  state: ExportState,
  body: EventOf<"decision.resolved">,
): Entry {
  const { words } = writer;
  const { decision, outcome, by, input, message, remember, option, answers } = body;
  const number = state.decisions.numberOf(decision);
  state.decisions.end(decision);
  const name = number === undefined ? words`${decision}` : words`${number}`;
  return {
    heading: words`Decision ${name}: ${writer.keyword(outcome)} ${nameResolver(writer, by.kind)}`,
    facts: [
      by.label === undefined ? null : words`decided by ${by.label}`,
      by.rule === undefined ? null : nameRule(writer, by.rule),
      remember === undefined ? null : remember === "session" ? words`for this session` : words`from now on`,
      option === undefined ? null : words`option ${option}`,
    ],
    blocks: [
      ...(input === undefined ? [] : [{ label: words`With edited input:`, text: toIndentedJson(input) }]),
      ...(message === undefined ? [] : [{ label: words`Message:`, text: message }]),
      ...(answers === undefined ? [] : [{ label: words`Answers:`, text: toIndentedJson(answers) }]),
    ],
  };
}

function nameRule({ words }: DocumentWriter, { source, number, grant }: PolicyRuleRef): QuotedMarkdown {
  return grant ? words`grant ${number} of ${source}` : words`rule ${number} of ${source}`;
}

function nameResolver(writer: DocumentWriter, kind: DecidedBy["kind"]): QuotedMarkdown {
  const { words } = writer;
  const names: Readonly<Record<DecidedBy["kind"], QuotedMarkdown>> = {
    person: words`by a person`,
    mode: words`by the permission mode`,
    agent: words`by the agent`,
    runtime: words`by the runtime`,
    unattended: words`because no person was available`,
    limit: words`by a limit of the session`,
    policy: words`by the policy`,
    deadline: words`by its deadline`,
  };
  return names[kind] ?? words`by ${writer.keyword(kind)}`;
}
