import { FairleadError } from "@fairlead/contract";
import type { z } from "zod";

/** Deeper than anything we ask for; what is nested without end breaks whoever writes it out again. */
const deepest = 64;

/** What a request says, as its schema has it. Nothing at all is read as an empty object. */
export function readBody<T>(schema: z.ZodType<T>, text: string): T {
  if (depthOf(text) > deepest) throw new FairleadError("invalid-request", `The body is nested deeper than ${deepest}.`);
  return accepted(schema, parsed(text));
}

/** A value that the schema accepts, or the reasons why not. */
export function accepted<T>(schema: z.ZodType<T>, value: unknown): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const reasons = result.error.issues.map(({ path, message }) => [...path, message].join(": "));
  throw new FairleadError("invalid-request", reasons.join("; "));
}

function parsed(text: string): unknown {
  try {
    return text === "" ? {} : JSON.parse(text);
  } catch (error) {
    throw new FairleadError("invalid-request", "The body is not JSON.", { cause: error });
  }
}

/** Counted on the letters, once each, before anything is built of them. */
function depthOf(text: string): number {
  let [depth, most, quoted] = [0, 0, false];
  for (let at = 0; at < text.length; at += 1) {
    const letter = text[at];
    if (quoted && letter === "\\") at += 1;
    else if (letter === '"') quoted = !quoted;
    else if (quoted) continue;
    else if (letter === "[" || letter === "{") most = Math.max(most, (depth += 1));
    else if (letter === "]" || letter === "}") depth -= 1;
  }
  return most;
}
