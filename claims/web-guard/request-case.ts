import { sendRawRequest } from "@fairlead/testing/server/send-raw-request.ts";

/** A raw request and the status that it must get. */
export interface RequestCase {
  readonly name: string;
  readonly request: string;
  readonly status: number;
}

export interface CaseResults {
  readonly tried: number;
  /** The names of the cases with another status. */
  readonly failed: readonly string[];
}

export async function tryCases(port: number, cases: readonly RequestCase[]): Promise<CaseResults> {
  const failed: string[] = [];
  for (const { name, request, status } of cases) {
    const answer = await sendRawRequest(port, request);
    if (answer.status !== status) failed.push(`${name}: ${answer.status} instead of ${status}`);
  }
  return { tried: cases.length, failed };
}
