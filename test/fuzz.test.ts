import { describe, expect, test } from "vitest";
import { fuzzApi } from "../claims/fuzz/fuzz-api.ts";
import { fuzzRecordings } from "../claims/fuzz/fuzz-recordings.ts";
import { serveFaulty } from "../claims/fuzz/serve-faulty.ts";
import { TestHome } from "../measure/test-home.ts";

// A small part of the claim `fuzz`, with a seed of its own, so that it is the same on every run.
const seed = 13;

describe("fuzz", () => {
  test("mutated recordings cause no exception and no invalid event", { timeout: 120_000 }, () => {
    const problems: string[] = [];
    const report = fuzzRecordings({ seed, first: 0, count: 800, onProblem: (problem) => problems.push(problem) });
    expect(problems).toEqual([]);
    expect(report.events).toBeGreaterThan(800);
  });

  test("calls made from the API's schemas get no answer of 5xx", { timeout: 120_000 }, async () => {
    await using testHome = new TestHome();
    await using service = await serveFaulty(testHome, () => ({}));
    const problems: string[] = [];
    const onProblem = (problem: string): unknown => problems.push(problem);
    const workspace = testHome.workspace();
    const report = await fuzzApi({ socket: service.socket, workspace, seed, first: 0, count: 200, onProblem });
    expect(problems).toEqual([]);
    expect(report).toMatchObject({ calls: 200, notStopped: 0 });
    expect(report.byClass["2xx"]).toBeGreaterThan(20);
  });
});
