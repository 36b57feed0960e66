import type { Adapter, Opening, ProbeResult } from "@fairlead/contract";
import { assertNoUntrustedPrograms, findUntrustedFiles } from "../config/untrusted-files.ts";
import { findCopy } from "../copies/copy-facts.ts";
import { pickSandboxChoice } from "../sandbox/compute-sandbox.ts";
import { determineSandbox, type SessionSandboxOptions } from "../sandbox/session-sandbox.ts";

interface HostFacts {
  readonly probeResult: ProbeResult;
  readonly sandbox: SessionSandboxOptions;
  readonly trustsWorkspace: (workspace: string) => boolean;
}

/**
 * Returns the opening of a session that continues on this host: with the program and the sandbox that this host has, and with
 * the trust that its user gave the workspace. Throws `not-allowed` if the agent could be made to run something here that nobody
 * trusts. A session that was started in an untrusted workspace stays so.
 */
export async function openingOnHost(
  adapter: Adapter,
  opening: Opening,
  { probeResult, sandbox: options, trustsWorkspace }: HostFacts,
): Promise<Opening> {
  const { workspace } = opening;
  const trusts = (): boolean => trustsWorkspace(findCopy(options.home, workspace)?.workspace ?? workspace);
  const { untrustedFiles = opening.untrustedFiles } = findUntrustedFiles(
    adapter.manifest,
    probeResult,
    workspace,
    trusts,
  );
  const onHost = { ...opening, probeResult, ...(untrustedFiles !== undefined && { untrustedFiles }) };
  const choice = opening.sandbox === undefined ? ({ kind: "none" } as const) : pickSandboxChoice(opening.sandbox);
  const sandbox = await determineSandbox(adapter, onHost, choice, options);
  if (sandbox.kind === "none" || opening.mcpServers !== undefined)
    assertNoUntrustedPrograms(adapter, onHost, options.environment, trusts);
  return { ...onHost, sandbox };
}
