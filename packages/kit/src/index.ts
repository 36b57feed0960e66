export { acpDialect } from "./acp/acp-dialect.ts";
export type { AcpAside, AcpQuirks } from "./acp/quirks.ts";
export type { AcpManner, AcpState } from "./acp/state.ts";
export { briefPrompt } from "./brief-prompt.ts";
export { flagArguments, flagsArguments, flagsIn, PassedFlags, type FlagValue } from "./flags.ts";
export { callAskedAbout, callDenied, callEnded, callRequested, callStarted } from "./calls.ts";
export type { CallResult, Calls, OpenCall } from "./calls.ts";
export { commandNames, type CommandNames } from "./command-names.ts";
export { ContentBlock, textOfContent } from "./content-block.ts";
export { withoutContext } from "./context.ts";
export { failureCategory } from "./failure-category.ts";
export { Fold } from "./fold.ts";
export { emptyFold, type FoldState } from "./fold-state.ts";
export { inclusiveTokens } from "./inclusive-tokens.ts";
export { quietRpc, rpc, type Rpc, type RpcFailure, type RpcHeard, type RpcId } from "./json-rpc.ts";
export { jsonLine, parseJsonLine } from "./json-line.ts";
export { cutLines, lastLine, noRemainder, type Line, type Remainder } from "./lines.ts";
export { metered, type Meters, type Reading } from "./meter.ts";
export { patience, patienceAlarm, type Patient, type Trouble } from "./patience.ts";
export { patientDialect } from "./patient-dialect.ts";
export { probeProgram, type ProbeLine } from "./probe-program.ts";
export { retriesWithin } from "./retries-within.ts";
export { askClosed, askWithdrawn, rpcAsked, rpcHeard } from "./rpc-talk.ts";
export { findScript, withScript } from "./script.ts";
export { StepWriter } from "./step-writer.ts";
export type { Folded, Order } from "./telling.ts";
export {
  byItself,
  entered,
  goOn,
  identified,
  quietTalk,
  takeUp,
  turnOver,
  type Entry,
  type Message,
  type Talk,
} from "./talk.ts";
export { writtenDialect } from "./written-dialect.ts";
