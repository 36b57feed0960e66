import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../scripts/run.ts";
import type { Claim } from "./claim.ts";

const limits = { adapter: 500, file: 300, median: 90 };

export const adapterIsSmall: Claim = {
  id: "adapter-is-small",
  says: "An adapter is three small files, and the house is made of small files.",
  bound: `adapter ≤ ${limits.adapter} lines, its files ≤ ${limits.file}; median source file ≤ ${limits.median}`,
  async prove() {
    const sources = sizesOf("packages/*/{src,programs}/**/*.ts");
    const adapters = Object.groupBy(sizesOf("packages/adapters/src/*/*.ts"), ({ file }) => file.split("/")[3] ?? "");
    const totals = Object.entries(adapters).map(([id, files = []]) => ({
      id,
      total: files.reduce((sum, { lines }) => sum + lines, 0),
      largest: Math.max(...files.map(({ lines }) => lines)),
    }));
    const median = sources.map(({ lines }) => lines).toSorted((a, b) => a - b)[Math.floor(sources.length / 2)] ?? 0;
    const small = totals.every(({ total, largest }) => total <= limits.adapter && largest <= limits.file);
    const listed = totals.map(({ id, total, largest }) => `${id} ${total} (largest ${largest})`).join(", ");
    return {
      measured: `${listed}; median of ${sources.length} files ${median}`,
      holds: totals.length > 0 && small && median <= limits.median,
    };
  },
};

function sizesOf(pattern: string): { file: string; lines: number }[] {
  return globSync(pattern, { cwd: root })
    .filter((file) => !file.endsWith(".test.ts") && !file.includes("/fixtures/"))
    .map((file) => ({ file, lines: readFileSync(join(root, file), "utf8").trimEnd().split("\n").length }));
}
