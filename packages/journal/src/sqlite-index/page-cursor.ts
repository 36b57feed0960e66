import { FairleadError } from "@fairlead/contract";
import type { RowKey, SessionPageOptions } from "../session-index.ts";

type PageOrder = NonNullable<SessionPageOptions["order"]>;

/** Encodes the position after a row. Readable in a URL without escapes. */
export function encodeCursor(order: PageOrder, { session, lastAt }: RowKey): string {
  const fields = order === "session" ? [session] : [session, lastAt];
  return Buffer.from(JSON.stringify(fields)).toString("base64url");
}

/** Decodes a cursor. Throws `invalid-request` if no page of this order has returned it. */
export function decodeCursor(order: PageOrder, cursor: string): RowKey {
  const [session, lastAt = "", ...rest] = parseFields(cursor);
  if (session === undefined || rest.length > 0 || (lastAt === "") !== (order === "session")) throw invalidCursor();
  return { session, lastAt };
}

function parseFields(cursor: string): string[] {
  try {
    const fields: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString());
    if (Array.isArray(fields) && fields.every((field) => typeof field === "string")) return fields;
  } catch {
    // Falls through to the same error.
  }
  throw invalidCursor();
}

function invalidCursor(): FairleadError {
  return new FairleadError("invalid-request", "The cursor is invalid. Pass the `next` of a page with the same order.");
}
