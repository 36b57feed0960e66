import { isAlias, isScalar, LineCounter, parseDocument, visit, type Document } from "yaml";
import { z } from "zod";
import { listKnownKeys, listRequiredKeys } from "./list-known-keys.ts";
import { WorkspaceConfig } from "./workspace-config.ts";

/** Nested deeper than any setting. A recursive parser would exhaust the stack. */
const maxDepth = 100;
/** Some messages of the library contain a part of the file. */
const maxProblemLength = 300;
/** How many unknown keys a message names. */
const maxNamedKeys = 5;

/** Parses the text of a workspace file, as `parseConfig`. */
export function parseWorkspaceConfig(text: string): WorkspaceConfig {
  return parseConfig(text, WorkspaceConfig);
}

/**
 * Parses the text of a configuration file. Throws an error that names the line of the problem and does not quote the file:
 * callers that may start sessions may not be allowed to read files.
 */
export function parseConfig<Schema extends z.ZodObject>(text: string, schema: Schema): z.infer<Schema> {
  const lines = new LineCounter();
  const placed = (offset: number, problem: string): Error =>
    new Error(`Line ${lines.linePos(offset).line}: ${problem.slice(0, maxProblemLength)}`);
  // The library compares each key with all others, which takes seconds for a file of many keys.
  const document = parseDocument(text, { prettyErrors: false, uniqueKeys: false, lineCounter: lines });
  const [error] = document.errors;
  if (error !== undefined) throw placed(error.pos[0], error.message);
  const duplicate = findDuplicateKey(document);
  if (duplicate !== null) throw placed(duplicate, "The key occurs twice.");
  const { success, data, error: invalid } = schema.safeParse(document.toJS() ?? {});
  if (success) return data;
  throw new Error(invalid.issues.map((issue) => describeIssue(issue, schema, document, placed)).join("\n"));
}

/** Returns the position of a key that its map already has, or null. */
function findDuplicateKey(document: Document): number | null {
  let duplicate: number | null = null;
  visit(document, {
    Map(_key, { items }, path) {
      if (path.length > maxDepth) throw new Error("It is nested too deeply.");
      const seen = new Set<unknown>();
      for (const { key } of items) {
        const name = isScalar(key) ? String(key.value) : isAlias(key) ? `*${key.source}` : key;
        if (seen.has(name)) {
          duplicate = (key as { range?: readonly [number, ...unknown[]] }).range?.[0] ?? 0;
          return visit.BREAK;
        }
        seen.add(name);
      }
      return undefined;
    },
  });
  return duplicate;
}

function describeIssue(
  issue: z.core.$ZodIssue,
  schema: z.ZodObject,
  document: Document,
  placed: (offset: number, problem: string) => Error,
): string {
  const path = issue.path.join(".");
  const isUnknownKey = issue.code === "unrecognized_keys";
  const problem = isUnknownKey
    ? describeUnknownKeys(issue.keys, listKnownKeys(schema, issue.path))
    : path !== "" && document.getIn(issue.path) === undefined
      ? `${path} is missing.${issue.path.length === 1 ? ` Required: ${listRequiredKeys(schema).join(", ")}.` : ""}`
      : `${path === "" ? "The file" : `The value of ${path}`} is not valid: ${issue.message.replace(/\.$/, "")}.`;
  const key = isUnknownKey ? [...issue.path, ...issue.keys.slice(0, 1)] : issue.path;
  const node = document.getIn(key, true) as { range?: readonly [number, ...unknown[]] } | undefined;
  return node?.range === undefined ? problem : placed(node.range[0], problem).message;
}

function describeUnknownKeys(keys: readonly string[], known: readonly string[]): string {
  const named = keys.slice(0, maxNamedKeys).map((key) => JSON.stringify(key));
  return `There is no key ${named.join(", ")}.${known.length === 0 ? "" : ` Keys: ${known.join(", ")}.`}`;
}
