import type { EventOf } from "../agent-event.ts";
import type { Event } from "../event.ts";
import { describeRequest, describeResolution } from "./describe-decision.ts";
import type { DocumentWriter } from "./document-writer.ts";
import { describeUsage, nameCall, toIndentedJson, type Entry, type ExportState } from "./entry.ts";
import { withUsageReport, zeroUsage } from "./session-totals.ts";

/**
 * Describes one event, in the order of the journal. Null for an event that says nothing beside others: the progress of a
 * call whose end has the whole output, and usage, which the end of the turn sums up. An event of another type is written
 * as JSON, so that none is left out.
 */
export function describeEvent(writer: DocumentWriter, state: ExportState, { body }: Event): Entry | null {
  const { words } = writer;
  switch (body.type) {
    case "session.started":
      return {
        facts: [words`The session started.`],
        blocks: body.brief === undefined ? [] : [{ label: words`Brief:`, text: toIndentedJson(body.brief) }],
      };
    case "session.changed": {
      const { type: _, ...changes } = body;
      return { facts: [words`The session changed: ${writer.fields(changes)}`] };
    }
    case "session.paused":
      return {
        facts: [
          words`The session paused: ${writer.keyword(body.reason)}`,
          body.until === undefined ? null : words`until ${writer.time(body.until)}`,
        ],
      };
    case "session.unpaused":
      return { facts: [words`A command ended the pause.`] };
    case "session.resumed":
      return {
        facts: [
          words`The conversation was resumed: ${writer.fields({ outcome: body.outcome, agentSessionId: body.agentSessionId })}`,
        ],
      };
    case "session.ended":
      return {
        heading: words`Session ended: ${writer.keyword(body.reason)}`,
        facts: body.exit === null ? [] : [words`exit ${writer.fields(body.exit)}`],
      };
    case "lead.changed":
      return {
        facts: [
          {
            human: words`A person took over in the agent's own terminal.`,
            agent: words`The agent leads again.`,
            delegated: words`The agent of another session leads.`,
          }[body.lead],
        ],
      };
    case "message.queued":
      return { heading: words`Message queued`, blocks: [{ text: body.text }] };
    case "message.returned":
      return { heading: words`Message returned: ${writer.keyword(body.reason)}`, blocks: [{ text: body.text }] };
    case "turn.started":
    case "turn.steered":
    case "turn.ended":
      return describeTurnEvent(writer, state, body);
    case "text.ended":
    case "reasoning.ended":
      return describeText(writer, state, body);
    case "plan.updated":
      return {
        heading: words`Plan`,
        blocks: [{ text: body.steps.map((step) => `${step.state}: ${step.text}`).join("\n") }],
      };
    case "context.injected":
      return { heading: words`Context for the next message`, blocks: [{ text: body.text }] };
    case "brief.updated":
      return { heading: words`Brief changed`, blocks: [{ text: toIndentedJson(body.brief) }] };
    case "progress.reported":
      return {
        heading: words`Progress`,
        facts: body.percent === undefined ? [] : [words`${writer.keyword(`${body.percent} %`)}`],
        blocks: [{ text: body.text }],
      };
    case "artifact.produced": {
      const { type: _, summary, ...facts } = body;
      return {
        heading: words`Result of the work`,
        facts: [words`${writer.fields(facts)}`],
        blocks: summary === undefined ? [] : [{ text: summary }],
      };
    }
    case "context.compacted":
      return { facts: [words`The agent compacted its context: ${writer.keyword(body.trigger)}`] };
    case "tool.requested":
    case "tool.started":
    case "tool.ended":
      return describeCallEvent(writer, state, body);
    case "tool.progressed":
      return null;
    case "file.changed":
      return {
        facts: [
          words`File ${writer.keyword(body.change)}: ${body.path}`,
          body.call === undefined ? null : nameCall(writer, state, body.call),
          body.source === undefined ? null : words`source ${writer.keyword(body.source)}`,
          body.attribution === undefined ? null : words`attributed to ${writer.keyword(body.attribution)}`,
        ],
      };
    case "decision.requested":
      return describeRequest(writer, state, body);
    case "decision.resolved":
      return describeResolution(writer, state, body);
    case "network.judged":
      return {
        facts: [
          words`Connection ${writer.keyword(body.verdict)} by the ${writer.keyword(body.enforcedBy)}: ${`${body.host}:${body.port}`}`,
          words`reason ${writer.keyword(body.rule)}`,
        ],
      };
    case "usage.reported":
      state.turnUsage = withUsageReport(state.turnUsage, body);
      return null;
    case "status.reported":
      return { facts: [words`Status (${writer.keyword(body.level)}): ${body.message}`] };
    case "error.raised":
      return { heading: words`Error: ${writer.keyword(body.category)}`, blocks: [{ text: body.message }] };
    case "unrecognized":
      return { heading: words`Unrecognized output`, facts: [words`${body.reason}`], blocks: [{ text: body.raw }] };
    default:
      return { heading: words`Event: ${(body as Event["body"]).type}`, blocks: [{ text: toIndentedJson(body) }] };
  }
}

