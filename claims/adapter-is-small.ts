import { basename } from "node:path";
import type { Claim } from "../measure/claim.ts";
import { measureSources } from "./source-sizes.ts";

const limits = { file: 300, minimum: 500 };

/** The files of a minimum adapter: launch, turns, approvals. Other files of an adapter are counted apart. */
const minimumFiles = new Set(["adapter.ts", "dialect.ts", "wire.ts", "entry.ts"]);

export const adapterIsSmall: Claim = {
  id: "adapter-is-small",
  statement: "An adapter is three small files, or one file of data for an agent that speaks ACP.",
  bound: `each adapter file ≤ ${limits.file} lines; minimum adapter (launch, turns, approvals) ≤ ${limits.minimum}`,
  async prove() {
    const files = measureSources("packages/adapters/src/*/*.ts");
    const adapters = Object.entries(Object.groupBy(files, ({ file }) => file.split("/")[3] ?? "")).map(
      ([id, parts = []]) => {
        const minimum = parts.filter(({ file }) => minimumFiles.has(basename(file)));
        const extra = parts.filter((part) => !minimum.includes(part));
        const sum = (list: typeof parts): number => list.reduce((total, { lines }) => total + lines, 0);
        return { id, minimum: sum(minimum), extra: sum(extra), largest: Math.max(...parts.map(({ lines }) => lines)) };
      },
    );
    const listed = adapters.map(({ id, minimum, extra, largest }) => {
      return `${id} ${minimum}${extra > 0 ? ` + ${extra}` : ""} (largest ${largest})`;
    });
    return {
      measured: listed.join(", "),
      holds:
        adapters.length > 0 &&
        adapters.every(({ minimum, largest }) => minimum <= limits.minimum && largest <= limits.file),
    };
  },
};
