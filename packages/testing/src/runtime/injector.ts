/** A process that injects context into a session and is then killed by a test: `node injector.ts HOME WORKSPACE TEXT`. */
import { adapters } from "@fairlead/adapters";
import { Home } from "../../../runtime/src/home.ts";
import { Runtime } from "../../../runtime/src/runtime.ts";

const [home = "", workspace = "", text = ""] = process.argv.slice(2);
const runtime = await Runtime.open({ home: new Home(home), adapters });
const session = await runtime.start({ agent: "scripted", workspace });
await session.inject(text);
console.log(session.id);
// Drive the session until the test kills this process.
await session.finished;
