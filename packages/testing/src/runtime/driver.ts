/** A process that drives a session, so that a test can kill it: `node driver.ts HOME WORKSPACE MESSAGE`. */
import { adapters } from "@fairlead/adapters";
import { Home } from "../../../runtime/src/home.ts";
import { Runtime } from "../../../runtime/src/runtime.ts";

const [home = "", workspace = "", message = ""] = process.argv.slice(2);
const runtime = await Runtime.open({ home: new Home(home), adapters });
const session = await runtime.start({ agent: "scripted", workspace });
console.log(session.id);
await session.send(message);
for await (const item of session.stream()) if ("type" in item) console.log("delta");
