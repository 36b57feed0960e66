export { acpDialect } from "./acp/acp-dialect.ts";
export type { AcpCallFacts } from "./acp/acp-action.ts";
export type { AcpCommandResult, AcpQuirks, AcpSideChannelMessage } from "./acp/acp-quirks.ts";
export type { AcpDialectOptions, AcpState } from "./acp/acp-state.ts";
export { createToolAction, type ToolFacts } from "./actions/tool-action.ts";
export { describeCall, toolTable, type ToolFields, type ToolTable } from "./actions/tool-table.ts";
export { briefPrompt, briefUpdatePrompt } from "./brief-prompt.ts";
export {
  callDenied,
  callEnded,
  callProgressed,
  callRequested,
  callStarted,
  findUndecidedCall,
  noCalls,
} from "./calls.ts";
export type { CallResult, Calls, OpenCall } from "./calls.ts";
export { ContentBlock, textOfContent } from "./content-block.ts";
export {
  agentTurnStarted,
  finishTurn,
  flushQueue,
  initialConversation,
  planConversation,
  sessionIdentified,
  submit,
  type ConversationState,
  type ConversationTarget,
  type UserMessage,
} from "./conversation-state.ts";
export { defineDialect } from "./define-dialect.ts";
export { dialectWithWatchdog } from "./dialect-with-watchdog.ts";
export { failureCategory, patternHead } from "./failure-category.ts";
export { flagsToArguments, flagToArguments, PassThroughFlags, type FlagValue } from "./flags.ts";
export { jsonLine, parseJsonLine } from "./json-line.ts";
export { initialRpc, type RpcFailure, type RpcId, type RpcMessage, type RpcState } from "./json-rpc.ts";
export {
  AgentTokenCount,
  reportQuota,
  reportUsage,
  subtractCachedInput,
  type Meters,
  type QuotaReading,
  type Quotas,
  type UsageReading,
} from "./meter.ts";
export { appendText, endText, noPartialText, type PartialText } from "./partial-text.ts";
export { probeProgram, type ProgramProbe } from "./probe-program.ts";
export {
  addPendingDecision,
  cancelRepeatedRequest,
  createRpcRequest,
  receiveRpcMessage,
  takePendingDecision,
  withdrawDecision,
} from "./rpc-requests.ts";
export { findScript, withScript } from "./script.ts";
export { unwrapShellText } from "./shell/command-text.ts";
export { variableRunsPrograms } from "./shell/environment-that-runs.ts";
export { maxShellTextLength, parseShell } from "./shell/parse-shell.ts";
export { knownWord } from "./shell/read-word.ts";
export type {
  ShellAssignment,
  ShellCommand,
  ShellDoubt,
  ShellDoubtKind,
  ShellInput,
  ShellReading,
  ShellRedirect,
  ShellWord,
  ShellWordPart,
} from "./shell/shell-reading.ts";
export { leadingText } from "./shell/unwrap.ts";
export { terminalTurnEnded, terminalTurnStarted, type TerminalTurnState } from "./terminal-turns.ts";
export { TransitionWriter, unrecognizedEvent } from "./transition-writer.ts";
export { absoluteFolder, namedPaths, userFolders, withoutHome, type UserFolders } from "./user-folders.ts";
export { retriesWithin, watchdog, watchdogAlarm, type AgentFailure, type WatchdogState } from "./watchdog.ts";
