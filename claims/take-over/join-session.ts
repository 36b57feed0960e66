/** Joins a session as a person: `node join-session.ts '{"home":…,"session":…}'` in a real terminal. Ctrl-\ hands the lead back. */
import { adapters } from "@fairlead/adapters";
import { Home, Runtime } from "@fairlead/runtime";
import { connectTerminals, terminalSizeOf } from "../../packages/cli/src/terminal/connect-terminals.ts";

const { home, session: id } = JSON.parse(process.argv[2] ?? "") as { home: string; session: string };
await using runtime = await Runtime.open({ home: new Home(home), adapters });
const session = await runtime.attach(id);
const leaving = new AbortController();
const screen = session.screen(leaving.signal);
await session.takeOver(terminalSizeOf(process.stdout));
const remoteTerminal = {
  screen,
  type: (text: string) => session.type(text),
  resize: (size: ReturnType<typeof terminalSizeOf>) => session.resize(size),
};
const ending = await connectTerminals(remoteTerminal, process);
leaving.abort();
if (ending === "detached") await session.handBack();
console.log(`left: ${ending}`);
