import type {
  CreateElicitationResponse,
  ElicitationContentValue,
  ElicitationPropertySchema,
  ElicitationSchema,
} from "@agentclientprotocol/sdk";
import type { Answer, Question } from "@fairlead/contract";

/** Builds a form with a field for each question, for editors that support forms. */
export function buildElicitationForm(questions: readonly Question[]): ElicitationSchema {
  const fields = questions.map((question, index) => [fieldName(index), fieldSchema(question)] as const);
  return { type: "object", properties: Object.fromEntries(fields), required: fields.map(([name]) => name) };
}

/** Converts the submitted form to an answer; undefined if the user did not submit it. */
export function parseElicitationResponse(
  questions: readonly Question[],
  response: CreateElicitationResponse,
): Answer | undefined {
  if (response.action !== "accept" || !("content" in response)) return undefined;
  const content = (response.content ?? {}) as Readonly<Record<string, ElicitationContentValue>>;
  const answers = questions.flatMap(({ text }, index) => {
    const value = content[fieldName(index)];
    return value === undefined ? [] : [[text, Array.isArray(value) ? value.join(", ") : String(value)] as const];
  });
  return { type: "choose", answers: Object.fromEntries(answers) };
}

const fieldName = (index: number): string => `question-${index + 1}`;

function fieldSchema({ text, options, multiSelect }: Question): ElicitationPropertySchema {
  if (options.length === 0) return { type: "string", title: text };
  const choices = options.map(({ label, description }) => ({
    const: label,
    title: label,
    ...(description !== undefined && { description }),
  }));
  return multiSelect
    ? { type: "array", title: text, items: { anyOf: choices } }
    : { type: "string", title: text, oneOf: choices };
}
