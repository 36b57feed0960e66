import { FairleadError } from "@fairlead/contract";
import type { z } from "zod";
import { collectArguments, readArguments, type MethodRouteName } from "./route-arguments.ts";
import { type Route, routes } from "./routes.ts";

/** Returns the value that the schema accepts, or throws the reasons why it does not. */
export function parseWithSchema<T>(schema: z.ZodType<T>, value: unknown): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const reasons = result.error.issues.map(({ path, message }) => [...path, message].join(": "));
  throw new FairleadError("invalid-request", reasons.join("; "));
}

/**
 * Checks the arguments of a method with the schemas of its route and returns them with defaults. Throws
 * `invalid-request`. The server checks requests with the same schemas; this check is for callers in the same process,
 * whose mistakes would otherwise be written to the spool and fail where no caller sees it.
 */
export function parseArguments(name: MethodRouteName, values: readonly unknown[]): unknown[] {
  const { args, body: bodySchema, query: querySchema }: Route = routes[name];
  const sources = args ?? [];
  const parts = collectArguments(sources, values.slice(0, sources.length));
  if (sources.includes("session") && typeof parts.session !== "string")
    throw new FairleadError("invalid-request", "session: Invalid input: expected string");
  assertIsJson(parts.body);
  return readArguments(sources, {
    ...parts,
    ...(bodySchema !== null && { body: parseWithSchema<unknown>(bodySchema, parts.body) }),
    ...(querySchema !== null && { query: parseWithSchema(querySchema, parts.query ?? {}) }),
  });
}

/** Refuses values that JSON cannot carry, such as cycles: fields of any type accept them. */
function assertIsJson(value: unknown): void {
  try {
    JSON.stringify(value);
  } catch (error) {
    throw new FairleadError("invalid-request", `The arguments are not JSON: ${(error as Error).message}`, {
      cause: error,
    });
  }
}
