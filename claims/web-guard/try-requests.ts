import { guardCases } from "@fairlead/testing/server/guard-cases.ts";
import { pageCases } from "@fairlead/testing/server/page-cases.ts";
import { tryCodes } from "./code-cases.ts";
import { findAsset, GuardedPage } from "./guarded-page.ts";
import { originCases, tryOriginOptions } from "./origin-cases.ts";
import { type CaseResults, tryCases } from "./request-case.ts";
import { openUnguardedService } from "./unguarded-service.ts";

export interface RequestReport {
  /** The attempts of the claim `api-guard`, with the page on. */
  readonly api: CaseResults;
  readonly page: CaseResults;
  readonly origins: CaseResults;
  readonly codes: CaseResults;
  /** Calls of the interface that requests for the page caused. */
  readonly pageCalls: number;
  /** The refusals, without the guard. */
  readonly control: CaseResults;
}

/** Sends raw requests that a stranger, a web page or an agent may send. */
export async function tryRequests(): Promise<RequestReport> {
  await using guarded = await GuardedPage.open();
  const { port, target } = guarded;
  const asset = findAsset(".js");
  const api = await tryCases(port, guardCases(target));
  const before = guarded.calls;
  const page = await tryCases(port, pageCases({ port, asset }));
  const pageCalls = guarded.calls - before;
  const named = await tryCases(port, originCases(port, target.tokens.owner));
  const options = tryOriginOptions();
  const origins = { tried: named.tried + options.tried, failed: [...named.failed, ...options.accepted] };
  await using open = await openUnguardedService(guarded.fairlead);
  const openPort = open.port ?? 0;
  const cases = [
    ...guardCases({ ...target, port: openPort }),
    ...pageCases({ port: openPort, asset }),
    ...originCases(openPort, target.tokens.owner),
  ];
  const guardRefusals = [400, 401, 403, 415, 421];
  const control = await tryCases(
    openPort,
    cases.filter(({ status }) => guardRefusals.includes(status)),
  );
  return { api, page, origins, codes: await tryCodes(), pageCalls, control };
}
