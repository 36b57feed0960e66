import { zstdCompressSync, zstdDecompressSync } from "node:zlib";

const lengthPrefixBytes = 4;
// Below this size, the frame of the compression takes what it saves.
const minCompressedBytes = 256;
// A compressed frame must save this share, or readers decompress it for nothing.
const maxCompressedShare = 0.9;

export interface EncodedData {
  readonly data: Uint8Array;
  readonly isCompressed: boolean;
}

/** Packs events and notes into new bytes, each with a length prefix, and compresses them if that saves space. */
export function encodeFrameData(items: readonly Uint8Array[]): EncodedData {
  const data = Buffer.allocUnsafe(items.reduce((sum, item) => sum + lengthPrefixBytes + item.byteLength, 0));
  let offset = 0;
  for (const item of items) {
    offset = data.writeUInt32BE(item.byteLength, offset);
    data.set(item, offset);
    offset += item.byteLength;
  }
  if (data.byteLength < minCompressedBytes) return { data, isCompressed: false };
  const compressed = zstdCompressSync(data);
  const isWorthwhile = compressed.byteLength < data.byteLength * maxCompressedShare;
  return isWorthwhile ? { data: compressed, isCompressed: true } : { data, isCompressed: false };
}

/** Unpacks events and notes. Returns undefined when the bytes do not contain exactly `count` of them. */
export function decodeFrameData({ data, isCompressed }: EncodedData, count: number): Uint8Array[] | undefined {
  const bytes = isCompressed ? decompress(data) : Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  if (bytes === undefined) return undefined;
  const items: Uint8Array[] = [];
  let offset = 0;
  while (offset + lengthPrefixBytes <= bytes.byteLength) {
    const start = offset + lengthPrefixBytes;
    const end = start + bytes.readUInt32BE(offset);
    if (end > bytes.byteLength) return undefined;
    items.push(bytes.subarray(start, end));
    offset = end;
  }
  return offset === bytes.byteLength && items.length === count ? items : undefined;
}

function decompress(data: Uint8Array): Buffer | undefined {
  try {
    return zstdDecompressSync(data);
  } catch {
    return undefined;
  }
}
