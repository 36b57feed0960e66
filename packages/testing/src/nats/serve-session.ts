// A host process for tests: serves one session until it is killed. Arguments: server, user, password, namespace, session.
import { connectToNats, NatsBus } from "@fairlead/nats";

const [server = "", user = "", password = "", namespace = "", session = ""] = process.argv.slice(2);
const connection = await connectToNats({ servers: [server], user, password });
const bus = new NatsBus({ connection, namespace });
await bus.serve(session, 1, async ({ method }) => (method === "wait" ? await new Promise(() => {}) : "pong"));
process.stdout.write("ready\n");
