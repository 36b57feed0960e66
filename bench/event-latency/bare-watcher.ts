/** Reads the bare writer's commits when notified and prints the age of each tick: `node bare-watcher.ts OPTIONS`. */
import { watch } from "node:fs";
import { DatabaseSync } from "node:sqlite";

const { file } = JSON.parse(process.argv[2] ?? "") as { readonly file: string };
const database = new DatabaseSync(file, { readOnly: true });
const select = database.prepare("SELECT number, data FROM pieces WHERE number > ? ORDER BY number");
const ages: number[] = [];
let lastNumber = 0;
let remainder = "";
watch(`${file}.bell`, () => {
  for (const { number, data } of select.all(lastNumber) as unknown as { number: number; data: string }[]) {
    lastNumber = number;
    const lines = `${remainder}${data}`.split("\n");
    remainder = lines.pop() ?? "";
    const now = process.hrtime.bigint();
    for (const line of lines) {
      const said = JSON.parse(line) as { type: string; text?: string };
      if (said.type === "spoken" && said.text !== undefined) ages.push(Number(now - BigInt(said.text)) / 1e6);
      if (said.type !== "done") continue;
      console.log(JSON.stringify(ages));
      process.exit(0);
    }
  }
});
console.log("ready");