function describeTurnEvent(
  writer: DocumentWriter,
  state: ExportState,
  body: EventOf<"turn.started" | "turn.steered" | "turn.ended">,
): Entry {
  const { words } = writer;
  if (body.type === "turn.steered") return { heading: words`Message into the turn`, blocks: [{ text: body.text }] };
  if (body.type === "turn.ended") {
    const { cost, tokens } = describeUsage(writer, state.turnUsage);
    state.isTurnOpen = false;
    const heading = words`Turn ${state.turns} ended: ${writer.keyword(body.outcome)}`;
    return { heading, facts: [words`cost: ${cost}`, words`tokens: ${tokens}`] };
  }
  state.turns += 1;
  state.isTurnOpen = true;
  state.turnUsage = zeroUsage;
  const source = body.source === undefined ? null : words`read from the agent's own transcript`;
  if (body.origin === "agent" && body.input === "")
    return { facts: [words`The agent started the turn without a message.`, source] };
  const origin = body.origin === "terminal" ? words`typed in the agent's own terminal` : null;
  return { heading: words`Message`, facts: [origin, source], blocks: [{ text: body.input }] };
}

function describeText(
  writer: DocumentWriter,
  state: ExportState,
  body: EventOf<"text.ended" | "reasoning.ended">,
): Entry {
  const { words } = writer;
  const { parent, part, last, text } = body;
  const name = body.type === "text.ended" ? words`Text` : words`Reasoning`;
  return {
    heading:
      parent === undefined
        ? words`${name} of the agent`
        : words`${name} of the sub-agent of ${nameCall(writer, state, parent)}`,
    facts:
      part === undefined
        ? []
        : [words`part ${part}${last ? words`, the last one` : words``}; the parts follow each other without a break`],
    // The last part of a long text may be empty.
    blocks: part !== undefined && text === "" ? [] : [{ text }],
  };
}

function describeCallEvent(
  writer: DocumentWriter,
  state: ExportState,
  body: EventOf<"tool.requested" | "tool.started" | "tool.ended">,
): Entry {
  const { words } = writer;
  if (body.type === "tool.requested") {
    const { call, name, input, action, parent } = body;
    return {
      heading: words`Call ${state.calls.begin(call)}: ${name}`,
      facts: [
        words`id ${call}`,
        action === undefined ? null : words`kind ${writer.keyword(action.kind)}`,
        parent === undefined ? null : words`by the sub-agent of ${nameCall(writer, state, parent)}`,
      ],
      blocks: [{ text: toIndentedJson(input) }],
    };
  }
  const name = nameCall(writer, state, body.call);
  if (body.type === "tool.started") {
    const { enforcement } = body;
    return { facts: [words`Start of ${name}`, enforcement === undefined ? null : writer.keyword(enforcement)] };
  }
  const outcome = body.ok ? words`succeeded` : writer.keyword(body.reason ?? "failed");
  state.calls.end(body.call);
  return {
    heading: words`Result of ${name}: ${outcome}`,
    facts: [words`${body.name}`],
    blocks: [{ text: body.output }],
  };
}
