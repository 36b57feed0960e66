import { crc32 } from "node:zlib";
import { decodeRecords } from "./spool-format.ts";

/**
 * Before a torn tail is cut off: is it really the beginning of one record, or does a wrong length only make it look
 * so? Then intact records stand behind it, which must not be thrown away. Returns what is wrong, or null.
 */
export function explainTornTail(tail: Buffer, lastSeq: number): string | null {
  // The checksum does not cover the length: where it fits all that is there, the length is what is wrong.
  if (tail.length > 8 && crc32(tail.subarray(8)) === tail.readUInt32LE(4)) return "the length of a record is wrong";
  const sequence = Buffer.alloc(8);
  sequence.writeBigUInt64LE(BigInt(lastSeq + 2));
  for (let at = tail.indexOf(sequence); at !== -1; at = tail.indexOf(sequence, at + 1)) {
    if (at >= 12 && decodeRecords(tail.subarray(at - 12), lastSeq + 1).end > 0) {
      return `record ${lastSeq + 1} is broken, but a whole record stands behind it`;
    }
  }
  return null;
}
