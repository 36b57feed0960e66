/** A process that stops in the middle of a start, so that a test can kill it: `node halted-start.ts HOME WORKSPACE SESSION`. */
import { adapters } from "@fairlead/adapters";
import { SpoolReader } from "@fairlead/keeper";
import { Home } from "../../../runtime/src/home.ts";
import { Runtime } from "../../../runtime/src/runtime.ts";

const [home = "", workspace = "", session = ""] = process.argv.slice(2);
SpoolReader.prototype.read = () => []; // the actor never sees the opening, so the journal gets no event
const runtime = await Runtime.open({ home: new Home(home), adapters });
await runtime.start({ agent: "scripted", workspace, session });
