import type { Api } from "./api.ts";
import { anthropicMessages } from "./apis/anthropic-messages.ts";

/** Every API that the lab speaks. A request goes to the first that recognises it. */
export const apis: readonly Api[] = [anthropicMessages];
