import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { DecisionView, Fairlead } from "@fairlead/api";

export interface HostileQuestions {
  readonly session: string;
  readonly decisions: readonly DecisionView[];
}

/** Each of them waits for an answer at the same time. */
const requestsPerText = 3;

/** The scripted agent cannot read a longer string in a script. */
const maxLength = 3000;

/**
 * Lets the scripted agent write files with each text as name and content, and then ask for a command, a file and an answer
 * with each text. Returns when all of these requests are open.
 */
export async function askHostileQuestions(
  fairlead: Fairlead,
  workspace: string,
  texts: readonly string[],
): Promise<HostileQuestions> {
  const git = (...args: string[]): void => void execFileSync("git", args, { cwd: workspace, stdio: "ignore" });
  git("init", "--quiet");
  git("-c", "user.name=A", "-c", "user.email=a@b", "commit", "--quiet", "--allow-empty", "--message=One");
  const { session } = await fairlead.start({ agent: "scripted", workspace, name: "asks", sandbox: { kind: "none" } });
  writeHostileFiles(workspace, texts);
  const options = [...new Set(texts)].slice(0, 8).map((label, at) => ({ id: `${at}`, label, scope: "session" }));
  const tools = texts.flatMap((whole) => {
    const text = whole.slice(0, maxLength);
    return [
      { name: "run", input: { command: text } },
      { name: "write", input: { path: text, content: text } },
      {
        name: "ask",
        input: { questions: [{ text, options: [{ label: text }, { label: `not ${text}` }], several: false }] },
      },
    ];
  });
  await fairlead.send(session, `Ask. SCRIPT:${JSON.stringify([{ tools, options }])}`);
  for await (const { decisions } of overviewOf(fairlead, session)) {
    if (decisions.length >= texts.length * requestsPerText) return { session, decisions };
    if ((await fairlead.session(session)).state === "ended") break;
  }
  throw new Error("The agent did not ask.");
}

async function* overviewOf(
  fairlead: Fairlead,
  session: string,
): AsyncGenerator<{ readonly decisions: readonly DecisionView[] }> {
  for await (const _ of fairlead.overview()) {
    const decisions = await fairlead.decisions();
    yield { decisions: decisions.filter((one) => one.session === session) };
  }
}

/** A name of a file has at most 255 bytes, no slash and no zero. */
function writeHostileFiles(workspace: string, texts: readonly string[]): void {
  for (const text of texts) {
    const name = Buffer.from(text.replaceAll(/[\0/]/g, "_").toWellFormed())
      .subarray(0, 200)
      .toString()
      .replaceAll("\ufffd", "");
    writeFileSync(join(workspace, name), `${text.toWellFormed()}\n`);
  }
}
