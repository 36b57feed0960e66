/** The same at the daemon, which goes on when this program ends: `fairlead up`, then `node examples/client.ts [agent]`. */
import { homedir } from "node:os";
import { RemoteFairlead } from "@fairlead/client";
import { nodeWire } from "@fairlead/client/node";

const [agent = "scripted"] = process.argv.slice(2);
const home = process.env["FAIRLEAD_HOME"] ?? `${homedir()}/.fairlead`;
const fairlead = new RemoteFairlead(nodeWire({ socket: `${home}/daemon/socket` }));
const { session } = await fairlead.start({ agent, workspace: process.cwd(), prompt: "Write a greeting." });
for await (const one of fairlead.events(session, { follow: true })) {
  if (!("body" in one)) continue;
  console.log(one.sequence, one.body.type);
  if (one.body.type === "decision.requested") await fairlead.answer(session, one.body.decision, { type: "allow" });
  if (one.body.type === "turn.ended") break;
}
await fairlead.stop(session);
