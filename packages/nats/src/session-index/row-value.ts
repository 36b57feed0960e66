import type { SessionRow } from "@fairlead/journal";
import { zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { z } from "zod";

const formatVersion = 1;
// Shorter contents gain little, and a page would decompress each of them.
const minCompressedBytes = 1_024;
const newline = 10;

/** A row as the copy in memory has it: 100,000 contents would take too much of it as plain text. */
export interface PackedRow extends Omit<SessionRow, "content"> {
  /** The content; if it is compressed, its bytes as a string of Latin-1, which takes less memory than a buffer. */
  readonly packed: string;
  readonly isCompressed: boolean;
}

/** The first line of a value, as JSON. The content follows. */
const RowHeader = z.tuple([
  z.literal(formatVersion),
  z.number(), // the version of the content
  z.boolean(), // whether the content is compressed
  z.number(), // epoch
  z.number(), // last
  z.string(), // owner
  z.string(), // state
  z.boolean(), // unfinished
  z.string().nullable(), // name
  z.string(), // agent
  z.string(), // workspace
  z.string().nullable(), // continues
  z.string().nullable(), // agentSessionId
  z.string(), // startedAt
  z.string(), // lastAt
]);
type RowHeader = z.infer<typeof RowHeader>;

/** Encodes a row as a value of the bucket. The key has the session's id. */
export function encodeRow(row: SessionRow, contentVersion: number): Uint8Array {
  const content = Buffer.from(row.content);
  const compressed = content.byteLength < minCompressedBytes ? content : zstdCompressSync(content);
  const isCompressed = compressed.byteLength < content.byteLength;
  const { epoch, last, owner, state, unfinished, name, agent, workspace, continues, agentSessionId } = row;
  const header: RowHeader = [
    formatVersion,
    contentVersion,
    isCompressed,
    epoch,
    last,
    owner,
    state,
    unfinished,
    name,
    agent,
    workspace,
    continues,
    agentSessionId,
    row.startedAt,
    row.lastAt,
  ];
  return Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), isCompressed ? compressed : content]);
}

/** Decodes a value of the bucket. Returns undefined for one of another version: the index does not have that row. */
export function decodeRow(session: string, data: Uint8Array, contentVersion: number): PackedRow | undefined {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  const headerEnd = bytes.indexOf(newline);
  const header = parseHeader(bytes.toString("utf8", 0, headerEnd));
  if (header?.[1] !== contentVersion) return undefined;
  const [, , isCompressed, epoch, last, owner, state, unfinished, name, agent, workspace, ...rest] = header;
  const [continues, agentSessionId, startedAt, lastAt] = rest;
  const packed = bytes.toString(isCompressed ? "latin1" : "utf8", headerEnd + 1);
  return {
    session,
    epoch,
    last,
    owner,
    state,
    unfinished,
    name,
    agent,
    workspace,
    continues,
    agentSessionId,
    startedAt,
    lastAt,
    packed,
    isCompressed,
  };
}

/** Returns the row with its content as text. */
export function unpackRow({ packed, isCompressed, ...fields }: PackedRow): SessionRow {
  const content = isCompressed ? zstdDecompressSync(Buffer.from(packed, "latin1")).toString() : packed;
  return { ...fields, content };
}

function parseHeader(text: string): RowHeader | undefined {
  try {
    return RowHeader.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
