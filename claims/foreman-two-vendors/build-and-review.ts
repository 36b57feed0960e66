/** Lets one real agent build and another vendor's review, and prints what happened as JSON: `node build-and-review.ts`. */
import { adapters } from "@fairlead/adapters";
import type { Adapter } from "@fairlead/contract";
import { bodiesOf, RealForeman, writeCommand } from "../foreman/real-foreman.ts";

export interface TwoVendors {
  readonly builder: string;
  readonly reviewer: string;
  readonly outcome: string | null;
  readonly reason: string;
  readonly verdicts: readonly string[];
  /** Whether the findings went to the session that built. */
  readonly isReturnedToBuilder: boolean;
  /** Whether the pushed branch has the tree that the last verdict and the person approved. */
  readonly isApprovedTree: boolean;
  readonly content: string;
  readonly requests: number;
}

export interface OneVendor {
  /** What `check` says about a reviewer of the builder's vendor. */
  readonly problems: readonly string[];
  readonly isStartRefused: boolean;
  /** How a run ends whose reviewer only claims to be another vendor's. */
  readonly doctored: { readonly outcome: string | null; readonly reason: string };
  readonly pushed: string;
}

async function buildAndReview(builder: string, reviewer: string): Promise<TwoVendors> {
  await using foreman = await RealForeman.open([builder, reviewer]);
  const repaired = { "b.txt": "right", "zz-review.txt": foreman.review(reviewer, "approve") };
  const what = `b.txt is wrong. ${foreman.commands(builder, writeCommand(repaired))}`;
  const findings = [{ path: "b.txt", line: 1, what, severity: "error" }];
  const first = { "b.txt": "wrong", "zz-review.txt": foreman.review(reviewer, "changes", findings) };
  const run = await foreman.start({
    builder: { agent: builder, mode: "full-auto", settings: foreman.settingsOf(builder) },
    reviewer: { agent: reviewer, settings: foreman.settingsOf(reviewer) },
    tasks: [{ id: "write", brief: `Write b.txt. ${foreman.commands(builder, writeCommand(first))}` }],
    acceptance: ["test -s b.txt"],
  });
  await foreman.approve(run);
  const { view, events } = await foreman.finish(run);
  const verdicts = bodiesOf(events, "verdict.given");
  const pushed = bodiesOf(events, "branch.pushed").length > 0;
  const [started] = bodiesOf(events, "task.started");
  return {
    builder,
    reviewer,
    outcome: view.outcome,
    reason: view.reason,
    verdicts: verdicts.map(({ verdict }) => verdict),
    isReturnedToBuilder: bodiesOf(events, "work.returned").some(({ session }) => session === started?.session),
    isApprovedTree: pushed && foreman.remoteGit("rev-parse", `fairlead/${run}^{tree}`) === verdicts.at(-1)?.tree,
    content: pushed ? foreman.remoteGit("show", `fairlead/${run}:b.txt`) : "",
    requests: bodiesOf(events, "request.made").length,
  };
}

async function reviewOwnWork(agent: string): Promise<OneVendor> {
  const real = adapters.find(({ manifest }) => manifest.id === agent) as Adapter;
  const doctored = { ...real, manifest: { ...real.manifest, id: "doctored", vendor: "Another vendor" } };
  await using foreman = await RealForeman.open([agent], [doctored]);
  const settings = foreman.settingsOf(agent);
  const files = { "b.txt": "two", "zz-review.txt": foreman.review(agent, "approve") };
  const plan = {
    builder: { agent, mode: "full-auto", settings },
    tasks: [{ id: "write", brief: foreman.commands(agent, writeCommand(files)) }],
  };
  const refused = await foreman.start({ ...plan, reviewer: { agent, settings } }).then(
    () => null,
    (error: Error) => error.message,
  );
  const run = await foreman.start({ ...plan, reviewer: { agent: "doctored", settings } });
  await foreman.approve(run);
  const { view } = await foreman.finish(run);
  return {
    problems: refused === null ? [] : [refused],
    isStartRefused: refused !== null,
    doctored: { outcome: view.outcome, reason: view.reason },
    pushed: foreman.remoteGit("for-each-ref"),
  };
}

if (import.meta.main) {
  console.log(JSON.stringify(await buildAndReview("claude-code", "codex")));
  console.log(JSON.stringify(await buildAndReview("codex", "claude-code")));
  console.log(JSON.stringify(await reviewOwnWork("claude-code")));
}
