/**
 * A process that runs the service, so that a test can kill it: `node service-process.ts HOME WORKSPACE COUNT MESSAGE`.
 * It starts COUNT sessions, sends the message to each with the key `send-N`, prints a line for each session whose turn is
 * running, and runs until it is killed.
 */
import { adapters } from "@fairlead/adapters";
import { Home } from "@fairlead/runtime";
import { LocalFairlead } from "../../../service/src/local-fairlead.ts";

const [home = "", workspace = "", count = "1", message = ""] = process.argv.slice(2);
const fairlead = await LocalFairlead.open({
  home: new Home(home),
  adapters,
  environment: process.env,
  fallback: "scripted",
  version: "0.0.0",
});

async function startTurn(index: number): Promise<void> {
  const { session } = await fairlead.start({ workspace, name: `s${index}` }, { key: `start-${index}` });
  const { turn } = await fairlead.send(session, message, { key: `send-${index}` });
  for await (const one of fairlead.events(session, { follow: true, deltas: true })) {
    if ("body" in one) continue;
    console.log(JSON.stringify({ session, turn }));
    return;
  }
}

for (let index = 0; index < Number(count); index += 1) void startTurn(index);
setInterval(() => {}, 1000);
