import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { adapters } from "@fairlead/adapters";
import type { Adapter } from "@fairlead/contract";
import { quietTalk, takeUp, turnOver, writtenDialect, type Message, type Talk } from "@fairlead/kit";
import { afterEach, expect, test, vi } from "vitest";
import { Home } from "./home.ts";
import { Runtime } from "./runtime.ts";
import type { Session } from "./session.ts";

const shell = adapters.find(({ manifest }) => manifest.id === "shell") as Adapter;
const speak = ({ text }: Message) => ({ type: "say", text: `${text}\n` }) as const;

/** An agent that hears one message, closes its ears, says `done`, and lives on until it finds a file. */
const stubborn: Adapter = {
  ...shell,
  open: (opening) => ({
    ...shell.open(opening),
    life: "session",
    dialect: writtenDialect<Talk>({
      start: quietTalk,
      hear: (writer, heard) => void (heard.kind === "line" && turnOver(writer, "completed", speak)),
      ask(writer, wish) {
        const args = ["-c", "read line; exec <&-; echo done; until [ -e enough ]; do sleep 0.05; done"];
        const line = { program: "sh", args, env: {}, cwd: opening.workspace, stdin: "pipe" } as const;
        if (wish.type === "open") writer.effect({ type: "launch", line });
        if (wish.type === "send") takeUp(writer, wish, speak);
      },
    }),
  }),
};

async function heard(session: Session, word: string): Promise<void> {
  for await (const one of session.stream()) if ("body" in one && JSON.stringify(one.body).includes(word)) return;
  throw new Error(`Nothing was said of "${word}".`);
}

afterEach(() => vi.unstubAllEnvs());

test.each(["namespace", "descendants"])("an agent that has closed its ears is known as deaf (%s)", async (kind) => {
  vi.stubEnv("FAIRLEAD_CONTAINMENT", kind);
  const folder = mkdtempSync(join(tmpdir(), "df-"));
  using _ = { [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
  await using runtime = await Runtime.open({ home: new Home(join(folder, "h")), adapters: [stubborn] });
  const session = await runtime.start({ agent: "shell", workspace: folder });
  const state = async () => (await runtime.summary(session.id)).state;
  expect(await state()).toBe("idle");
  await session.send("one");
  await heard(session, "turn.ended");
  await session.send("two");
  await heard(session, "has closed its standard input");
  expect(await state()).toBe("input-closed");
  expect((await runtime.summary(session.id)).containment).toBe(kind);
  await session.end();
  writeFileSync(join(folder, "enough"), "");
  await heard(session, "session.ended");
});
