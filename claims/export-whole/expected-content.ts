import { invisibleCharacters, type Event } from "@fairlead/contract";

/** What an export must contain about one event, in this order: text of others as code, and own words in a heading. */
interface ExpectedContent {
  readonly heading?: RegExp;
  /** Each is all of a block or a span. */
  readonly code: readonly string[];
  /** Each is in a block, such as a value of a call's input. */
  readonly within?: readonly string[];
}

/**
 * Returns what the Markdown of an event must contain: messages, texts, calls and decisions with their outcome. Written
 * from the contract and not from the code that exports, so that a forgotten field is found.
 */
function expectedContent({ body }: Event): ExpectedContent | null {
  switch (body.type) {
    case "session.started":
      return { code: [], within: leaves(body.brief) };
    case "brief.updated":
      return { heading: /^h3 Brief changed$/, code: [], within: leaves(body.brief) };
    case "turn.started":
      return body.input === "" ? null : { heading: /^h3 Message$/, code: [body.input] };
    case "turn.steered":
    case "message.queued":
    case "message.returned":
      return { heading: /^h3 Message /, code: [body.text] };
    case "text.ended":
    case "reasoning.ended":
      return { heading: /^h3 (Text|Reasoning) of /, code: [body.text] };
    case "tool.requested":
      return { heading: /^h3 Call \d+: x$/, code: [body.name, body.call], within: leaves(body.input) };
    case "tool.ended":
      return { heading: /^h3 Result of call /, code: [body.name, body.output] };
    case "decision.requested":
      return {
        heading: /^h3 Decision \d+ requested: /,
        code: [body.title],
        within: [...leaves(body.input), ...leaves(body.questions)],
      };
    case "decision.resolved": {
      const by = body.by.kind === "person" ? "by a person" : "(by|because) ";
      const heading = new RegExp(`^h3 Decision \\d+: ${body.outcome} ${by}`);
      const { label = "", rule } = body.by;
      return { heading, code: [label, rule?.source ?? "", body.message ?? ""], within: leaves(body.answers) };
    }
    case "error.raised":
      return { heading: /^h3 Error: /, code: [body.message] };
    case "file.changed":
      return { code: [body.path] };
    case "status.reported":
      return { code: [body.message] };
    default:
      return null;
  }
}

/** The number of events of each kind that an export was searched for. */
export interface CheckedCounts {
  readonly messages: number;
  readonly texts: number;
  readonly calls: number;
  readonly decisions: number;
}

/** Finds the first event whose content is not in a document, after that of the events before it. Null if there is none. */
export function findMissing(
  events: readonly Event[],
  { headings, code }: { readonly headings: readonly string[]; readonly code: readonly string[] },
): Event | null {
  let [nextHeading, nextCode] = [0, 0];
  const normalizedCode = code.map(normalize);
  for (const event of events) {
    const expected = expectedContent(event);
    if (expected === null) continue;
    if (expected.heading !== undefined) {
      const { heading } = expected;
      const at = headings.findIndex((one, index) => index >= nextHeading && heading.test(one));
      if (at < 0) return event;
      nextHeading = at + 1;
    }
    const search = (text: string, isFound: (content: string) => boolean): boolean => {
      if (text === "") return true;
      const at = normalizedCode.findIndex((content, index) => index >= nextCode && isFound(content));
      if (at >= 0) nextCode = at;
      return at >= 0;
    };
    const { code: whole, within = [] } = expected;
    if (!whole.map(normalize).every((text) => search(text, (content) => content === text))) return event;
    if (!within.map(normalize).every((text) => search(text, (content) => content.includes(text)))) return event;
  }
  return null;
}

export function countChecked(events: readonly Event[]): CheckedCounts {
  const count = (...types: readonly string[]): number => events.filter(({ body }) => types.includes(body.type)).length;
  return {
    messages: count("turn.started", "turn.steered", "message.queued", "message.returned"),
    texts: count("text.ended", "reasoning.ended"),
    calls: count("tool.requested"),
    decisions: count("decision.requested"),
  };
}

/** The strings and numbers in a value. */
function leaves(value: unknown): string[] {
  if (typeof value === "string" || typeof value === "number") return [String(value)];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(leaves);
}

/** Compares texts without what the formats write differently: white space, invisible characters, and escapes. */
function normalize(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(invisibleCharacters, "")
    .replaceAll(/\\u\{[0-9a-f]+\}|\\u[0-9a-f]{4}|\\[bfnrt]|[\s\\"\ufffd]/g, "");
}
