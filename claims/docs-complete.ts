import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Claim } from "../measure/claim.ts";
import { createSilentProgram, type CliCommand } from "../scripts/docs/cli-page.ts";
import { findUndocumented } from "../scripts/docs/find-undocumented.ts";
import { listInventory } from "../scripts/docs/inventory.ts";
import { root } from "../scripts/run.ts";

export const docsComplete: Claim = {
  id: "docs-complete",
  statement: "The reference names every command, option, variable, key, route, event and error code of the program.",
  bound: "0 undocumented; a planted option of a command, of the program and of a command below a command are reported",
  async prove() {
    const readPage = (page: string): string => readFileSync(join(root, page), "utf8");
    const inventory = listInventory(root);
    const undocumented = findUndocumented(inventory, readPage);
    for (const { kind, name, page } of undocumented) console.log(`${page} does not name the ${kind} ${name}.`);
    const counts = Object.entries(Object.groupBy(inventory, ({ kind }) => kind)).map(
      ([kind, items = []]) => `${items.length} × ${kind}`,
    );
    const planted = countPlantedOptions(readPage);
    return {
      measured: `${counts.join(", ")}; ${undocumented.length} undocumented; control: ${planted} of 3 planted options reported`,
      holds: inventory.length > 0 && undocumented.length === 0 && planted === 3,
    };
  },
};

/** The control: the program with three more options. Commands have the option `--json`, but the program has not. */
function countPlantedOptions(readPage: (page: string) => string): number {
  const program = createSilentProgram().option("--json", "a planted option");
  const find = (name: string): CliCommand | undefined => program.commands.find((command) => command.name() === name);
  find("run")?.option("--planted", "a planted option");
  find("token")?.command("planted").option("--planted", "a planted option");
  const undocumented = findUndocumented(listInventory(root, program), readPage);
  return undocumented.filter(({ kind, name }) => kind === "option" && /^--(?:json|planted)$/.test(name)).length;
}
