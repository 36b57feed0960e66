/** A person's seat at a session: `node sit-down.ts '{"home":…,"session":…}'` in a real terminal. Ctrl-\ hands the lead back. */
import { adapters } from "@fairlead/adapters";
import { Home, Runtime } from "@fairlead/runtime";
import { joinTerminal, sizeOf } from "../../packages/cli/src/terminal/join-terminal.ts";

const { home, session: id } = JSON.parse(process.argv[2] ?? "") as { home: string; session: string };
await using runtime = await Runtime.open({ home: new Home(home), adapters });
const session = await runtime.attach(id);
const leaving = new AbortController();
const screen = session.screen(leaving.signal);
await session.takeOver(sizeOf(process.stdout));
const far = {
  screen,
  type: (text: string) => session.type(text),
  resize: (size: ReturnType<typeof sizeOf>) => session.resize(size),
};
const how = await joinTerminal(far, process);
leaving.abort();
if (how === "detached") await session.handBack();
console.log(`left: ${how}`);
