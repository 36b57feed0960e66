/** Fairlead inside a program of one's own: `node examples/embed.ts [agent]`. */
import { adapters } from "@fairlead/adapters";
import { Home } from "@fairlead/runtime";
import { LocalFairlead } from "@fairlead/server";

const [agent = "scripted"] = process.argv.slice(2);
await using fairlead = await LocalFairlead.open({ home: new Home(".fairlead"), adapters });
const { session } = await fairlead.start({ agent, workspace: process.cwd(), prompt: "Write a greeting." });
for await (const one of fairlead.events(session, { follow: true })) {
  if (!("body" in one)) continue;
  console.log(one.sequence, one.body.type);
  if (one.body.type === "decision.requested") await fairlead.answer(session, one.body.decision, { type: "allow" });
  if (one.body.type === "turn.ended") break;
}
await fairlead.stop(session);
