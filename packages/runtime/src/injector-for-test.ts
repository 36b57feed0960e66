/** A process that injects into a session and is then killed by its test: `node injector-for-test.ts HOME WORKSPACE TEXT`. */
import { adapters } from "@fairlead/adapters";
import { Home } from "./home.ts";
import { Runtime } from "./runtime.ts";

const [home = "", workspace = "", text = ""] = process.argv.slice(2);
const runtime = await Runtime.open({ home: new Home(home), adapters });
const session = await runtime.start({ agent: "scripted", workspace });
await session.inject(text);
console.log(session.id);
// Drives on until it is killed.
await session.finished;
