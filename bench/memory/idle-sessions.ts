/** One runtime with many idle sessions: `node idle-sessions.ts OPTIONS`. It prints a line when all are idle. */
import { once } from "node:events";
import { adapters } from "@fairlead/adapters";
import { Home, Runtime, type Session } from "@fairlead/runtime";

export interface IdleSessionsOptions {
  readonly home: string;
  readonly workspace: string;
  /** The numbers of sessions, one for each step. */
  readonly counts: readonly number[];
}

const maxConcurrentStarts = 4;
const { home, workspace, counts } = JSON.parse(process.argv[2] ?? "") as IdleSessionsOptions;
const runtime = await Runtime.open({ home: new Home(home), adapters });
const sessions: Session[] = [];

async function startOne(): Promise<void> {
  const session = await runtime.start({ agent: "scripted", workspace });
  sessions.push(session);
  // It is idle after it has reported its session id.
  for await (const one of session.stream()) if ("body" in one && one.body.type === "session.changed") break;
}

for (const count of counts) {
  while (sessions.length < count) {
    await Promise.all(Array.from({ length: Math.min(maxConcurrentStarts, count - sessions.length) }, startOne));
  }
  console.log(JSON.stringify(sessions.map(({ id }) => id)));
  await once(process.stdin, "data");
}
process.exit(0);
