import { statfs } from "node:fs/promises";
import type { Fairlead } from "@fairlead/api";
import type { AgentStatus } from "./events/shim-state.ts";
import type { ShimSession } from "./shim-session.ts";

export interface SandboxHealthResponse {
  readonly status: "healthy" | "degraded" | "unhealthy";
  readonly agentStatus: AgentStatus;
  readonly uptimeMs: number;
  readonly resourceUsage: {
    /** CPU use of this process since its start. */
    readonly cpuPercent: number;
    readonly memoryMb: number;
    /** Used space of the workspace's disk. */
    readonly diskMb: number;
    readonly collectedAt: string;
  };
  /** Always 0: events are in the journal, and none is dropped. */
  readonly pendingEventBufferSize: 0;
}

const degradedStates = ["silent", "stuck", "input-closed"];

export async function readShimHealth(
  fairlead: Fairlead,
  workspace: string,
  run: ShimSession | undefined,
): Promise<SandboxHealthResponse> {
  const state = run && (await fairlead.session(run.session)).state;
  const isLost = state === "lost" || state === "damaged";
  const agentStatus = run === undefined ? "idle" : isLost ? "error" : (await run.handle()).status;
  const { user, system } = process.cpuUsage();
  const { blocks, bfree, bsize } = await statfs(workspace);
  return {
    status: isLost ? "unhealthy" : degradedStates.includes(state ?? "") ? "degraded" : "healthy",
    agentStatus,
    uptimeMs: Math.round(process.uptime() * 1000),
    resourceUsage: {
      cpuPercent: (user + system) / process.uptime() / 10_000,
      memoryMb: process.memoryUsage.rss() / 2 ** 20,
      diskMb: ((blocks - bfree) * bsize) / 2 ** 20,
      collectedAt: new Date().toISOString(),
    },
    pendingEventBufferSize: 0,
  };
}
