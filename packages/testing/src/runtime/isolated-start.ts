import { adapters } from "@fairlead/adapters";
import { Home } from "../../../runtime/src/home.ts";
import { Runtime } from "../../../runtime/src/runtime.ts";

/** Starts an isolated session and trusts its setup commands. A test kills it while they run. */
const [, , folder = "", workspace = "", session = ""] = process.argv;
const runtime = await Runtime.open({ home: new Home(folder), adapters, trustsFile: () => true });
await runtime.start({ agent: "shell", workspace, session, isolated: true });
