/** One runtime with many idle sessions: `node many-sessions.ts OPTIONS`. It prints a line when they all wait. */
import { once } from "node:events";
import { adapters } from "@fairlead/adapters";
import { Home, Runtime, type Session } from "@fairlead/runtime";

export interface ManySessionsOptions {
  readonly home: string;
  readonly workspace: string;
  /** How many in all, one number for each time that it is told to go on. */
  readonly upTo: readonly number[];
}

const atOnce = 4;
const { home, workspace, upTo } = JSON.parse(process.argv[2] ?? "") as ManySessionsOptions;
const runtime = await Runtime.open({ home: new Home(home), adapters });
const sessions: Session[] = [];

async function startOne(): Promise<void> {
  const session = await runtime.start({ agent: "scripted", workspace });
  sessions.push(session);
  // It is idle when it has said who it is.
  for await (const one of session.stream()) if ("body" in one && one.body.type === "session.changed") break;
}

for (const count of upTo) {
  while (sessions.length < count) {
    await Promise.all(Array.from({ length: Math.min(atOnce, count - sessions.length) }, startOne));
  }
  console.log(JSON.stringify(sessions.map(({ id }) => id)));
  await once(process.stdin, "data");
}
process.exit(0);
