import { capabilitiesOf, FairleadError, type HostTool, type ToolOffer } from "@fairlead/contract";
import type { Manifest, Opening, ProbeResult } from "@fairlead/contract";
import { ToolPrograms } from "./tool-programs.ts";

/** The tools that this process runs for agents, by name. */
export class ToolRegistry {
  readonly #tools = new Map<string, HostTool>();
  /** The programs beside this process that run tools. */
  readonly programs = new ToolPrograms();

  constructor(tools: readonly HostTool[] = []) {
    for (const tool of tools) {
      const { name } = tool.offer;
      if (this.#tools.has(name)) throw new FairleadError("invalid-request", `Two tools have the name ${name}.`);
      this.#tools.set(name, tool);
    }
  }

  /** Returns a tool that a session is offered: of the program that the session was started with, or of this process. */
  find({ tools = [], toolProgram }: Pick<Opening, "tools" | "toolProgram">, name: string): HostTool | undefined {
    if (toolProgram?.tools.includes(name) !== true) return this.#tools.get(name);
    const offer = tools.find((tool) => tool.name === name);
    return offer && this.programs.tool(toolProgram.id, offer);
  }

  /** Returns what an agent is told of these tools, and which of them a program runs. */
  async select(
    names: readonly string[],
    program: string | undefined,
  ): Promise<Pick<Opening, "toolProgram"> & { tools: ToolOffer[] }> {
    if (program === undefined) return { tools: this.offers(names) };
    const offered = await this.programs.offers(program);
    const tools = [...new Set(names)].flatMap((name) => {
      const own = offered.find((tool) => tool.name === name);
      return own === undefined ? this.offers([name]) : [own];
    });
    const own = tools.filter((tool) => offered.includes(tool)).map(({ name }) => name);
    return { tools, toolProgram: { id: program, tools: own } };
  }

  /** Returns what an agent is told of these tools, each once. Throws `invalid-request` for a name that no tool has. */
  offers(names: readonly string[]): ToolOffer[] {
    return [...new Set(names)].map((name) => {
      const offer = this.#tools.get(name)?.offer;
      if (offer !== undefined) return offer;
      const known = [...this.#tools.keys()].join(", ");
      throw new FairleadError(
        "invalid-request",
        `There is no tool ${name}. ${known === "" ? "There is none." : `There is: ${known}.`}`,
      );
    });
  }
}

/** Throws `not-supported` if an agent cannot be offered tools. */
export function assertTakesTools(
  manifest: Manifest,
  { version, flags }: Pick<ProbeResult, "version" | "flags">,
  tools: readonly ToolOffer[],
): void {
  if (tools.length === 0 || takesTools(manifest, { version, flags })) return;
  const program = version === null ? manifest.label : `${manifest.label} ${version}`;
  throw new FairleadError("not-supported", `${program} cannot be offered tools: it lacks the capability host-tools.`);
}

/** Reports whether an agent can be offered tools. */
export function takesTools(manifest: Manifest, { version, flags }: Pick<ProbeResult, "version" | "flags">): boolean {
  return capabilitiesOf(manifest, version, flags).includes("host-tools");
}
