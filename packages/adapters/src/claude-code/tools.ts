import type { EventOf, Question } from "@fairlead/contract";
import type { OpenCall } from "@fairlead/kit";
import { z } from "zod";
import { describeClaudeCodeCall } from "./actions.ts";

/** The structured result of tools that write files. Older versions have only the text. */
const FileToolResult = z.looseObject({ filePath: z.string(), type: z.enum(["create", "update"]).optional() });
const FileToolInput = z.looseObject({ file_path: z.string() });

type ClaudeCodeFileChange = Pick<EventOf<"file.changed">, "path" | "change">;

/** Returns the file that a call has changed, if it changes files. */
export function findClaudeCodeFileChange(
  { name, input }: OpenCall,
  toolResult: unknown,
  output: string,
): ClaudeCodeFileChange | undefined {
  const fileResult = name === "Read" ? undefined : FileToolResult.safeParse(toolResult).data;
  const path =
    fileResult?.filePath ?? (/^(Write|(Multi)?Edit)$/.test(name) && FileToolInput.safeParse(input).data?.file_path);
  if (!path) return undefined;
  return { path, change: fileResult?.type === "create" || output.startsWith("File created") ? "created" : "modified" };
}

const QuestionInput = z.looseObject({
  question: z.string(),
  multiSelect: z.boolean().default(false),
  options: z.array(z.object({ label: z.string(), description: z.string().default("") })).default([]),
});

type DecisionPrompt = Pick<EventOf<"decision.requested">, "kind" | "title" | "questions" | "action">;

/** Converts a request to what a person reads: the questions, or the call to approve. */
export function toClaudeCodePrompt(tool: string, input: object, description: string): DecisionPrompt {
  const questions = tool === "AskUserQuestion" ? parseQuestions(input) : undefined;
  if (questions !== undefined) return { kind: "question", title: questions[0]?.text ?? tool, questions };
  return { kind: "approval", title: `${tool}: ${description}`, action: describeClaudeCodeCall(tool, input) };
}

function parseQuestions(input: unknown): Question[] | undefined {
  const inputs = z.looseObject({ questions: z.array(QuestionInput) }).safeParse(input).data?.questions;
  return inputs?.map(({ question, options, multiSelect }) => ({ text: question, options, multiSelect }));
}
