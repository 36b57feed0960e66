import type { Api } from "./api.ts";
import { amp } from "./apis/amp.ts";
import { anthropicMessages } from "./apis/anthropic-messages.ts";
import { gemini } from "./apis/gemini.ts";
import { openaiChat } from "./apis/openai-chat.ts";
import { openaiResponses } from "./apis/openai-responses.ts";

/** Every API that the lab speaks. A request goes to the first that recognises it. */
export const apis: readonly Api[] = [amp, anthropicMessages, gemini, openaiChat, openaiResponses];
