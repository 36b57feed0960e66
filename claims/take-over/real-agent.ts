/**
 * A person takes over a session of a real agent in a real terminal, types a message and hands it back. Prints the
 * observations as JSON: `node real-agent.ts '{"agent":…}'`, without a network. With "screens": true also the screens.
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { adapters } from "@fairlead/adapters";
import { listSessionProcesses } from "@fairlead/conformance";
import { findViolations } from "@fairlead/contract";
import { testBenches } from "@fairlead/lab";
import { Home, Runtime } from "@fairlead/runtime";
import { TmuxTerminal } from "../../scripts/tmux-terminal.ts";

const { agent, screens = false } = JSON.parse(process.argv[2] ?? "") as { agent: string; screens?: boolean };
const openBench = testBenches[agent];
if (openBench === undefined) throw new Error(`The lab has no stage for ${agent}.`);
const folder = mkdtempSync(join(tmpdir(), "lead-"));
using _ = { [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
const workspace = join(folder, "w");
mkdirSync(workspace);
await using bench = await openBench(join(folder, "s"));
const home = new Home(join(folder, "h"));
const { environment } = bench;
const createPrompt = (text: string): string => bench.buildPrompt([{ text }], workspace) ?? "";

/** Drives the session briefly, like a daemon that is then restarted. */
async function runTurn(message: string, id?: string): Promise<string> {
  await using runtime = await Runtime.open({ home, adapters, environment });
  const settings = bench.settings ?? {};
  const session =
    id === undefined
      ? await runtime.start({ agent, workspace, settings, sandbox: { kind: "bwrap" } })
      : await runtime.attach(id);
  const before = session.lastSequence;
  await session.send(message);
  for await (const one of session.stream(before)) {
    if ("body" in one && /^(turn|session)\.ended$/.test(one.body.type)) break;
  }
  return session.id;
}

const session = await runTurn(createPrompt("The first word is heliotrope."));
const agentProcesses = listSessionProcesses(session).map(({ pid }) => pid);
const program = fileURLToPath(new URL("join-session.ts", import.meta.url));
const argument = JSON.stringify({ home: home.folder, session });
const path = `${dirname(process.execPath)}:${environment["PATH"] ?? ""}`;
const shownScreens: string[] = [];
const openTerminal = (): TmuxTerminal =>
  new TmuxTerminal("lead", { ...environment, PATH: path }, [process.execPath, program, argument]);
{
  // Closing the person's terminal ends the driver of the session. The agent's own terminal stays open.
  using terminal = openTerminal();
  shownScreens.push(await terminal.waitFor(/heliotrope/));
}
const terminalProcesses = listSessionProcesses(session).map(({ pid }) => pid);
{
  using terminal = openTerminal();
  shownScreens.push(await terminal.waitFor(/heliotrope/));
  terminal.type(createPrompt("The second word is marmalade."));
  await terminal.waitFor(/marmalade/);
  terminal.press("Enter");
  shownScreens.push(await terminal.waitFor(/The second word is marmalade\.(?!"})/));
  const survived = listSessionProcesses(session).some(({ pid }) => terminalProcesses.includes(pid));
  if (!survived) throw new Error("The terminal was another one.");
  terminal.press("C-\\");
  shownScreens.push(await terminal.waitFor(/left: detached/));
}
await runTurn(createPrompt("The third word is parsnip."), session);
const context = (await bench.readModelContext?.()) ?? "";
await using runtime = await Runtime.open({ home, adapters, environment });
const attached = await runtime.attach(session);
await attached.end();
await Array.fromAsync(attached.stream());
const journal = await Array.fromAsync(runtime.events(session, 0));
const leads = journal.flatMap(({ body }) => (body.type === "lead.changed" ? [body.lead] : []));
if (screens) for (const screen of shownScreens) console.error(`${"─".repeat(100)}\n${screen}`);
console.log(
  JSON.stringify({
    agentLed: agentProcesses.length,
    leads,
    knows: ["heliotrope", "marmalade", "parsnip"].filter((word) => context.includes(word)),
    violations: findViolations(journal, { complete: true }),
    left: listSessionProcesses(session).length,
  }),
);
