import type { Claim } from "../../measure/claim.ts";
import { runQuietly } from "../../scripts/run.ts";
import type { SiteReport } from "./attack-from-site.ts";
import type { TextReport } from "./show-texts.ts";
import { tryRequests } from "./try-requests.ts";

const minimumRequests = 200;
const minimumSiteAttacks = 30;
const minimumTexts = 60;
/** The HTTP library also rejects a malformed host, a backslash in a path and a repeated host. */
const rejectedByLibrary = 11;
/** Attacks that even a service without a guard answers only to some browsers or not in time. */
const minimumControlAttacks = 20;

export const webGuard: Claim = {
  id: "web-guard",
  statement: "The web page gives other sites, guessed codes and the texts of agents no way into it.",
  bound: `all of ≥ ${minimumRequests} raw requests as stated, those of api-guard included; 0 of ≥ ${minimumSiteAttacks} attacks of a page on another port and another name succeed; ${minimumTexts} hostile texts in every field: 0 elements, scripts, requests or windows made of them, 0 violations of the policy; controls: without the guard all refusals but ${rejectedByLibrary} fail and ≥ ${minimumControlAttacks} attacks succeed, and texts put in as HTML are seen with the policy and run without it`,
  async prove() {
    const built = await runQuietly("npx", ["vite", "build", "packages/web"]);
    if (built.code !== 0) throw new Error(built.output);
    const { api, page, origins, codes, pageCalls, control } = await tryRequests();
    const parts = [api, page, origins, codes];
    const tried = parts.reduce((sum, part) => sum + part.tried, 0);
    const failed = parts.flatMap((part) => part.failed);
    const site = await runPart<SiteReport>("attack-from-site.ts");
    const succeeded = [...site.guarded.flatMap((one) => one.succeeded), ...site.windows.succeeded];
    const siteCalls = site.guarded.reduce((sum, { calls }) => sum + calls, 0);
    const texts = await runPart<TextReport>("show-texts.ts");
    const { withPolicy, withoutPolicy } = texts.control;
    for (const one of [...failed, ...succeeded, ...texts.findings, ...texts.effects, ...texts.problems])
      console.log(`not as stated: ${one}`);
    const siteTried = site.guarded.reduce((sum, one) => sum + one.tried, site.windows.tried);
    return {
      measured: [
        `${tried - failed.length} of ${tried} requests as stated (${api.tried} of api-guard, ${page.tried} of the page, ${origins.tried} of origins, ${codes.tried} of codes), ${pageCalls} calls of the interface by requests for the page`,
        `without the guard ${control.failed.length} of ${control.tried} refusals fail`,
        `${succeeded.length} of ${siteTried} attacks from another site succeed and ${siteCalls} calls; on a service without protection ${site.control.succeeded.length} of ${site.control.tried} and ${site.windowControl.succeeded.length} of ${site.windowControl.tried} on its window`,
        `${texts.texts} texts in ${texts.events} events and ${texts.requests} requests, ${texts.inspections} inspections: ${texts.findings.length} findings, ${texts.effects.length} effects, ${texts.problems.length} errors or violations of the policy`,
        `put in as HTML: ${withPolicy.findings} findings and ${withPolicy.violations} violations with the policy; without it ${withoutPolicy.effects} effects${withoutPolicy.hasRun ? " and a script has run" : ""}`,
      ].join("; "),
      holds:
        tried >= minimumRequests &&
        failed.length === 0 &&
        pageCalls === 0 &&
        control.failed.length === control.tried - rejectedByLibrary &&
        siteTried >= minimumSiteAttacks &&
        succeeded.length === 0 &&
        siteCalls === 0 &&
        site.control.succeeded.length >= minimumControlAttacks &&
        site.windowControl.succeeded.length > 0 &&
        texts.texts >= minimumTexts &&
        texts.findings.length + texts.effects.length + texts.problems.length === 0 &&
        withPolicy.findings > 0 &&
        withPolicy.violations > 0 &&
        withoutPolicy.hasRun,
    };
  },
};

/** Runs a program of this folder without a network. */
async function runPart<Result>(program: string): Promise<Result> {
  const { code, output } = await runQuietly("scripts/offline", ["node", `claims/web-guard/${program}`]);
  const line = output.split("\n").find((one) => one.startsWith("{"));
  if (code !== 0 || line === undefined) throw new Error(output);
  return JSON.parse(line) as Result;
}
