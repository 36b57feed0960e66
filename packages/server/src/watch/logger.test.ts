import { FairleadError } from "@fairlead/contract";
import { withScript } from "@fairlead/kit";
import { describe, expect, test } from "vitest";
import { serve } from "../http/serve.ts";
import { Tokens } from "../http/tokens.ts";
import { eventsUntil, Ground } from "../local/ground-for-test.ts";
import { secretsIn } from "./known-secrets-for-test.ts";
import { Logger } from "./logger.ts";
import { openWatch } from "./open-watch.ts";

const prompt = "prompt secret: xK9/+ é";
const spoken = "spoken secret, 7Qm2";
const input = "input-secret-Zt41";
const output = "output-secret-Wp83";
const secrets = [prompt, spoken, input, output];

/** Has a session say and do what is secret, over the wire with a token, and gives the whole log of it. */
async function logOf(environment: NodeJS.ProcessEnv): Promise<{ log: string; token: string }> {
  await using ground = new Ground();
  let log = "";
  const write = (line: string): void => void (log += line);
  await using watch = await openWatch({ environment: { FAIRLEAD_LOG: "trace", ...environment }, version: "0", write });
  const fairlead = await ground.open(watch.observer);
  const tokens = new Tokens(`${ground.folder}/tokens.json`);
  const token = tokens.issue({ label: "driver", scopes: ["read", "drive", "approve"] });
  const failed = (error: unknown): void => watch.log.error("a request failed", error);
  await using service = await serve({ fairlead, tokens, port: 0, watch: watch.http, failed });
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const post = (path: string, body: string): Promise<Response> =>
    fetch(`${service.url}${path}`, { method: "POST", headers, body });

  const script = [
    { text: spoken, tools: [{ name: "run", input: { command: `echo ${input}; printf output-; printf secret-Wp83` } }] },
    { error: { status: 500 } },
  ];
  const order = { workspace: ground.folder, mode: "full-auto", prompt: withScript(prompt, script) };
  const reply = await post("/v1/sessions", JSON.stringify(order));
  const started = (await reply.json()) as { session: string };
  expect(reply.status, JSON.stringify(started)).toBe(200);
  await eventsUntil(fairlead, started.session, "turn.ended");
  expect((await post(`/v1/sessions/${started.session}/messages`, `{"text": ${prompt}`)).status).toBe(400);
  expect((await fetch(`${service.url}/v1/sessions?token=${token}`, { headers })).status).toBeLessThan(500);
  await fairlead.stop(started.session);
  return { log, token };
}

describe("the log of a session full of secrets", () => {
  test("has none of them, and yet tells what happened", async () => {
    const { log, token } = await logOf({});
    expect(secretsIn(log, [...secrets, token, token.slice(3)])).toEqual([]);
    const types = log.split("\n").flatMap((line) => /"type":"([a-z.]+)"/.exec(line)?.[1] ?? []);
    for (const type of ["session.started", "tool.ended", "error.raised", "turn.ended", "session.ended"]) {
      expect(types).toContain(type);
    }
    expect(log).toContain('"outcome":"failed"');
  });

  test("control: where content was asked for, all of them are there, but for the token", async () => {
    const { log, token } = await logOf({ FAIRLEAD_LOG_CONTENT: "1" });
    expect(secretsIn(log, [...secrets, token])).toEqual(secrets);
  });
});

describe("a logger", () => {
  const lines = (act: (log: Logger) => void, options: object = {}): string => {
    let written = "";
    act(new Logger({ level: "trace", write: (line) => void (written += line), ...options }));
    return written;
  };
  const token = `fl_${"aB3-".repeat(11)}`;
  const careless = {
    session: "s",
    prompt,
    headers: { authorization: `Bearer ${token}`, cookie: input },
    tool: { output },
  };

  test("writes no fact that it does not know, however it is passed", () => {
    const written = lines((log) => log.info("said", careless));
    expect(JSON.parse(written)).toMatchObject({ level: "info", session: "s", msg: "said" });
    const passed = [prompt, input, output, token];
    expect(secretsIn(written, passed)).toEqual([]);
    expect(secretsIn(JSON.stringify(careless), passed)).toEqual(passed); // control
  });

  test("withholds what looks like a credential, also where content was asked for", () => {
    const content = { authorization: `Bearer ${token}`, text: `use ${token}, or Basic dXNlcjpwYXNz` };
    const written = lines((log) => log.info("said", { content }), { content: true });
    expect(written).toContain('"text":"use (withheld), or (withheld)"');
    expect(secretsIn(written, [token, "dXNlcjpwYXNz"])).toEqual([]);
  });

  test("tells an error's message where it is ours or the system's, and otherwise where it came from", async () => {
    const ours = new FairleadError("corrupt", "The file is damaged.");
    expect(lines((log) => log.error("failed", ours))).toContain("The file is damaged.");
    const missing = await import("node:fs/promises").then((fs) =>
      fs.readFile("/nowhere/at/all").catch((error) => error),
    );
    expect(lines((log) => log.error("failed", missing))).toContain("/nowhere/at/all");

    const parsing = ((): unknown => {
      try {
        return JSON.parse(input);
      } catch (error) {
        return error;
      }
    })() as Error;
    expect(secretsIn(parsing.message, ["input-sec"])).toEqual(["input-sec"]); // control: the parser does quote it
    const passedOn = new FairleadError("unavailable", parsing.message, { cause: parsing });
    const twoLines = new Error(`${input}\n    at ${output}`);
    for (const error of [parsing, passedOn, twoLines, input]) {
      const written = lines((log) => log.error("failed", error));
      expect(secretsIn(written, [input, "input-sec", output])).toEqual([]);
      if (error instanceof Error) expect(written).toContain("logger.test.ts");
    }
  });

  test("takes a level that there is not for info, and says so", () => {
    const written = lines((log) => log.debug("unseen"), { level: "loud" });
    expect(written).toContain("FAIRLEAD_LOG");
    expect(written).not.toContain("unseen");
  });
});
