import { parseWithSchema } from "@fairlead/api";
import { FairleadError, jsonDepth } from "@fairlead/contract";
import type { z } from "zod";

/** Deeper than any request needs. Serializing an arbitrarily deep value again would overflow the stack. */
const maxBodyDepth = 64;

/** Parses a request body with its schema. An empty body counts as an empty object. */
export function readBody<T>(schema: z.ZodType<T>, text: string): T {
  if (jsonDepth(text) > maxBodyDepth)
    throw new FairleadError("invalid-request", `The body is nested deeper than ${maxBodyDepth} levels.`);
  return parseWithSchema(schema, parseJson(text));
}

function parseJson(text: string): unknown {
  try {
    return text === "" ? {} : JSON.parse(text);
  } catch (error) {
    throw new FairleadError("invalid-request", "The body is not JSON.", { cause: error });
  }
}
