import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Claim } from "../measure/claim.ts";
import { runQuietly } from "../scripts/run.ts";
import { RepositoryCopy } from "../scripts/small-steps.ts";

/** A fault that is planted in a copy of the repository, and the message that must report it. */
interface PlantedFault {
  readonly name: string;
  readonly page: string;
  readonly plant: (text: string) => string;
  readonly message: RegExp;
}

const faults: readonly PlantedFault[] = [
  {
    name: "broken link",
    page: "docs/README.md",
    plant: (text) => `${text}\nSee [a page](use/no-such-page.md).\n`,
    message: /^docs\/README\.md:\d+: The link use\/no-such-page\.md leads to no file\.$/m,
  },
  {
    name: "stale table",
    page: "docs/extend/contract.md",
    plant: (text) => text.replace("| `turn.steered` |", "| `turn.turned` |"),
    message: /^docs\/extend\/contract\.md:1: The page differs from the code\./m,
  },
  {
    name: "wrong flag",
    page: "docs/use/configuration.md",
    plant: (text) => `${text}\n\`\`\`sh no-run\nfairlead ls --everything\n\`\`\`\n`,
    message: /^docs\/use\/configuration\.md:\d+: fairlead ls --everything: unknown option '--everything'/m,
  },
];

export const docsTrue: Claim = {
  id: "docs-true",
  statement: "One command checks every internal link, code block and generated table of the documents.",
  bound: "node scripts/docs/check.ts finds 0 problems; a planted broken link, stale table and wrong flag each fail",
  async prove() {
    const check = await runQuietly(process.execPath, ["scripts/docs/check.ts"]);
    if (check.code !== 0) console.log(check.output);
    const counts = check.output.trimEnd().split("\n").at(-1) ?? "";
    using copy = await RepositoryCopy.create();
    const unplanted = await checkCopy(copy);
    const found: string[] = [];
    for (const fault of faults) if (await isFound(copy, fault)) found.push(fault.name);
    return {
      measured:
        `${counts}; controls: the copy without a fault exits with ${unplanted.code}, ` +
        `${found.length} of ${faults.length} planted faults found (${found.join(", ")})`,
      holds: check.code === 0 && unplanted.code === 0 && found.length === faults.length,
    };
  },
};

/** Checks a copy without running blocks: what runs does not depend on the planted faults. */
async function checkCopy(copy: RepositoryCopy): Promise<{ code: number; output: string }> {
  return await copy.run(process.execPath, ["scripts/docs/check.ts", "--no-run"]);
}

/** Plants a fault, checks the copy, and removes the fault. */
async function isFound(copy: RepositoryCopy, { page, plant, message }: PlantedFault): Promise<boolean> {
  const path = join(copy.folder, page);
  const text = readFileSync(path, "utf8");
  writeFileSync(path, plant(text));
  const { code, output } = await checkCopy(copy);
  writeFileSync(path, text);
  return code === 1 && message.test(output) && /; problems: 1$/m.test(output);
}
