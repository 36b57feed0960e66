import { dirname } from "node:path";
import type { Claim } from "../measure/claim.ts";
import { measureSources } from "./source-sizes.ts";

const limits = { folder: 25, file: 300, median: 60 };

export const folderSize: Claim = {
  id: "folder-size",
  statement: "Packages consist of small files in small folders.",
  bound: `packages/*/src without tests: folder ≤ ${limits.folder} files, file ≤ ${limits.file} lines, median ≤ ${limits.median}`,
  async prove() {
    const sources = measureSources("packages/*/src/**/*.{ts,tsx}");
    const folders = Object.entries(Object.groupBy(sources, ({ file }) => dirname(file))).map(
      ([folder, files = []]) => ({
        folder,
        count: files.length,
      }),
    );
    const [largestFolder] = folders.toSorted((one, other) => other.count - one.count);
    const [largestFile] = sources.toSorted((one, other) => other.lines - one.lines);
    const median = sources.map(({ lines }) => lines).toSorted((a, b) => a - b)[Math.floor(sources.length / 2)] ?? 0;
    if (largestFolder === undefined || largestFile === undefined) return { measured: "no sources", holds: false };
    return {
      measured:
        `${sources.length} files in ${folders.length} folders; largest folder ${largestFolder.folder} ` +
        `(${largestFolder.count}), largest file ${largestFile.file} (${largestFile.lines}), median ${median}`,
      holds: largestFolder.count <= limits.folder && largestFile.lines <= limits.file && median <= limits.median,
    };
  },
};
