import { existsSync } from "node:fs";
import type { Attempt } from "../attempt.ts";
import { httpScript, node } from "../scripts.ts";

/** Attempts at the daemon's socket: each client there is the owner. */
export const daemonSocketAttempts: readonly Attempt[] = [
  {
    name: "daemon-read-sessions",
    script: (target) => httpScript({ socketPath: target.socket }, { method: "GET", path: "/v1/sessions" }),
    succeeded: (target, output) => output.includes(target.other),
  },
  {
    name: "daemon-answer-own",
    isApprovedCommand: true,
    script: (target) => `${listDecisions(target.socket)} | ${answerListed(target.socket)}; sleep 1`,
    succeeded: (target) => target.until(() => existsSync(target.approvedFile("daemon-answer-own")), 2000),
  },
  {
    name: "daemon-answer-other",
    prepare: (target) => target.openDecision("daemon-answer-other"),
    script: (target) =>
      httpScript(
        { socketPath: target.socket },
        {
          method: "POST",
          path: `/v1/sessions/${target.decision("daemon-answer-other").session}/answers`,
          body: { decision: target.decision("daemon-answer-other").decision, answer: { type: "allow" } },
        },
      ),
    succeeded: (target) => target.until(() => target.isProven("daemon-answer-other"), 2000),
  },
  {
    name: "daemon-start-session",
    script: (target) =>
      httpScript(
        { socketPath: target.socket },
        {
          method: "POST",
          path: "/v1/sessions",
          body: { agent: "shell", workspace: target.folder, prompt: `touch ${target.proof("daemon-start-session")}` },
        },
      ),
    succeeded: (target) => target.until(() => target.isProven("daemon-start-session"), 2000),
  },
  {
    name: "daemon-stop-session",
    prepare: (target) => target.openDecision("daemon-stop-session"),
    script: (target) =>
      httpScript(
        { socketPath: target.socket },
        { method: "POST", path: `/v1/sessions/${target.decision("daemon-stop-session").session}/stop` },
      ),
    succeeded: (target) => target.untilState(target.decision("daemon-stop-session").session, ["ended"], 2000),
  },
];

const listDecisions = (socketPath: string): string =>
  httpScript({ socketPath }, { method: "GET", path: "/v1/decisions" });

/** Allows every decision of the agent's own session in the list at stdin. */
function answerListed(socketPath: string): string {
  return node(`
    let text = "";
    process.stdin.on("data", (data) => (text += data)).on("end", () => {
      const start = text.indexOf("[");
      if (start < 0) return console.log(text);
      for (const { session, decision } of JSON.parse(text.slice(start))) {
        if (session !== process.env.FAIRLEAD_SESSION) continue;
        const path = "/v1/sessions/" + session + "/answers";
        const headers = { "content-type": "application/json" };
        require("node:http")
          .request({ socketPath: ${JSON.stringify(socketPath)}, method: "POST", path, headers })
          .end(JSON.stringify({ decision, answer: { type: "allow" } }));
      }
    });`);
}
