/** A process that drives a session, so that a test can kill it: `node driver-for-test.ts HOME WORKSPACE MESSAGE`. */
import { adapters } from "@fairlead/adapters";
import { Home } from "./home.ts";
import { Runtime } from "./runtime.ts";

const [home = "", workspace = "", message = ""] = process.argv.slice(2);
const runtime = await Runtime.open({ home: new Home(home), adapters });
const session = await runtime.start({ agent: "scripted", workspace });
console.log(session.id);
await session.send(message);
for await (const one of session.stream()) if ("type" in one) console.log("delta");
