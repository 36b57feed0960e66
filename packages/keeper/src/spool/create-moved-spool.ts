import { join } from "node:path";
import type { SpoolRecord } from "@fairlead/contract";
import { realDisk, type Disk } from "./disk.ts";
import { encodeHeader, encodeRecord } from "./spool-format.ts";
import { segmentName } from "./spool-reader.ts";
import { TrimmedIds, type TrimEntry } from "./trimmed-ids.ts";

/**
 * Creates the spool of a session that comes from another host, whose records stay there: it looks trimmed, begins with one
 * record, and knows the ids of earlier requests, so that one which is repeated is not executed again.
 */
export function createMovedSpool(
  folder: string,
  earlier: TrimEntry["ids"],
  record: SpoolRecord,
  disk: Disk = realDisk,
): void {
  disk.makeFolder(folder);
  new TrimmedIds(disk, folder).add({ upTo: record.seq - 1, lastProcess: 0, ids: earlier });
  using file = disk.append(join(folder, segmentName(record.seq)));
  file.append(Buffer.concat([encodeHeader(), encodeRecord(record, 0n)]));
  file.sync();
}
