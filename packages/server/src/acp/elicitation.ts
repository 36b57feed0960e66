import type {
  CreateElicitationResponse,
  ElicitationContentValue,
  ElicitationPropertySchema,
  ElicitationSchema,
} from "@agentclientprotocol/sdk";
import type { Answer, Question } from "@fairlead/contract";

/** A form with a field for each question, for editors that can show one. */
export function formOf(questions: readonly Question[]): ElicitationSchema {
  const fields = questions.map((question, at) => [fieldOf(at), propertyOf(question)] as const);
  return { type: "object", properties: Object.fromEntries(fields), required: fields.map(([name]) => name) };
}

/** The filled-in form as an answer, or undefined if nobody filled it in. */
export function answersOf(questions: readonly Question[], response: CreateElicitationResponse): Answer | undefined {
  if (response.action !== "accept" || !("content" in response)) return undefined;
  const content = (response.content ?? {}) as Readonly<Record<string, ElicitationContentValue>>;
  const answers = questions.flatMap(({ text }, at) => {
    const given = content[fieldOf(at)];
    return given === undefined ? [] : [[text, Array.isArray(given) ? given.join(", ") : String(given)] as const];
  });
  return { type: "choose", answers: Object.fromEntries(answers) };
}

const fieldOf = (at: number): string => `question-${at + 1}`;

function propertyOf({ text, options, several }: Question): ElicitationPropertySchema {
  if (options.length === 0) return { type: "string", title: text };
  const choices = options.map(({ label, description }) => ({
    const: label,
    title: label,
    ...(description !== undefined && { description }),
  }));
  return several
    ? { type: "array", title: text, items: { anyOf: choices } }
    : { type: "string", title: text, oneOf: choices };
}
