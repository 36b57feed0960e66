import type { Adapter } from "@fairlead/contract";
import { claudeCode } from "./claude-code/adapter.ts";
import { scripted } from "./scripted/adapter.ts";
import { shell } from "./shell/adapter.ts";

/** Every adapter of this house, by the name people type. A new one is a folder and a line here. */
export const adapters: readonly Adapter[] = [claudeCode, scripted, shell] as readonly Adapter[];
