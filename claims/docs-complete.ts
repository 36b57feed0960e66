import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Claim } from "../measure/claim.ts";
import { createSilentProgram } from "../scripts/docs/cli-page.ts";
import { findUndocumented } from "../scripts/docs/find-undocumented.ts";
import { listInventory } from "../scripts/docs/inventory.ts";
import { root } from "../scripts/run.ts";

export const docsComplete: Claim = {
  id: "docs-complete",
  statement: "The reference names every command, option, variable, key, route, event and error code of the program.",
  bound: "0 undocumented; a planted option is reported",
  async prove() {
    const readPage = (page: string): string => readFileSync(join(root, page), "utf8");
    const inventory = listInventory(root);
    const undocumented = findUndocumented(inventory, readPage);
    for (const { kind, name, page } of undocumented) console.log(`${page} does not name the ${kind} ${name}.`);
    const counts = Object.entries(Object.groupBy(inventory, ({ kind }) => kind)).map(
      ([kind, items = []]) => `${items.length} × ${kind}`,
    );
    const planted = findPlantedOption(readPage);
    return {
      measured: `${counts.join(", ")}; ${undocumented.length} undocumented; control: ${planted} planted option reported`,
      holds: inventory.length > 0 && undocumented.length === 0 && planted === 1,
    };
  },
};

/** The control: the program with one more option. */
function findPlantedOption(readPage: (page: string) => string): number {
  const program = createSilentProgram();
  program.commands.find((command) => command.name() === "run")?.option("--planted", "a planted option");
  const undocumented = findUndocumented(listInventory(root, program), readPage);
  return undocumented.filter(({ kind, name }) => kind === "option" && name === "--planted").length;
}
