import type { Fairlead } from "@fairlead/api";

/** Says something, waits until the agent has answered, and gives what that cost; more than the budget is not spent. */
export async function oneTurn(fairlead: Fairlead, session: string, text: string, budget: number): Promise<number> {
  const { last } = await fairlead.session(session);
  await fairlead.send(session, text);
  let spent = 0;
  for await (const one of fairlead.events(session, { after: last, follow: true })) {
    if (!("body" in one)) continue;
    const { body } = one;
    if (body.type === "file.changed") console.log(`  ${body.change} ${body.path}`);
    if (body.type === "usage.reported") spent += body.cost?.amount ?? 0;
    if (body.type === "usage.reported" && spent >= budget) await fairlead.interrupt(session);
    if (body.type === "turn.ended") return spent;
  }
  return spent;
}
