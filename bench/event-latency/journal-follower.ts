/** Follows a session in the journal and prints the age of each tick: `node journal-follower.ts OPTIONS`. */
import { adapters } from "@fairlead/adapters";
import { Home, Runtime } from "@fairlead/runtime";

export interface JournalFollowerOptions {
  readonly home: string;
  readonly session: string;
}

const { home, session } = JSON.parse(process.argv[2] ?? "") as JournalFollowerOptions;
const runtime = await Runtime.open({ home: new Home(home), adapters });
console.log("ready");
const ages: number[] = [];
for await (const { body } of runtime.events(session, 0, new AbortController().signal)) {
  if (body.type === "text.ended") ages.push(Number(process.hrtime.bigint() - BigInt(body.text)) / 1e6);
  if (body.type === "turn.ended") break;
}
console.log(JSON.stringify(ages));
process.exit(0);
